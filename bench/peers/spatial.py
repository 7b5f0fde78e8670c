#!/usr/bin/env python3
"""Mechanisms in space, and chains of any length, in Sarrus, MuJoCo and Pinocchio, side by side on one thread.

    python3 bench/peers/spatial.py --sarrus PATH

A Python that lacks the peers makes a virtual environment for them, build/peers, and goes on with it.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "build" / "peers"
PACKAGES = ("mujoco>=4.0.0", "pin>=4.1.0", "cmeel-eigen", "numpy", "h5py", "pyyaml")
MODULES = ("mujoco", "pinocchio", "numpy", "h5py", "yaml")
INSTALLED = "SARRUS_PEERS_INSTALLED"
PARTS = ("arm", "loops", "chains")
# Libraries of linear algebra start threads of their own otherwise.
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}


def go_on_with_peers() -> None:
    """Returns in a process that has the peers and starts one thread; comes from another by `exec`."""
    lacking = [name for name in MODULES if not importlib.util.find_spec(name)]
    if not lacking and all(os.environ.get(name) == value for name, value in ONE_THREAD.items()):
        return
    python = str(PEERS / "bin" / "python") if lacking else sys.executable
    if lacking and (sys.executable == python or not Path(python).exists()):
        if INSTALLED in os.environ:
            raise SystemExit(f"{PEERS} lacks {', '.join(lacking)} although they were installed")
        print(f"installing {', '.join(PACKAGES)} into {PEERS}", file=sys.stderr)
        venv.create(PEERS, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        os.environ[INSTALLED] = "1"
    os.execve(python, [python, *sys.argv], {**os.environ, **ONE_THREAD})


def find_program() -> str:
    for folder in ("build/release", "build/dev", "build"):
        if (ROOT / folder / "sarrus").is_file():
            return str(ROOT / folder / "sarrus")
    return "sarrus"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="mechanisms in space and chains in Sarrus, MuJoCo and Pinocchio, side by side")
    parser.add_argument("--sarrus", default=find_program(), help="the program (default: of the build folder, else on the PATH)")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}, separated by commas")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="of the processor, of each row in each repetition")
    parser.add_argument("--longest", type=int, default=128, help="bodies of the longest chain")
    parser.add_argument("--check", action="store_true", help="hold the models against one another and measure nothing")
    parser.add_argument("--compiler", default="c++", help="of Pinocchio's side")
    parser.add_argument("--output", type=Path, help="a JSON file of all figures")
    arguments = parser.parse_args()
    arguments.parts = arguments.parts.split(",")
    if not set(arguments.parts) <= set(PARTS):
        parser.error(f"--parts: {arguments.parts}")
    return arguments


if __name__ == "__main__":
    asked = parse_arguments()
    go_on_with_peers()
    import linkage_bench

    sys.exit(linkage_bench.main(asked, ROOT))

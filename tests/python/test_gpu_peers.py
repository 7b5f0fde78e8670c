"""The Python sides of the benchmarks on a GPU, where their libraries are missing: each says which, and leaves out what it was asked
for. Exit code 77 (skipped) where one of them is there: what it measures is for a device."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PEERS = pathlib.Path(os.environ["SARRUS_SOURCE_DIR"]) / "bench" / "peers"


def run(*words):
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False, timeout=120)


def check_pinv():
    with tempfile.TemporaryDirectory() as folder:
        np.save(pathlib.Path(folder) / "matrices.npy", np.eye(3)[None].repeat(4, axis=0))
        done = run(PEERS / "pinv_gpu.py", folder, 10, 1e-10, 0.0, 1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"says {name} is not installed" for name in ("torch", "cupy", "jax")], done.stdout


def check_rollout():
    done = run(PEERS / "gpu_rollout.py", "--no-sarrus")
    assert done.returncode == 4, (done.returncode, done.stderr)
    assert "left out: the package" in done.stdout, done.stdout
    assert "no peer could be run" in done.stderr, done.stderr


def main():
    if any(importlib.util.find_spec(name) for name in ("torch", "cupy", "jax", "mujoco")):
        return 77
    check_pinv()
    check_rollout()
    return 0


if __name__ == "__main__":
    sys.exit(main())

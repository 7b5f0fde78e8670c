"""The models of bench/peers/spatial.py for Sarrus, MuJoCo and Pinocchio agree: accelerations to 1e-9 and short motions.

Exit code 77 (skipped) where the script has not made its virtual environment yet: it would download the peers."""

import os
import pathlib
import subprocess
import sys

import program

SOURCE = pathlib.Path(os.environ.get("SARRUS_SOURCE_DIR", program.SOURCE))
PEERS = SOURCE / "build" / "peers"
PYTHON = PEERS / "bin" / "python"


def main():
    sarrus = program.place()
    if sarrus is None or not PYTHON.exists() or not list(PEERS.glob("linkage_pinocchio_*")):
        return 77
    command = [PYTHON, SOURCE / "bench" / "peers" / "spatial.py", "--check", "--longest", "8", "--sarrus", sarrus]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # The arm, three loops, and chains of 2, 4 and 8 links in the plane and in space.
    assert done.stdout.count("agreement:") == 10, done.stdout
    return 0


if __name__ == "__main__":
    sys.exit(main())

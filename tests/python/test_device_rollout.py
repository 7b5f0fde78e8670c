"""`bench/python/device_rollout.py` on a machine without PyTorch or a GPU: it says so, with exit code 4; and what it knows of the C
library by ctypes is so: the library of the build steps as the package does. Exit code 77 (skipped) without the package."""

import ctypes
import pathlib
import subprocess
import sys

import numpy as np
from package import raises, run_all, sarrus
from program import SOURCE, place

SCRIPT = SOURCE / "bench" / "python" / "device_rollout.py"
FOUR_BAR = str(SOURCE / "scenarios" / "four_bar.yaml")
sys.path.insert(0, str(SCRIPT.parent))

import device_rollout  # noqa: E402


class Room:
    """An array as PyTorch shows where it lies."""

    def __init__(self, *shape):
        self.numbers = np.zeros(shape)

    def data_ptr(self):
        return self.numbers.ctypes.data


def test_without_a_gpu():
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=600)
    if done.returncode == 0:
        return  # there is one
    assert done.returncode == 4, done.stderr
    assert done.stderr.startswith("device_rollout: ") and "Traceback" not in done.stderr


def test_by_ctypes():
    program = place()
    if program is None:
        return
    library = str(pathlib.Path(program).parent / "libsarrus_whole.so")
    try:
        ctypes.CDLL(library)
    except OSError as error:
        print(f"skipped: {error}")
        return
    plain = device_rollout.Plain(library, FOUR_BAR, 70, backend="cpu")
    batch = sarrus.Batch(FOUR_BAR, 70, settings=device_rollout.SETTINGS, backend="cpu", specialize="off")
    torque, q = Room(70, 1), Room(70, 9)
    torque.numbers[:, 0] = np.linspace(-1, 1, 70)
    plain.write("input", torque)
    batch.input = torque.numbers
    for own in (plain, batch):
        own.advance(30)
    plain.read("q", q)
    assert np.array_equal(q.numbers, batch.q)
    raises(device_rollout.UnusableError, lambda: plain.device_view("q"), "on the processor")
    raises(device_rollout.UnusableError, lambda: device_rollout.Plain(library, "nowhere.yaml", 7, backend="cpu"), "nowhere.yaml")


if __name__ == "__main__":
    sys.exit(run_all(globals()))

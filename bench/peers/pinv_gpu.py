"""Python's batched pseudoinverses on a GPU, as `sarrus bench pinv --backend cuda` asks for them; started by that command.

    pinv_gpu.py FOLDER COUNT RCOND SECONDS REPETITIONS

FOLDER/matrices.npy holds the distinct matrices; COUNT of them, repeated, are put on the device once. Every library then takes the
whole batch in one call, again and again for about SECONDS a sample, and is waited for (its stream, or the array) before the
clock is read. The first 32 pseudoinverses go to FOLDER/NAME.f64. Lines on standard output:

    row NAME RATE...    matrices a second, sample by sample
    says TEXT           a version, or why a library is left out
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# The launcher of a bundle puts CUDA's libraries into the loader's path for Sarrus; the libraries here bring their own.
if "SARRUS_OUTER_LIBRARY_PATH" in os.environ:
    os.environ["LD_LIBRARY_PATH"] = os.environ.pop("SARRUS_OUTER_LIBRARY_PATH")
    os.execv(sys.executable, [sys.executable, *sys.argv])

import numpy as np

N_JUDGED = 32


class Job:
    """The batch and what is asked of it."""

    def __init__(self, words: list[str]) -> None:
        self.folder = Path(words[0])
        self.count, self.rcond, self.seconds, self.repetitions = int(words[1]), float(words[2]), float(words[3]), int(words[4])
        distinct = np.load(self.folder / "matrices.npy")
        self.a = np.resize(distinct, (self.count, *distinct.shape[1:]))

    def measure(self, name: str, call: Callable[[], Any], wait: Callable[[Any], None], fetch: Callable[[Any], np.ndarray]) -> None:
        """Samples of `call`; out of memory and the like leave the row out."""
        try:
            x = call()
            wait(x)
            rates = [self.sample(call, wait) for _ in range(self.repetitions)]
            fetch(x)[:N_JUDGED].astype(np.float64).tofile(self.folder / f"{name}.f64")
        except Exception as error:  # whatever a library raises, the others go on
            say(f"{name} of {self.count}: {error}")
            return
        print("row", name, *(repr(rate) for rate in rates), flush=True)

    def sample(self, call: Callable[[], Any], wait: Callable[[Any], None]) -> float:
        n_calls, start, now = 0, time.perf_counter(), 0.0
        while n_calls == 0 or now < self.seconds:
            wait(call())
            n_calls += 1
            now = time.perf_counter() - start
        return n_calls * self.count / now


def say(text: str) -> None:
    first = text.splitlines()[0] if text else ""
    print("says", first[:160], flush=True)


def run_torch(job: Job) -> None:
    import torch

    if not torch.cuda.is_available():
        say(f"torch {torch.__version__} sees no device")
        return
    say(f"torch {torch.__version__}")
    a = torch.from_numpy(job.a).cuda()
    b = torch.eye(a.shape[1], dtype=a.dtype, device=a.device).expand(a.shape[0], -1, -1)

    def wait(_x: object) -> None:
        torch.cuda.synchronize()

    def fetch(x: "torch.Tensor") -> np.ndarray:
        return x[:N_JUDGED].cpu().numpy()

    job.measure("torch.linalg.pinv", lambda: torch.linalg.pinv(a, rtol=job.rcond), wait, fetch)
    # On a device lstsq knows `gels` alone, which takes matrices of full rank.
    job.measure("torch.linalg.lstsq", lambda: torch.linalg.lstsq(a, b).solution, wait, fetch)


def run_cupy(job: Job) -> None:
    import cupy

    if cupy.cuda.runtime.getDeviceCount() < 1:
        say(f"cupy {cupy.__version__} sees no device")
        return
    say(f"cupy {cupy.__version__}")
    a = cupy.asarray(job.a)

    def wait(_x: object) -> None:
        cupy.cuda.get_current_stream().synchronize()

    job.measure("cupy.linalg.pinv", lambda: cupy.linalg.pinv(a, rcond=job.rcond), wait, lambda x: cupy.asnumpy(x[:N_JUDGED]))


def run_jax(job: Job) -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() not in ("gpu", "cuda"):
        say(f"jax {jax.__version__} sees no device")
        return
    say(f"jax {jax.__version__}")
    a = jax.device_put(job.a)
    pinv = jax.jit(lambda matrices: jax.numpy.linalg.pinv(matrices, rtol=job.rcond))
    job.measure("jax.numpy.linalg.pinv", lambda: pinv(a), lambda x: x.block_until_ready(), lambda x: np.asarray(x[:N_JUDGED]))


def main() -> int:
    job = Job(sys.argv[1:6])
    for name, run in (("torch", run_torch), ("cupy", run_cupy), ("jax", run_jax)):
        try:
            run(job)
        except ImportError:
            say(f"{name} is not installed")
        except Exception as error:  # a broken installation is no reason to end the others
            say(f"{name}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

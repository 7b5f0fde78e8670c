"""Environment steps a second of a loop that never leaves the GPU: a policy in PyTorch, and four-bars that are stepped on its
stream.

    python bench/python/device_rollout.py [--envs 65536] [--substeps 10] [--steps 200] [--json rollout.json] [--generic]
                                          [--library lib/libsarrus_whole.so] [--scenario scenarios/four_bar.yaml]

Kernels are compiled for the mechanism, unless --generic asks for those of all mechanisms.

The policy is a linear layer of coordinates and speeds, whose tanh is the torque on the crank; it brakes, so that no crank comes to
turn faster than the steps resolve. An episode is 500 steps, and environments begin anew out of step, or when they have failed, by a
mask on the GPU. It is timed call by call and as one CUDA graph; beside them the same loop by way of the host. "In kernels" is the
share of the time between two events of PyTorch around the steps of the mechanisms.

With --library it needs no package: the C library is called by ctypes, as of a bundle on a machine with another Python.

Gate: after 20 steps a batch that was stepped by calls that wait, with the same torques, has the same bits, or the exit code is 1.
Exit code 4: no PyTorch, no GPU, or a library without CUDA.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import pathlib
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTINGS = {
    "dynamics.formulation": "udwadia-kalaba",
    "forces": "[{name: motor, type: torque, body: crank, value: {input: 0}}]",
    "integrator.t_end": "1000",
    "output.interval": "0.1",
}
FIELDS = {"q": 0, "v": 1, "input": 2, "status": 5}
BACKENDS = {"auto": 0, "cpu": 1, "cuda": 2}
SPECIALIZE = {"off": 0, "auto": 1, "on": 2}
EPISODE = 500  # steps
CRANK_SPEED = 2  # of the speeds of the bodies, the crank's angular one; rad/s


class UnusableError(Exception):
    """Why this machine cannot run it."""


class Options(ctypes.Structure):
    """sarrus_batch_options."""

    _fields_ = [
        ("backend", ctypes.c_int),
        ("isa", ctypes.c_char_p),
        ("n_threads", ctypes.c_int),
        ("keep_rank_events", ctypes.c_int),
        ("specialize", ctypes.c_int),
        ("cache_dir", ctypes.c_char_p),
        ("n_devices", ctypes.c_int),
        ("compiler", ctypes.c_char_p),
        ("stop", ctypes.c_void_p),
        ("first_instance", ctypes.c_uint64),
        ("n_study", ctypes.c_uint64),
        ("needs_all_rows", ctypes.c_int),
        ("cuda_prefixes", ctypes.c_char_p),
    ]


class View(ctypes.Structure):
    """sarrus_device_view."""

    _fields_ = [
        ("base", ctypes.c_void_p),
        ("device", ctypes.c_int),
        ("n_instances", ctypes.c_uint64),
        ("n_tiles", ctypes.c_size_t),
        ("width", ctypes.c_size_t),
        ("stride", ctypes.c_size_t),
        ("n_components", ctypes.c_int),
    ]


class Diagnostic(ctypes.Structure):
    """sarrus_diagnostic, as far as its message."""

    _fields_ = [
        ("severity", ctypes.c_int),
        ("status", ctypes.c_int),
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_int),
        ("column", ctypes.c_int),
        ("message", ctypes.c_char_p),
    ]


class Plain:
    """What is needed of `sarrus.Batch`, by ctypes on the C library. It is not destroyed: the process ends first."""

    def __init__(
        self, library: str, scenario: str, n: int, backend: str = "cuda", specialize: str = "off", cache: str | None = None
    ) -> None:
        self.c = ctypes.CDLL(library)
        self.c.sarrus_context_diagnostic.restype = ctypes.c_void_p
        self.c.sarrus_batch_refusal.restype = self.c.sarrus_batch_failure.restype = ctypes.c_char_p
        self.c.sarrus_batch_device_name.restype = ctypes.c_char_p
        self.n, self._batch, self._context = n, ctypes.c_void_p(), ctypes.c_void_p()
        model, plan = ctypes.c_void_p(), ctypes.c_void_p()
        texts = [word.encode() for pair in SETTINGS.items() for word in pair]
        settings = (ctypes.c_char_p * len(texts))(*texts)  # sarrus_override is two texts
        options = Options(backend=BACKENDS[backend], n_devices=1, specialize=SPECIALIZE[specialize])
        options.cache_dir = cache.encode() if cache else None
        self._check(self.c.sarrus_context_create(ctypes.byref(self._context)))
        path, count = scenario.encode(), ctypes.c_size_t(len(SETTINGS))
        self._check(self.c.sarrus_scenario_read_file(self._context, path, settings, count, ctypes.byref(model)))
        self._check(self.c.sarrus_plan_create(self._context, model, ctypes.byref(plan)))
        made = self.c.sarrus_batch_create(
            self._context, plan, ctypes.byref(options), ctypes.c_uint64(n), None, ctypes.byref(self._batch)
        )
        self._check(made)
        self.device = self.c.sarrus_batch_device_name(self._batch).decode()

    def advance_async(self, k: int, stream: int) -> None:
        self._check(self.c.sarrus_batch_advance_async(self._batch, ctypes.c_uint64(k), ctypes.c_void_p(stream)))

    def reset_async(self, mask: Any, stream: int) -> None:
        place = ctypes.c_void_p(mask.__cuda_array_interface__["data"][0])
        self._check(self.c.sarrus_batch_reset_some_async(self._batch, place, ctypes.c_void_p(stream)))

    def advance(self, k: int) -> None:
        self._check(self.c.sarrus_batch_advance(self._batch, ctypes.c_uint64(k)))

    def device_view(self, field: str) -> Any:
        view = View()
        self._check(self.c.sarrus_batch_device_view(self._batch, FIELDS[field], ctypes.byref(view)))
        interface = {
            "shape": (view.n_tiles, view.n_components, view.width),
            "typestr": "<f8",
            "data": (view.base, False),
            "strides": (8 * view.stride, 8 * view.width, 8),
            "version": 3,
        }
        return SimpleNamespace(__cuda_array_interface__=interface)

    def read(self, field: str, room: Any) -> None:
        """Into a contiguous array of doubles [n, width] on the host, of anything that has `data_ptr`."""
        self._check(self.c.sarrus_batch_copy_out(self._batch, FIELDS[field], ctypes.c_void_p(room.data_ptr())))

    def write(self, field: str, room: Any) -> None:
        self._check(self.c.sarrus_batch_copy_in(self._batch, FIELDS[field], None, ctypes.c_void_p(room.data_ptr())))

    def _check(self, status: int) -> None:
        if status == 0:
            return
        told = [self.c.sarrus_batch_refusal(self._batch), self.c.sarrus_batch_failure(self._batch)] if self._batch else []
        first = self.c.sarrus_context_diagnostic(self._context, 0)
        words = [text.decode() for text in told if text] or [self._message(first)]
        raise UnusableError(f"{words[-1]} (status {status})")

    @staticmethod
    def _message(diagnostic: int | None) -> str:
        if not diagnostic:
            return "the library has refused"
        return Diagnostic.from_address(diagnostic).message.decode()


class Packaged:
    """The same by the package."""

    def __init__(self, scenario: str, n: int, specialize: str) -> None:
        try:
            import sarrus
        except ModuleNotFoundError as error:
            raise UnusableError(f"there is no package sarrus ({error}); expected --library") from None
        try:
            self.batch = sarrus.Batch(scenario, n, settings=SETTINGS, backend="cuda", specialize=specialize)
        except sarrus.Error as error:
            raise UnusableError(str(error)) from None
        self.n, self.device = n, self.batch.device
        self.advance_async, self.reset_async = self.batch.advance_async, self.batch.reset_async
        self.advance, self.device_view = self.batch.advance, self.batch.device_view

    def read(self, field: str, room: Any) -> None:
        self.batch.read(field, room.numpy())

    def write(self, field: str, room: Any) -> None:
        self.batch.write(field, room.numpy())


def cache_folder() -> str:
    """Where the program keeps compiled kernels, made when missing."""
    home = os.environ.get("XDG_CACHE_HOME", str(pathlib.Path.home() / ".cache"))
    folder = pathlib.Path(os.environ.get("SARRUS_CACHE_DIR", str(pathlib.Path(home) / "sarrus")))
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def torch_with_gpu() -> Any:
    try:
        import torch
    except ModuleNotFoundError:
        raise UnusableError("there is no PyTorch here; expected one with CUDA") from None
    if not torch.cuda.is_available():
        raise UnusableError("PyTorch finds no CUDA device here")
    return torch


class Loop:
    """Policy, torque, steps, and who begins anew; all of it on the current stream of PyTorch."""

    def __init__(self, torch: Any, simulation: Any, substeps: int) -> None:
        self.torch, self.simulation, self.substeps = torch, simulation, substeps
        q, v, u, status = (simulation.device_view(name) for name in ("q", "v", "input", "status"))
        self.q, self.v, self.u, self.status = (torch.as_tensor(view, device="cuda") for view in (q, v, u, status))
        generator = torch.Generator(device="cuda").manual_seed(3)
        n_seen = self.q.shape[1] + self.v.shape[1]
        self.weights = 0.3 * torch.randn(1, n_seen, device="cuda", generator=generator)
        self.weights[0, self.q.shape[1] + CRANK_SPEED] = -0.5
        self.bias = torch.zeros(1, 1, device="cuda")
        self.age = torch.randint(0, EPISODE, (simulation.n,), device="cuda", generator=generator)
        self.mask = torch.zeros(simulation.n, dtype=torch.bool, device="cuda")
        self.events: list[tuple[Any, Any]] = []
        self.is_timed = False

    def act(self, q: Any, v: Any) -> Any:
        """Torques [tiles, 1, 32] of coordinates and speeds [tiles, width, 32]."""
        return self.torch.tanh(self.weights @ self.torch.cat((q, v), 1).float() + self.bias).double()

    def step(self) -> None:
        stream = self.torch.cuda.current_stream().cuda_stream
        self.u.copy_(self.act(self.q, self.v))
        if self.is_timed:
            began, ended = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            began.record()
        self.simulation.advance_async(self.substeps, stream)
        if self.is_timed:
            ended.record()
            self.events.append((began, ended))
        self.age += 1
        has_failed = self.status.transpose(1, 2).reshape(-1)[: self.simulation.n] != 0
        self.torch.logical_or(self.age >= EPISODE, has_failed, out=self.mask)
        self.age.masked_fill_(self.mask, 0)
        self.simulation.reset_async(self.mask, stream)


def seconds_of(torch: Any, n_steps: int, step: Callable[[], None]) -> float:
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(n_steps):
        step()
    torch.cuda.synchronize()
    return time.perf_counter() - began


def rows_of(tiles: Any, n: int) -> Any:
    """[tiles, width, 32] as [n, width], a copy."""
    return tiles.transpose(1, 2).reshape(-1, tiles.shape[1])[:n]


def gate(torch: Any, make: Callable[[int], Any], substeps: int) -> bool:
    n = 1000
    ours, theirs = make(n), make(n)
    loop = Loop(torch, ours, substeps)
    loop.age.zero_()
    for _ in range(20):
        loop.step()
        theirs.write("input", rows_of(loop.u, n).cpu().contiguous())
        theirs.advance(substeps)
    states = []
    for one in (ours, theirs):
        for field, width in (("q", loop.q.shape[1]), ("v", loop.v.shape[1])):
            states.append(torch.empty(n, width, dtype=torch.float64))
            one.read(field, states[-1])
    return torch.equal(states[0], states[2]) and torch.equal(states[1], states[3])


def by_the_host(torch: Any, simulation: Any, loop: Loop, n_steps: int) -> float:
    """Seconds of a step with the loop's policy, without restarts, whose states and torques go through the host's memory."""
    q, v = (torch.empty(simulation.n, own.shape[1], dtype=torch.float64) for own in (loop.q, loop.v))

    def step() -> None:
        simulation.read("q", q)
        simulation.read("v", v)
        torques = loop.act(q.cuda().T[None], v.cuda().T[None])
        simulation.write("input", torques[0].T.cpu().contiguous())
        simulation.advance(loop.substeps)

    step()
    return seconds_of(torch, n_steps, step) / n_steps


def measured(torch: Any, make: Callable[[int], Any], options: argparse.Namespace) -> dict[str, Any]:
    loop = Loop(torch, make(options.envs), options.substeps)
    for _ in range(5):
        loop.step()
    queued = seconds_of(torch, options.steps, loop.step) / options.steps
    loop.is_timed = True
    whole = seconds_of(torch, options.steps, loop.step)
    kernels = sum(began.elapsed_time(ended) for began, ended in loop.events) * 1e-3
    loop.is_timed = False
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loop.step()
    captured = seconds_of(torch, options.steps, graph.replay) / options.steps
    n_failed = int((rows_of(loop.status, options.envs) != 0).sum())
    host = by_the_host(torch, make(options.envs), loop, max(options.steps // 20, 3))
    rates = {"queued": queued, "graph": captured, "by the host": host}
    return {
        "device": loop.simulation.device,
        "torch": torch.__version__,
        "environments": options.envs,
        "substeps": options.substeps,
        "kernels": "generic" if options.generic else "for the plan",
        "environment_steps_per_second": {name: options.envs / seconds for name, seconds in rates.items()},
        "seconds_per_step": rates,
        "share_in_kernels": kernels / whole,
        "failed_at_the_end": n_failed,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=65536)
    parser.add_argument("--substeps", type=int, default=10)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--scenario", default=str(ROOT / "scenarios" / "four_bar.yaml"))
    parser.add_argument("--library", help="the C library, called by ctypes in the place of the package")
    parser.add_argument("--generic", action="store_true", help="the kernels of all mechanisms")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    specialize, cache = "off" if options.generic else "on", cache_folder()

    def make(n: int) -> Any:
        if options.library:
            return Plain(options.library, options.scenario, n, specialize=specialize, cache=cache)
        return Packaged(options.scenario, n, specialize)

    try:
        torch = torch_with_gpu()
        is_good = gate(torch, make, options.substeps)
        found = measured(torch, make, options) | {"gate": is_good}
    except UnusableError as error:
        print(f"device_rollout: {error}", file=sys.stderr)
        return 4
    print(f"{found['device']}, {options.envs} environments, {options.substeps} substeps")
    for name, rate in found["environment_steps_per_second"].items():
        print(f"{name:12} {rate:14,.0f} environment steps/s  {1e3 * found['seconds_per_step'][name]:8.3f} ms a step")
    print(f"in kernels   {found['share_in_kernels']:14.1%}")
    print(f"gate         {'ok' if is_good else 'FAILED':>14}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())

"""A policy and four-bars that never leave the GPU: PyTorch works on the tiles in place, JAX on compact copies that lie beside them.

    python python/examples/gpu_policy.py torch|jax [--envs 65536] [--steps 100]

Needs a GPU, and PyTorch, or JAX with CuPy.
"""

from __future__ import annotations

import argparse
from typing import Any

import sarrus

SETTINGS = {
    "dynamics.formulation": "udwadia-kalaba",
    "forces": [{"name": "motor", "type": "torque", "body": "crank", "value": {"input": 0}}],
}


def by_torch(batch: sarrus.Batch, n_steps: int) -> Any:
    import torch

    q, v, u, status = (torch.as_tensor(batch.device_view(name), device="cuda") for name in ("q", "v", "input", "status"))
    weights = 0.3 * torch.randn(1, q.shape[1] + v.shape[1], device="cuda", dtype=torch.float64)

    def step() -> None:
        stream = torch.cuda.current_stream()
        u.copy_(torch.tanh(weights @ torch.cat((q, v), 1)))  # [tiles, 1, 32] N m
        batch.advance_async(10, stream)
        failed = status.transpose(1, 2).reshape(-1)[: batch.n] != 0
        batch.reset_async(failed, stream)

    step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # the second step and all others: one launch each
        step()
    for _ in range(n_steps - 1):
        graph.replay()
    return q.transpose(1, 2).reshape(-1, q.shape[1])[: batch.n]


def by_jax(batch: sarrus.Batch, n_steps: int) -> Any:
    import cupy
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    n_tiles = -(-batch.n // 32)
    n_q, n_v = len(batch.model.coordinates), len(batch.model.speeds)
    q, v = (cupy.empty((n_tiles, n, 32)) for n in (n_q, n_v))
    weights = 0.3 * jax.random.normal(jax.random.key(3), (1, n_q + n_v), dtype=jnp.float64)

    @jax.jit
    def policy(q: Any, v: Any) -> Any:
        return jnp.tanh(weights @ jnp.concatenate((q, v), 1))

    for _ in range(n_steps):
        stream = cupy.cuda.get_current_stream()
        batch.observe_async("q", q, stream)
        batch.observe_async("v", v, stream)
        stream.synchronize()  # JAX has streams of its own
        torque = policy(jax.dlpack.from_dlpack(q), jax.dlpack.from_dlpack(v)).block_until_ready()
        batch.write_async("input", torque, stream)
        batch.advance_async(10, stream)
        stream.synchronize()  # before the torque goes
    return q


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=("torch", "jax"))
    parser.add_argument("--envs", type=int, default=65536)
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    batch = sarrus.Batch("scenarios/four_bar.yaml", options.envs, settings=SETTINGS, backend="cuda")
    seen = (by_torch if options.library == "torch" else by_jax)(batch, options.steps)
    print(f"{type(seen).__name__} {tuple(seen.shape)}; {batch.time[0]:.2f} s; {batch}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The five-bar parallelogram and Andrews' mechanism on a GPU: MJX (JAX) and MuJoCo Warp beside `sarrus run --backend cuda`.

The models are those of mujoco_five_bar.py and mujoco_andrews.py, loops closed by `connect` constraints. Many worlds start alike and
are stepped without a look in between; the clock is read when the device has finished. The loop violation is that of the states on
the way, of a few worlds.

Rates are compared at matched violation: Sarrus runs with a ladder of steps, and against each peer stands the fastest rung whose
violation is not above the peer's. What is compared is simulated time, instance-seconds a second, since steps differ.

Exit code 4 when no engine could be run at all; each one that is left out is named with the reason.
"""

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

NOTHING_RAN = 4
LADDER = (1.0, 2.0, 5.0, 10.0, 20.0)
N_LOOKED_AT = 8
N_LOOKS = 10


@dataclass
class Row:
    """Rates in instance-seconds of motion a second, one a repetition; the largest loop violation, m."""

    engine: str
    label: str
    dt: float
    worlds: int
    rates: list[float] = field(default_factory=list)
    violation: float = float("nan")

    @property
    def rate(self) -> float:
        return statistics.median(self.rates) if self.rates else float("nan")


class MissingError(Exception):
    """What is needed and not there."""


def load(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingError(f"the package {name} cannot be imported ({error})") from error


def measure(row: Row, run: Callable[[], None], seconds_of_motion: float, repetitions: int) -> None:
    run()  # compiles
    for _ in range(repetitions):
        begin = time.perf_counter()
        run()
        row.rates.append(row.worlds * seconds_of_motion / (time.perf_counter() - begin))


def violation_of(side: Any, mechanism: Any, model: Any, qpos: Any) -> float:
    """qpos [looks, worlds, nq]."""
    mujoco = load("mujoco")
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) for i in range(model.njnt)]
    return float(side.motion(mechanism, names, qpos)[1].max())


def run_mjx(side: Any, mechanism: Any, model: Any, row: Row, options: argparse.Namespace) -> None:
    jax, mjx, numpy = load("jax"), load("mujoco.mjx"), load("numpy")
    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() not in ("gpu", "cuda"):
        raise MissingError(f"jax {jax.__version__} sees no GPU")
    mjx_model = mjx.put_model(model, impl="jax")
    one = mjx.make_data(mjx_model)
    many = jax.vmap(lambda _: one)(jax.numpy.arange(row.worlds))

    @jax.jit
    def advance(data: Any) -> Any:
        def body(state: Any, _: None) -> tuple[Any, None]:
            after = jax.vmap(mjx.step, in_axes=(None, 0))(mjx_model, state)
            # A step widens some integers of the state, a scan wants them as they were.
            return jax.tree.map(lambda new, old: new.astype(old.dtype), after, state), None

        return jax.lax.scan(body, data, None, length=options.steps)[0]

    measure(row, lambda: jax.block_until_ready(advance(many).qpos), options.steps * row.dt, options.repetitions)
    looks, data = [], many
    for _ in range(N_LOOKS):
        data = advance(data)
        looks.append(numpy.asarray(data.qpos[:N_LOOKED_AT]))
    row.violation = violation_of(side, mechanism, model, numpy.stack(looks))


def run_warp(side: Any, mechanism: Any, model: Any, row: Row, options: argparse.Namespace) -> None:
    warp, mujoco_warp, mujoco, numpy = load("warp"), load("mujoco_warp"), load("mujoco"), load("numpy")
    warp.config.log_level = warp.LOG_WARNING  # it reports on standard output
    warp.init()
    if not warp.is_cuda_available():
        raise MissingError(f"warp {warp.__version__} sees no GPU")
    # Of its 64 rows a world needs three a `connect`. It drops the last of them silently unless there is one row more (3.17.0).
    n_rows = 3 * model.neq + 1
    device_model = mujoco_warp.put_model(model)
    # In single precision the iterations run out, and each world would print so in the timed loop.
    device_model.opt.warn_overflow &= ~int(mujoco_warp.OverflowType.ITERATIONS | mujoco_warp.OverflowType.LS_ITERATIONS)
    data = mujoco_warp.put_data(model, mujoco.MjData(model), nworld=row.worlds, nconmax=0, njmax=n_rows)
    mujoco_warp.step(device_model, data)  # compiles
    with warp.ScopedCapture() as capture:
        mujoco_warp.step(device_model, data)

    def run() -> None:
        for _ in range(options.steps):
            warp.capture_launch(capture.graph)
        warp.synchronize()

    measure(row, run, options.steps * row.dt, options.repetitions)
    mujoco_warp.reset_data(device_model, data)
    looks = []
    for _ in range(N_LOOKS):
        run()
        looks.append(data.qpos.numpy()[:N_LOOKED_AT].astype(float))
    row.violation = violation_of(side, mechanism, model, numpy.stack(looks))


ENGINES = {"MJX": run_mjx, "MuJoCo Warp": run_warp}
MECHANISMS = {"five_bar": ("mujoco_five_bar", "FIVE_BAR"), "andrews": ("mujoco_andrews", "ANDREWS")}


def run_peers(mechanism: Any, options: argparse.Namespace, notes: list[str]) -> list[Row]:
    """The variants of side_by_side.py that step by RK4."""
    side, mujoco = load("side_by_side"), load("mujoco")
    rows = []
    for engine, run in ENGINES.items():
        for variant in (v for v in side.VARIANTS if v.integrator == "RK4" and options.variant in v.label):
            row = Row(engine, variant.label, mechanism.dt, options.worlds)
            try:
                run(side, mechanism, mujoco.MjModel.from_xml_string(side.mechanism_xml(mechanism, variant)), row, options)
            except MissingError as error:
                notes.append(f"{engine}: {error}")
                break
            except Exception as error:  # of the engine: what it cannot do is not ours to guess
                notes.append(f"{engine}, {variant.label}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
                continue
            rows.append(row)
    return rows


def run_sarrus(mechanism: Any, options: argparse.Namespace, notes: list[str]) -> list[Row]:
    """The ladder. The file is kept small: first and last states."""
    scenario = Path(__file__).resolve().parents[2] / "scenarios" / mechanism.scenario
    rows = []
    for rung in LADDER:
        dt = rung * mechanism.dt
        t_end = options.steps * N_LOOKS * mechanism.dt
        row = Row("Sarrus", f"RK4, {rung:g} dt", dt, options.worlds)
        for _ in range(options.repetitions):
            with tempfile.TemporaryDirectory() as folder:
                command = [options.sarrus, "run", str(scenario), "--backend", "cuda", "--quiet", "--json", "--specialize", "on"]
                command += ["--instances", str(options.worlds), "-o", str(Path(folder) / "many.h5")]
                command += ["--set", f"integrator.dt={dt!r}", "--set", f"integrator.t_end={t_end!r}"]
                command += ["--set", f"output.interval={t_end!r}", "--set", "dynamics.projection=none"]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1) or not done.stdout.strip():
                notes.append(f"Sarrus: exit code {done.returncode}: {done.stderr.strip().splitlines()[0] if done.stderr else ''}")
                return rows
            summary = json.loads(done.stdout)
            if summary["n_failed"] == 0:
                row.rates.append(options.worlds * t_end / summary["integrate_seconds"])
                row.violation = summary["max_position_error"]
        if row.rates:
            rows.append(row)
    return rows


def matched(peer: Row, ladder: list[Row]) -> Row | None:
    fit = [row for row in ladder if row.violation <= peer.violation]
    return max(fit, key=lambda row: row.rate) if fit else None


def report(name: str, peers: list[Row], ladder: list[Row]) -> dict[str, Any]:
    comparison = []
    for peer in peers:
        own = matched(peer, ladder)
        ratio = own.rate / peer.rate if own else None
        comparison.append({"engine": peer.engine, "label": peer.label, "sarrus": own.label if own else None, "ratio": ratio})
    rows = [{**asdict(row), "instance_seconds_per_second": row.rate} for row in (*peers, *ladder)]
    return {"mechanism": name, "rows": rows, "comparison": comparison}


def print_report(found: dict[str, Any]) -> None:
    print(f"\n{found['mechanism']}\n{'':58s} {'dt, s':>9s} {'worlds':>8s} {'motion s/s':>11s} {'violation, m':>13s}")
    for row in found["rows"]:
        label = f"{row['engine']}: {row['label']}"
        rate = row["instance_seconds_per_second"]
        print(f"{label:58s} {row['dt']:9.1e} {row['worlds']:8d} {rate:11.4g} {row['violation']:13.1e}")
    for entry in found["comparison"]:
        against = f"{entry['ratio']:.1f} times by Sarrus with {entry['sarrus']}" if entry["ratio"] else "no rung of Sarrus's ladder"
        print(f"at the violation of {entry['engine']}, {entry['label']}: {against}")


def find_program() -> str:
    root = Path(__file__).resolve().parents[2]
    for candidate in (root / "build" / "release" / "sarrus", root / "build" / "sarrus", root / "bin" / "sarrus"):
        if candidate.is_file():
            return str(candidate)
    return "sarrus"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="MJX and MuJoCo Warp beside Sarrus on a GPU, at matched loop violation")
    parser.add_argument("--sarrus", default=find_program(), help="the program (default: of the build folder, else on the PATH)")
    parser.add_argument("--no-sarrus", action="store_true", help="measure the peers only")
    parser.add_argument("--worlds", type=int, default=8192)
    parser.add_argument("--steps", type=int, default=100, help="of a timed call")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--mechanism", choices=list(MECHANISMS), help="this one alone")
    parser.add_argument("--variant", default="", metavar="TEXT", help="only variants of the peers whose label has TEXT")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    return parser.parse_args()


def main() -> int:
    options, notes, found = parse_arguments(), [], []
    n_rows = 0
    for key in [options.mechanism] if options.mechanism else list(MECHANISMS):
        module, name = MECHANISMS[key]
        try:
            mechanism = getattr(load(module), name)
            peers = run_peers(mechanism, options, notes)
        except MissingError as error:
            notes.append(str(error))
            break
        ladder = [] if options.no_sarrus else run_sarrus(mechanism, options, notes)
        n_rows += len(peers)
        found.append(report(mechanism.name, peers, ladder))
    if options.json:
        json.dump({"left_out": notes, "mechanisms": found}, sys.stdout, indent=1)
        print()
    else:
        for entry in found:
            print_report(entry)
        for note in notes:
            print(f"left out: {note}")
    if n_rows == 0:
        print("gpu_rollout: no peer could be run", file=sys.stderr)
        return NOTHING_RAN
    return 0


if __name__ == "__main__":
    sys.exit(main())

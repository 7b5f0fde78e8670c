"""The measurements of spatial.py: what runs against what, on which mechanism, and the tables of what was found."""

import argparse
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import mujoco
import numpy as np
from linkage import Linkage, chain, gaps, moving, read
from linkage_check import DisagreementError, accelerations_agree, loops_agree, motions_agree
from linkage_mujoco import TREE, MujocoSide
from linkage_pinocchio import CONVENTIONS, FLAGS, PinocchioModel, PinocchioSide, build
from linkage_sarrus import Program, SarrusSide, Setting, motion
from side_by_side import VARIANTS

DT = 1e-3
ARM_STEPS, LOOP_STEPS, CHAIN_STEPS, ALONE_STEPS = 200, 500, 50, 10000
CHAIN_SIZES = (2, 4, 8, 16, 32, 64, 128)
MUJOCO = tuple(replace(variant, label=f"MuJoCo, {variant.label}") for variant in VARIANTS[:4])
# Springs in the place of drives: N/m and N s/m of the platform's legs, N m/rad and N m s/rad of the robot's shoulders.
LOOPS = {
    "stewart_platform.yaml": {"stiffness": 2000.0, "damping": 20.0},
    "delta_robot.yaml": {"stiffness": 20.0, "damping": 0.2},
    "spatial_four_bar.yaml": None,
}
TREE_SETTINGS = (
    Setting("Sarrus, relative", "relative"),
    Setting("Sarrus, relative, specialized", "relative", "on"),
    Setting("Sarrus, udwadia-kalaba", "udwadia-kalaba"),
    Setting("Sarrus, udwadia-kalaba, specialized", "udwadia-kalaba", "on"),
)
CHAIN_SETTINGS = TREE_SETTINGS[:3]
CHAIN_COLUMNS = (*(setting.label for setting in CHAIN_SETTINGS), "MuJoCo, RK4")
LOOP_SETTINGS = (
    *TREE_SETTINGS,
    Setting("Sarrus, relative, not projected", "relative", "off", "none"),
    Setting("Sarrus, relative, not projected, specialized", "relative", "on", "none"),
)


class Bench:
    def __init__(self, arguments: argparse.Namespace, root: Path, program: Program):
        self.arguments, self.root, self.program = arguments, root, program

    @cached_property
    def pinocchio(self) -> Path:
        """Compiled where it is needed first: loops do without it."""
        return build(self.arguments.compiler, self.root / "build" / "peers")

    def turns(self, sides: list) -> list:
        """Measures all sides in turns, and leaves out those that are not to be had, which say why in their `note`."""
        for side in sides:
            side.warm_up(self.arguments.seconds)
        able = [side for side in sides if not getattr(side, "note", "")]
        for _ in range(self.arguments.repetitions):
            for side in able:
                side.measure()
        return able


def row(side) -> dict:
    spread = (max(side.rates) - min(side.rates)) / statistics.median(side.rates)
    rates = {"rate": statistics.median(side.rates), "spread": spread, "clock_rate": statistics.median(side.clock_rates)}
    return {"label": side.label, **rates, "rates": side.rates}


def left_out(sides: list) -> list[dict]:
    return [{"label": side.label, "why": side.note} for side in sides if getattr(side, "note", "")]


def ratio(side, other, scale: float = 1.0) -> float:
    """The median of the repetitions' own ratios: both rates of each saw the same machine."""
    return statistics.median(scale * a / b for a, b in zip(side.rates, other.rates, strict=True))


def fastest(sides: list, beginning: str) -> object:
    return max((side for side in sides if side.label.startswith(beginning)), key=lambda side: statistics.median(side.rates))


def print_head(text: str, checks: dict) -> None:
    print(f"\n{text}")
    print("  agreement: " + ", ".join(f"{who} {off:.1e}" for who, off in checks.items()), flush=True)


# The arm


def measure_arm(bench: Bench) -> dict:
    linkage = read(bench.root / "scenarios" / "arm_7r.yaml")
    checks = accelerations_agree(bench.program, bench.pinocchio, linkage, 4, ("relative", "udwadia-kalaba"))
    checks |= {f"{who}, 100 steps": off for who, off in motions_agree(bench.program, bench.pinocchio, linkage, DT, 100).items()}
    print_head(linkage.name, checks)
    if bench.arguments.check:
        return {"name": linkage.name, "checks": checks}
    file = bench.program.folder / "arm.txt"
    draw = np.random.default_rng(2)
    n = len(linkage.tree)
    states = [(draw.uniform(-0.8, 0.8, n), draw.uniform(-1.0, 1.0, n)) for _ in range(64)]
    model = PinocchioModel(bench.pinocchio, linkage, file, states)
    sides = [SarrusSide(bench.program, linkage, setting, DT, ARM_STEPS) for setting in TREE_SETTINGS]
    alone = Setting("Sarrus, relative, one instance", "relative")
    sides.append(SarrusSide(bench.program, linkage, alone, DT, ALONE_STEPS, n_instances=1))
    sides.append(MujocoSide("MuJoCo, RK4", linkage, TREE, DT, ARM_STEPS))
    sides += [PinocchioSide(f"Pinocchio, RK4 by aba, {by}", model, "rk4", by) for by in CONVENTIONS]
    accelerating = [PinocchioSide(f"Pinocchio, aba alone, {by}", model, "aba", by) for by in CONVENTIONS]
    able = bench.turns([*sides, *accelerating])
    best = {
        "MuJoCo": (fastest(able, "MuJoCo"), 1.0),
        "Pinocchio, RK4": (fastest(able, "Pinocchio, RK4"), 1.0),
        # A step has four accelerations.
        "Pinocchio, aba": (fastest(able, "Pinocchio, aba"), 4.0),
    }
    ours = [side for side in able if side.label.startswith("Sarrus")]
    ratios = {side.label: {who: ratio(side, peer, scale) for who, (peer, scale) in best.items()} for side in ours}
    print(f"  {'':42s} {'steps/s':>10s} {'spread':>7s}")
    for side in able:
        found = row(side)
        unit = "  accelerations/s" if side in accelerating else ""
        against = "".join(f"  {value:6.2f} x {who}" for who, value in ratios.get(side.label, {}).items())
        print(f"  {side.label:42s} {found['rate']:10.0f} {found['spread']:6.0%}{unit}{against}")
    return {"name": linkage.name, "checks": checks, "rows": [row(s) for s in able], "left_out": left_out(sides), "ratios": ratios}


# Loops


def quality(linkage: Linkage, found: tuple, reference: np.ndarray) -> dict:
    """The widest gap of the cut joints, m, and the largest error of a centre of mass, m, of all steps."""
    positions, rotations = found
    return {
        "violation": float(gaps(linkage, positions, rotations).max()),
        "error": float(np.linalg.norm(positions - reference, axis=-1).max()),
    }


def qualities(bench: Bench, linkage: Linkage, sides: list) -> dict:
    """By label. The motion that they are held against is Sarrus' own by an adaptive method of order 6, in absolute coordinates."""
    t_end = DT * LOOP_STEPS
    tight = {"method": "verner65", "rtol": 1e-12, "atol": 1e-14, "t_end": t_end}
    reference = motion(bench.program, linkage, TREE_SETTINGS[2], tight, DT)[1][0][1:]
    found = {}
    for side in sides:
        if isinstance(side, MujocoSide):
            try:
                found[side.label] = quality(linkage, side.held.run(LOOP_STEPS), reference)
            except FloatingPointError as error:
                found[side.label] = {"failure": str(error)}
            continue
        steps = {"method": "rk4", "dt": DT, "t_end": t_end}
        summary, (positions, rotations, _, _) = motion(bench.program, linkage, side.setting, steps, DT)
        found[side.label] = quality(linkage, (positions[1:], rotations[1:]), reference)
        found[side.label]["all_rows"] = summary["max_position_error"]
    return found


def assembled(bench: Bench, linkage: Linkage) -> Linkage:
    """With the speeds that Sarrus makes of those given, which need not fit the joints."""
    start = {"method": "rk4", "dt": DT, "t_end": DT}
    _, (_, _, velocities, spins) = motion(bench.program, linkage, TREE_SETTINGS[2], start, DT)
    return moving(linkage, velocities[0], spins[0])


def measure_loop(bench: Bench, file: str, released: dict | None) -> dict:
    linkage = read(bench.root / "scenarios" / file, released)
    checks = loops_agree(bench.program, linkage)
    print_head(f"{linkage.name}{', springs in the place of its drives' if released else ''}", checks)
    if bench.arguments.check:
        return {"name": linkage.name, "checks": checks}
    if any(body.velocity.any() or body.spin.any() for body in linkage.bodies):
        linkage = assembled(bench, linkage)
    sides = [SarrusSide(bench.program, linkage, setting, DT, LOOP_STEPS) for setting in LOOP_SETTINGS]
    sides += [MujocoSide(variant.label, linkage, variant, DT, LOOP_STEPS) for variant in MUJOCO]
    found = qualities(bench, linkage, sides)
    sides = [side for side in sides if "failure" not in found[side.label]]
    able = bench.turns(sides)
    rival = fastest(able, "MuJoCo")
    closest = min((s for s in able if s.label.startswith("MuJoCo")), key=lambda side: found[side.label]["violation"])
    ratios = {side.label: {"fastest": ratio(side, rival), "closest": ratio(side, closest)} for side in able}
    print(f"  {'':58s} {'steps/s':>9s} {'spread':>7s} {'violation, m':>13s} {'error, m':>9s} {'ratio':>7s}")
    for side in able:
        one, seen = row(side), found[side.label]
        figures = f"{one['rate']:9.0f} {one['spread']:6.0%} {seen['violation']:13.1e} {seen['error']:9.1e}"
        print(f"  {side.label:58s} {figures} {ratios[side.label]['fastest']:7.2f}")
    rows = [{**row(side), **found[side.label]} for side in able]
    best = {"fastest_peer": rival.label, "closest_peer": closest.label}
    return {"name": linkage.name, "checks": checks, "rows": rows, "left_out": left_out(sides), **best, "ratios": ratios}


# Chains


def measure_chain(bench: Bench, n: int, is_planar: bool) -> dict:
    linkage = chain(n, is_planar)
    formulations = ("relative", "udwadia-kalaba") if n <= 16 else ("relative",)
    checks = accelerations_agree(bench.program, bench.pinocchio, linkage, 1, formulations)
    if bench.arguments.check:
        print_head(linkage.name, checks)
        return {"n": n, "checks": checks}
    model = PinocchioModel(bench.pinocchio, linkage, bench.program.folder / "chain.txt")
    sides = [SarrusSide(bench.program, linkage, setting, DT, CHAIN_STEPS, n_instances=16) for setting in CHAIN_SETTINGS]
    sides.append(MujocoSide("MuJoCo, RK4", linkage, TREE, DT, CHAIN_STEPS))
    sides += [PinocchioSide(f"Pinocchio, RK4 by aba, {by}", model, "rk4", by) for by in CONVENTIONS]
    able = bench.turns(sides)
    groups = {name: fastest(able, name) for name in ("Sarrus, relative", "Sarrus, udwadia-kalaba", "MuJoCo", "Pinocchio")}
    cells = {side.label: 1e9 / statistics.median(side.rates) / n for side in able}
    best = groups["Sarrus, relative"]
    ratios = {name: ratio(best, side) for name, side in groups.items() if side is not best}
    line = " ".join(f"{cells[label]:9.1f}" if label in cells else "        -" for label in CHAIN_COLUMNS)
    pinocchio = cells[groups["Pinocchio"].label]
    print(f"  {n:4d} {line} {pinocchio:9.1f} {ratios['MuJoCo']:9.2f} {ratios['Pinocchio']:9.2f}", flush=True)
    rows = [{**row(side), "ns_a_step_and_body": cells[side.label]} for side in able]
    return {"n": n, "checks": checks, "rows": rows, "left_out": left_out(sides), "ratios_of_relative": ratios}


def print_chain_head(kind: str) -> None:
    print(f"\n{kind} chains: ns a step (RK4) and body; Sarrus' best in relative coordinates against the best of the others")
    heads = ("relative", "specialzd", "absolute", "MuJoCo", "Pinocchio", "x MuJoCo", "x Pinoc.")
    print("  " + " ".join(["   n", *(f"{head:>9s}" for head in heads)]), flush=True)


def processor() -> str:
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return next((line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name")), platform.machine())


def head(arguments: argparse.Namespace) -> dict:
    def first_line(*command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]

    return {
        "benchmark": "spatial peers",
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": processor(),
        "n_processors": os.cpu_count(),
        "sarrus": first_line(arguments.sarrus, "--version"),
        "mujoco": mujoco.__version__,
        "pinocchio": importlib.metadata.version("pin"),
        "compiler": first_line(arguments.compiler, "--version"),
        "flags": " ".join(FLAGS),
        "dt": DT,
        "repetitions": arguments.repetitions,
        "rates": "medians, of the processor's time; clock_rate by the clock",
    }


def measure(bench: Bench, report: dict) -> None:
    """Fills the report, and writes it after every mechanism: what was measured is not to be lost."""
    parts = bench.arguments.parts

    def keep() -> None:
        report["load_at_end"] = os.getloadavg()
        if bench.arguments.output:
            bench.arguments.output.write_text(json.dumps(report, indent=1) + "\n")

    if "arm" in parts:
        report["arm"] = measure_arm(bench)
        keep()
    if "loops" in parts:
        report["loops"] = []
        for file, released in LOOPS.items():
            report["loops"].append(measure_loop(bench, file, released))
            keep()
    if "chains" in parts:
        report["chains"] = {"planar": [], "spatial": []}
        for kind, found in report["chains"].items():
            print_chain_head(kind)
            for n in CHAIN_SIZES:
                if n <= bench.arguments.longest:
                    found.append(measure_chain(bench, n, kind == "planar"))
                    keep()


def main(arguments: argparse.Namespace, root: Path) -> int:
    report = {**head(arguments), "load_at_start": os.getloadavg()}
    said = f"MuJoCo {report['mujoco']}, Pinocchio {report['pinocchio']}, {report['processor']}, one thread, dt {DT:g} s"
    print(f"{said}; load average {report['load_at_start'][0]:.1f} at the start", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        # Kernels that were compiled for a mechanism stay for the next time.
        kernels = root / "build" / "peers" / "kernels"
        kernels.parent.mkdir(parents=True, exist_ok=True)
        try:
            measure(Bench(arguments, root, Program(arguments.sarrus, Path(folder), kernels)), report)
        except DisagreementError as error:
            print(f"the models disagree: {error}", file=sys.stderr)
            return 1
    print(f"\nload average {os.getloadavg()[0]:.1f} at the end")
    return 0

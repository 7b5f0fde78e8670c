"""The units that a result names, as UDUNITS and pint read them: every dataset has one that parses, or one for each component;
those of drawn numbers are what the scenario counts them in, those of named parameters and quantities what their expressions make of
it. Exit code 77 (skipped) without a program or h5py; with pint the units are read by it too."""

import math
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    sys.exit(77)

from program import SOURCE, place

PROGRAM = place()
if PROGRAM is None:
    sys.exit(77)
try:
    import pint

    PINT = pint.UnitRegistry()
except ImportError:
    PINT = None

# In the base units kg, m, s; rad is a number.
BASE = {"1": (), "kg": ("kg",), "m": ("m",), "s": ("s",), "rad": (), "N": ("kg", "m", "1/s", "1/s")}
BASE["J"] = (*BASE["N"], "m")

DRAWN = {
    "gravity.1": "m s-2",
    "bodies.rod.mass": "kg",
    "bodies.rod.inertia": "kg m2",
    "bodies.slider.position.0": "m",
    "bodies.slider.velocity.0": "m s-1",
    "bodies.rod.orientation": "rad",
    "bodies.rod.angular_velocity": "rad s-1",
    "joints.A.at.0": "m",
    "joints.A.stiffness": "N m rad-1",
    "joints.A.damping": "N m s rad-1",
    "joints.A.rest": "rad",
    "joints.S.axis.1": "1",
    "joints.S.stiffness": "N m-1",
    "joints.S.damping": "N s m-1",
    "joints.S.drive.signal.polynomial.0": "m",
    "joints.S.drive.signal.polynomial.2": "m s-2",
    "forces.spring.rest_length": "m",
    "forces.spring.stiffness": "N m-1",
    "forces.push.value.0.signal.sine.amplitude": "N",
    "forces.push.value.0.signal.sine.frequency": "s-1",
    "forces.push.value.0.signal.sine.phase": "rad",
    "forces.turn.value": "N m",
    "dynamics.baumgarte.alpha": "s-1",
    "output.points.tip.at.0": "m",
}
NAMED = {
    "L": "m",
    "rho": "kg m-1",
    "w": "rad s-1",
    "half": "m",
    "angle": "rad",
    "tilt": "1",
    "k2": "kg2 s-4",
    "ratio": "1",
    "d": "m",
    "side": "m",
    "odd": None,
}
QUANTITIES = {
    "stroke": ("max(tip.x) - min(tip.x)", "m"),
    "shift": ("final(tip.x) - 0.3", "m"),
    "speed": ("max(hypot(tip.vx, tip.vy))", "m s-1"),
    "same_speed": ("max(sqrt(tip.vx^2 + tip.vy^2))", "m s-1"),
    "turns": ("range(rod.angle) / (2*pi)", "rad"),
    "degrees": ("range(rod.angle) / deg", "1"),
    "impulse": ("integral(joint.A.fx)", "N s"),
    "moment": ("max(abs(joint.A.mz))", "N m"),
    "power": ("mean(drive.S * slider.vx)", "N m s-1"),
    "when": ("first(tip.y < -9 && t > 0)", "s"),
    "share": ("max(energy) / (final(energy) + 1e3)", "1"),
    "long": ("max(tip.x) > L ? L : 2*L", "m"),
    "cosine": ("rms(cos(rod.angle))", "1"),
    "bend": ("max(rod.alpha)", "rad s-2"),
    "free": ("final(joint.A.speed)", "rad s-1"),
    "wider": ("mean(max(tip.x, odd))", "m"),
    "apples": ("max(tip.x) + max(rod.angle)", None),
    "root": ("sqrt(max(tip.x))", None),
}
DRAW = "    - {{path: {}, distribution: normal, mean: 0.01, sd: 1.0e-4}}"
DRAWS = "\n".join(DRAW.format(path) for path in DRAWN if path != "joints.S.axis.1")
PLANAR = f"""\
sarrus: 1
space: planar
parameters: {{L: 1.0, rho: 0.5, w: 0.1, half: "=L/2", angle: 0.1, tilt: 0.1, k2: 4.0, ratio: 0.5, d: 0.1, odd: 0.3, side: 0.1}}
gravity: [0, -9.81]
bodies:
  - {{name: dot, mass: 1, inertia: "=side^2/6", position: ["=side + 5", "=2*side"], orientation: "=tilt*deg"}}
  - {{name: rod, mass: 0.5, inertia: "=0.02*exp(ratio)", position: ["=half", 0]}}
  - name: arm
    mass: "=rho*L"
    inertia: "=rho*L^3/12"
    position: ["=L*cos(angle) + L/2", "=-L*sin(angle)"]
    angular_velocity: "=w"
  - {{name: slider, mass: 2, inertia: 0.1, position: [3, 0]}}
joints:
  - {{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: 1}}
  - name: S
    type: prismatic
    bodies: [ground, slider]
    at: [3, 0]
    axis: [1, 0.001]
    stiffness: "=sqrt(k2)"
    drive: {{signal: {{polynomial: [0, 0, 0.1]}}}}
forces:
  - {{name: spring, type: spring, between: [[rod, [0, 0]], [ground, ["=d + L", 1]]], stiffness: 1, rest_length: "=odd < 1 ? L : d"}}
  - {{name: push, type: force, body: rod, at: [0, 0], value: [{{signal: {{sine: {{amplitude: 1, frequency: 1}}}}}}, 0]}}
  - {{name: turn, type: torque, body: rod, value: 0.1}}
dynamics: {{projection: none, baumgarte: {{alpha: 1, beta: 1}}}}
limits: {{violation: off, energy: off, error: off}}
integrator: {{method: rk4, dt: 5.0e-3, t_end: 0.02}}
batch:
  instances: 2
  parameters:
    - {{path: joints.S.axis.1, distribution: normal, mean: 0.001, sd: 1.0e-4}}
{DRAWS}
    - {{path: [joints.S.rest, bodies.arm.position.1], distribution: normal, mean: 0.001, sd: 1.0e-4}}
NAMED_DRAWS
output:
  channels: [state, acceleration, energy, work, constraint, rank, singular_values, reactions, joints]
  points: [{{name: tip, body: rod, at: [0.1, 0], channels: [position, velocity, acceleration]}}]
  quantities: {{{", ".join(f'{name}: "{text}"' for name, (text, _) in QUANTITIES.items())}}}
  statistics: {{channels: [state, acceleration, energy, constraint, reactions, points, drives, quantities], quantiles: [0.5]}}
"""
SPATIAL = """\
sarrus: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  - name: nut
    mass: 1
    inertia: [0.1, 0.1, 0.2]
    position: [0, 0, 0]
    orientation: {axis: [0, 0, 1], angle: 0.1}
    rotor: [0, 0, 0.1]
  - {name: bob, mass: 1, inertia: [0.1, 0.1, 0.2], position: [1, 0, 0], orientation: {euler: [0.1, 0.2, 0.3]}}
joints:
  - name: A
    type: cylindrical
    bodies: [ground, nut]
    at: [0, 0, 0]
    axis: [0, 0, 1]
    stiffness: [1, 2]
    drive: [{signal: {polynomial: [0, 1]}}, {signal: {polynomial: [0, 2]}}]
  - {name: B, type: screw, bodies: [nut, bob], at: [1, 0, 0], axis: [0, 0, 1], pitch: 0.1}
integrator: {method: rk4, dt: 5.0e-3, t_end: 0.02}
batch:
  instances: 2
  parameters:
    - {path: bodies.nut.orientation.angle, distribution: normal, mean: 0.1, sd: 0.001}
    - {path: bodies.nut.rotor.2, distribution: normal, mean: 0.1, sd: 0.001}
    - {path: bodies.bob.orientation.euler.0, distribution: normal, mean: 0.1, sd: 0.001}
    - {path: joints.A.stiffness.0, distribution: normal, mean: 1, sd: 0.001}
    - {path: joints.A.stiffness.1, distribution: normal, mean: 2, sd: 0.001}
    - {path: joints.B.pitch, distribution: normal, mean: 0.1, sd: 0.001}
output:
  channels: [state, acceleration, energy, constraint, reactions]
  orientations: [euler, bryant, axis, cosines]
  statistics: {channels: [state, drives]}
"""
SPATIAL_DRAWN = {
    "bodies.nut.orientation.angle": "rad",
    "bodies.nut.rotor.2": "N m s",
    "bodies.bob.orientation.euler.0": "rad",
    "joints.A.stiffness.0": "N m-1",
    "joints.A.stiffness.1": "N m rad-1",
    "joints.B.pitch": "m rad-1",
}
# Datasets whose numbers differ in their units.
MIXED = {
    "state/q": ["m", "m", "rad"],
    "state/v": ["m s-1", "m s-1", "rad s-1"],
    "state/a": ["m s-2", "m s-2", "rad s-2"],
    "reactions/A": ["N", "N", "N m"],
}
SPATIAL_MIXED = {
    "state/q": ["m", "m", "m", "1", "1", "1", "1"],
    "state/v": ["m s-1"] * 3 + ["rad s-1"] * 3,
    "reactions/A": ["N"] * 3 + ["N m"] * 3,
    "drives/A": ["N", "N m"],
    "orientations/axis/nut": ["1", "1", "1", "rad"],
}


def run(folder, text, out):
    scenario = folder / "scenario.yaml"
    scenario.write_text(text, encoding="utf-8")
    done = subprocess.run([PROGRAM, "run", scenario, "-o", out, "--quiet", "--specialize", "off"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return out


def units_of(dataset):
    """Units of a dataset, [] where nobody knows."""
    units = dataset.attrs.get("units", [])
    return [units] if isinstance(units, str) else list(units)


def dimension(unit):
    """Exponents of kg, m and s by UDUNITS' rules for products: names with exponents behind them, and spaces."""
    found = dict.fromkeys(("kg", "m", "s"), 0.0)
    for word in unit.split(" "):
        name, power = re.fullmatch(r"(1|[A-Za-z]+)(-?[0-9]+)?", word).groups()
        for factor in BASE[name]:
            found[factor.removeprefix("1/")] += (-1 if factor.startswith("1/") else 1) * int(power or 1)
    return found


def check_parses(unit, name):
    if unit == "kg^-0.5":  # UDUNITS has no roots; nothing but singular values needs one
        assert "diagnostics/" in name, name
    else:
        found = dimension(unit)
    if PINT is None:
        return
    read = PINT.parse_units(re.sub(r"(?<=[a-z])(?=-?[0-9])", "^", unit).replace(" ", "*") if unit != "kg^-0.5" else unit)
    if unit != "kg^-0.5":
        words = {"kg": "[mass]", "m": "[length]", "s": "[time]"}
        assert {words[k]: v for k, v in found.items() if v} == dict(read.dimensionality), (name, unit)


def check_all(file):
    """Every dataset: units that parse, as many as the last axis of components is long."""
    names = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    for name in names:
        dataset, units = file[name], units_of(file[name])
        for unit in units:
            check_parses(unit, name)
        if len(units) > 1:
            axis = dataset.ndim - (2 if name.endswith("/quantiles") else 1)
            assert dataset.shape[axis] == len(units), name
        words = set(name.split("/"))
        # Counts and skewnesses are numbers, whatever is counted.
        is_number = name.split("/")[-1].removeprefix("failed_") in ("n", "skewness")
        is_odd = "odd" in words and "parameters" in words
        is_unknown = not is_number and (is_odd or not {"apples", "root"}.isdisjoint(words))
        assert (len(units) == 0) == is_unknown, (name, units)


def check_named(file, expected):
    for name, unit in expected.items():
        dataset = file["instance/parameters"][name]
        assert units_of(dataset) == ([unit] if unit else []), (name, units_of(dataset), unit)


def check_mixed(file, expected):
    for name, units in expected.items():
        n = file[name].shape[-1]
        assert units_of(file[name]) == (units * n)[:n], (name, units_of(file[name]))
        if f"statistics/{name}" in file:
            for kind in ("mean", "sd", "min", "max"):
                assert units_of(file[f"statistics/{name}/{kind}"]) == (units * n)[:n], (name, kind)


def check_program(path):
    """`sarrus info` names those that occur."""
    done = subprocess.run([PROGRAM, "info", path], capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.split()[:1] == ["state/q"])
    assert line.endswith("  m, rad"), line
    assert " SI" not in done.stdout and " | " not in done.stdout


def check_wide(folder):
    """More components than an attribute can list: those of one body, which repeat."""
    scenario = (SOURCE / "scenarios" / "pendulum.yaml").read_text(encoding="utf-8")
    n = 1400
    bodies = "".join(f"  - {{name: b{i}, mass: 1, inertia: 1, position: [{i}, 0]}}\n" for i in range(n))
    text = re.sub(r"(?ms)^bodies:.*?(?=^\w)", f"bodies:\n{bodies}", scenario)
    text = re.sub(r"(?ms)^(joints|forces|batch|output|parameters|dynamics):.*?(?=^\w|\Z)", "", text)
    text = re.sub(r"(?ms)^integrator:.*?(?=^\w|\Z)", "integrator: {method: rk4, dt: 0.01, t_end: 0.01}\n", text)
    text += "joints: []\noutput: {channels: [state]}\n"
    with h5py.File(run(folder, text, folder / "wide.h5")) as file:
        assert file["state/q"].shape[2] == 3 * n
        assert units_of(file["state/q"]) == ["m", "m", "rad"]


def main():
    assert math.isclose(dimension("N m s rad-1")["s"], -1) and dimension("J") == dimension("N m")
    draws = "\n".join(f"    - {{name: {name}, distribution: normal, mean: 0.5, sd: 1.0e-4}}" for name in NAMED if name != "half")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = run(folder, PLANAR.replace("NAMED_DRAWS", draws), folder / "planar.h5")
        with h5py.File(path) as file:
            assert file.attrs["Conventions"].startswith("CF-1.")
            check_all(file)
            check_named(file, DRAWN | {key: unit for key, unit in NAMED.items() if key != "half"})
            check_named(file, {"joints.S.rest": "m", "bodies.arm.position.1": "m"})
            check_mixed(file, MIXED)
            for quantity, (text, unit) in QUANTITIES.items():
                assert units_of(file["quantities"][quantity]) == ([unit] if unit else []), (quantity, text)
                assert units_of(file[f"statistics/quantities/{quantity}/sd"]) == ([unit] if unit else []), quantity
            for quantity in ("position_error", "velocity_error", "smallest_kept"):
                assert "radian counts as a meter" in file["diagnostics"][quantity].attrs["comment"]
        check_program(path)
        with h5py.File(run(folder, SPATIAL, folder / "spatial.h5")) as file:
            check_all(file)
            check_named(file, SPATIAL_DRAWN)
            check_mixed(file, SPATIAL_MIXED)
            assert np.isfinite(file["drives/A"][...]).all()
        morris = SPATIAL.replace("  instances: 2", "  instances: 2\n  design: morris").replace("0.001}", "0.001, min: 0, max: 3}")
        morris += '  quantities: {far: "max(bob.x)", odd: "max(bob.x) + max(bob.wx)"}\n  sensitivity: [far, odd]\n'
        with h5py.File(run(folder, morris, folder / "morris.h5")) as file:
            assert units_of(file["sensitivity/far/mu"]) == ["m"] and units_of(file["sensitivity/far/n"]) == ["1"]
            assert units_of(file["sensitivity/odd/sigma"]) == []
        check_wide(folder)
    print("read by pint too" if PINT is not None else "pint is not installed: read by the rules of UDUNITS alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Steps in single precision: motions are those of double precision to what floats can tell, bits depend on the instance alone, who
comes near a change point ends, and what floats cannot do is refused. Exit code 77 (skipped) without a program or h5py.

Tolerances: an acceleration is off by some ε κ of its size, ε = 2⁻²³ and κ the condition of J M^{-1/2}, 10 or so for these
mechanisms; the carry keeps sums of steps from adding to it (kernels/step/carry.h). Over a motion of some seconds that does not
amplify errors it is off by as much again for each radian that it turns: 2e-5 of the largest coordinate, of speeds ten times that
share."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

from program import SOURCE, place

SCENARIOS = SOURCE / "scenarios"
RELATIVE = ["--set", "dynamics.formulation=relative", "--set", "integrator.method=rk4"]
DT = ["--set", "integrator.dt=1e-3"]
SINGLE = ["--set", "integrator.precision=single"]
EVERY_STEP = ["--set", "dynamics.projection=every_step"]
STATE = ["--set", "output.channels=[state]"]

# Scenario, its own options: loops that are redundant and others, open chains, drives, springs, gears, both spaces.
MOTIONS = (
    ("five_bar", ["--set", "integrator.t_end=5"]),
    ("five_bar_monte_carlo", ["--instances", "64"]),
    ("four_bar", ["--set", "integrator.t_end=2"]),
    ("slider_crank", ["--set", "integrator.t_end=0.3"]),
    ("driven_crank", ["--set", "integrator.t_end=2"]),
    ("andrews", []),
    ("pendulum", ["--set", "integrator.t_end=2"]),
    ("planetary_train", ["--set", "integrator.t_end=3"]),
    ("cam_follower", [*DT, "--set", "integrator.t_end=6"]),
    ("n_four_bar_2", ["--set", "integrator.t_end=0.6"]),
    ("arm_6r", [*DT, "--set", "integrator.t_end=0.5"]),
    ("heavy_top", [*DT, "--set", "integrator.t_end=1"]),
    ("torque_free_body", [*DT, "--set", "integrator.t_end=2"]),
    ("spatial_slider_crank", [*DT, "--set", "integrator.t_end=1"]),
    ("bennett", [*DT, "--set", "integrator.t_end=0.3"]),
    ("sarrus_linkage", [*DT, "--set", "integrator.t_end=1"]),
    ("stewart_platform", [*DT, "--set", "integrator.t_end=0.5"]),
)

# A folding parallelogram that passes its change point at speed, and one whose lengths miss it.
PARALLELOGRAM = {
    "sarrus": 1,
    "space": "planar",
    "parameters": {"f": 0.0},
    "bodies": [
        {"name": "a", "mass": 1.0, "inertia": 0.1, "position": ["=cos(1)/2", "=sin(1)/2"], "orientation": 1, "angular_velocity": 3},
        {"name": "b", "mass": 1.0, "inertia": 0.1, "position": ["=2+f+cos(1)/2", "=sin(1)/2"], "orientation": 1.0},
        {"name": "c", "mass": 1.0, "inertia": 0.3, "position": ["=1+cos(1)", "=sin(1)"]},
    ],
    "joints": [
        {"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
        {"name": "B", "type": "revolute", "bodies": ["ground", "b"], "at": ["=2+f", 0]},
        {"name": "C", "type": "revolute", "bodies": ["a", "c"], "points": [[0.5, 0], [-1, 0]]},
        {"name": "D", "type": "revolute", "bodies": ["b", "c"], "points": [[0.5, 0], [1, 0]]},
    ],
    "dynamics": {"formulation": "relative"},
    "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 4},
    "batch": {"instances": 64, "seed": 1, "parameters": [{"name": "f", "distribution": "uniform", "low": -1e-3, "high": 1e-3}]},
    "output": {"interval": 0.5, "channels": ["state"]},
}

# A rotor that nothing drives.
ROTOR = {
    "sarrus": 1,
    "space": "planar",
    "gravity": [0, 0],
    "bodies": [{"name": "rotor", "mass": 1.0, "inertia": 0.1, "position": [0, 0], "angular_velocity": 0.7}],
    "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "rotor"], "at": [0, 0]}],
    "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 9},
    "output": {"every": 1, "channels": ["state"]},
}

# Options, and a word of the refusal.
REFUSED = (
    (["--set", "integrator.method=dopri5"], "chooses its steps"),
    (["--set", "dynamics.formulation=udwadia-kalaba"], "absolute coordinates"),
    (["--set", "dynamics.formulation=relative", "--set", "dynamics.pinv=svd"], "pinv: auto"),
    (["--set", "dynamics.formulation=relative", "--set", "integrator.dt=1e-7"], "16777216"),
    (["--set", "dynamics.formulation=relative", "--set", "bodies.crank_a.mass=1e20"], "range of floats"),
    (["--set", "dynamics.formulation=relative", "--set", "limits.violation=1e-9"], "round-off"),
)


def cart(joint, space):
    """A cart that is 120 m away at the end, with a pendulum of 0.2 m: in the plane along x, in space along z, its axis."""
    is_planar = space == "planar"
    way, down = ([1, 0], [0, -1]) if is_planar else ([0, 0, 1], [-1, 0, 0])
    inertia, spin, axis = (1e-3, 3.0, {}) if is_planar else ([1e-3] * 3, [0, 3.0, 0], {"axis": [0, 1, 0]})
    here = [0.0 * x for x in way]
    return {
        "sarrus": 1,
        "space": space,
        "gravity": [9.81 * x for x in down],
        "bodies": [
            {"name": "cart", "mass": 2.0, "inertia": inertia, "position": here, "velocity": [30.0 * x for x in way]},
            {"name": "bob", "mass": 0.5, "inertia": inertia, "position": [0.1 * x for x in down]}
            | {"velocity": [30.3 * x for x in way], "angular_velocity": spin},
        ],
        "joints": [
            {"name": "A", "type": joint, "bodies": ["ground", "cart"], "at": here, "axis": way},
            {"name": "B", "type": "revolute", "bodies": ["cart", "bob"], "at": here} | axis,
        ],
        "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 4},
        "output": {"interval": 0.1, "channels": ["state"]},
    }


CARTS = (("prismatic", "planar"), ("prismatic", "spatial"), ("cylindrical", "spatial"))

# 3 cm at the end of 30 m: ε (30/0.03)² of its resistance is an eighth of it.
FAR = {
    "sarrus": 1,
    "space": "planar",
    "bodies": [
        {"name": "arm", "mass": 1.0, "inertia": 75.0, "position": [15, 0]},
        {"name": "bob", "mass": 0.1, "inertia": 7.5e-6, "position": [30.015, 0]},
    ],
    "joints": [
        {"name": "A", "type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]},
        {"name": "B", "type": "revolute", "bodies": ["arm", "bob"], "at": [30, 0]},
    ],
    "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 0.1},
    "output": {"interval": 0.1, "channels": ["state"]},
}


class Runs:
    """Runs of the program in a folder of their own."""

    def __init__(self, program, folder):
        self.program, self.folder, self.n = program, pathlib.Path(folder), 0

    def __call__(self, scenario, options):
        """The result of a scenario's file or of a mapping, and what the program said."""
        self.n += 1
        path, out = scenario, self.folder / f"{self.n}.h5"
        if isinstance(scenario, dict):
            path = self.folder / f"{self.n}.yaml"
            path.write_text(json.dumps(scenario), encoding="utf-8")
        command = [self.program, "run", str(path), "-o", str(out), "--quiet", "--threads", "1", "--backend", "cpu", *options]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        return out if done.returncode in (0, 1) else None, done


def words(file):
    """The status of every instance as a word."""
    names = {value: name for name, value in h5py.check_enum_dtype(file["instance/status"].dtype).items()}
    return np.array([names[value] for value in file["instance/status"][:]])


def motions_are_those_of_doubles(runs):
    bad = []
    for name, options in MOTIONS:
        for projection in ([], EVERY_STEP):
            options_of_both = [*RELATIVE, *options, *STATE, *projection, "--specialize", "off"]
            (one, said), (two, _) = (runs(SCENARIOS / f"{name}.yaml", options_of_both + how) for how in ([], SINGLE))
            if one is None or two is None:
                bad.append(f"{name}: {said.stderr}")
                continue
            with h5py.File(one) as double, h5py.File(two) as single:
                if set(words(double)) != {"ok"} or set(words(single)) != {"ok"}:
                    bad.append(f"{name} {projection}: {set(words(double))}, in single precision {set(words(single))}")
                    continue
                for field, share in (("q", 2e-5), ("v", 2e-4)):
                    a, b = double[f"state/{field}"][...], single[f"state/{field}"][...]
                    off = np.abs(a - b).max() / max(np.abs(a).max(), 1.0)
                    if not off <= share or off == 0.0:
                        bad.append(f"{name} {projection}: {field} is off by {off:.1e}, at most {share:.0e}")
    return bad


def how_far_something_comes_costs_nothing(runs):
    """Of what hangs on it. The cart itself is where it is to ε of its way."""
    bad = []
    for joint, space in CARTS:
        (one, said), (two, _) = (runs(cart(joint, space), ["--specialize", "off", *how]) for how in ([], SINGLE))
        if one is None or two is None:
            bad.append(f"{joint} {space}: {said.stderr}")
            continue
        with h5py.File(one) as double, h5py.File(two) as single:
            a, b = double["state/q"][0], single["state/q"][0]
            turned = slice(5, 6) if space == "planar" else slice(10, 14)
            off, far = np.abs(a - b)[:, turned].max(), np.abs(a).max()
            if not off <= 1e-4 or not far > 100.0 or set(words(single)) != {"ok"}:
                bad.append(f"{joint} {space}: {far:.0f} m away the pendulum is off by {off:.1e}, {set(words(single))}")
    out, said = runs(FAR, SINGLE)
    if out is not None or said.returncode != 2 or "body 'bob' is small for its distance" not in said.stderr:
        bad.append(f"a small body far away: exit code {said.returncode}, {said.stderr}")
    return bad


def driven_chains_have_no_change_points(runs):
    """A light crank that is driven, with a heavy arm on it: the drive holds what it drives, however heavy."""
    bodies = [{"name": "crank", "mass": 0.01, "inertia": 1e-4, "position": [0.1, 0]}]
    bodies += [{"name": "arm", "mass": 10.0, "inertia": 5.0, "position": [1.2, 0]}]
    driven = {"name": "A", "type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]}
    driven["drive"] = {"signal": {"polynomial": [0, 1, 0.5]}}
    scenario = FAR | {
        "bodies": bodies,
        "joints": [driven, {"name": "B", "type": "revolute", "bodies": ["crank", "arm"], "at": [0.2, 0]}],
        "dynamics": {"formulation": "relative"},
    }
    bad = []
    for how in ([], SINGLE):
        out, said = runs(scenario, how)
        if out is None:
            bad.append(said.stderr)
            continue
        with h5py.File(out) as f:
            near = float(f["instance/nearest_change_point"][0])
            if set(words(f)) != {"ok"} or not near > 0.5:
                bad.append(f"{how}: {set(words(f))}, a change point as near as {near:.2g}")
    return bad


def bits_are_the_instance_alone(runs):
    bad = []
    scenario, base = SCENARIOS / "five_bar_monte_carlo.yaml", [*RELATIVE, *SINGLE, *STATE]
    ways = [["--instances", str(n)] for n in (1, 7, 9, 16, 17, 33)]
    ways += [["--instances", "33", "--threads", "2"], ["--instances", "33", "--set", "output.interval=0.5"]]
    if shutil.which("cc"):
        ways += [["--instances", "33", "--specialize", "on"]]
        ways += [["--instances", "5", "--set", "output.interval=1", "--specialize", "on"]]
    for projection in ([], EVERY_STEP):
        whole, said = runs(scenario, [*base, *projection, "--instances", "40", "--specialize", "off"])
        if whole is None:
            return [said.stderr]
        with h5py.File(whole) as file:
            q, v, limits = (file[name][...] for name in ("state/q", "state/v", "instance/energy_mismatch"))
        for way in ways:
            out, said = runs(scenario, [*base, *projection, *way])
            with h5py.File(out) as file:
                n = len(file["instance/status"])
                same = [
                    np.array_equal(file["state/q"][:, -1], q[:n, -1]),
                    np.array_equal(file["state/v"][:, -1], v[:n, -1]),
                    np.array_equal(file["instance/energy_mismatch"][:], limits[:n]),
                ]
            if not all(same):
                bad.append(f"{' '.join(way)} {projection}: other bits")
    return bad


def change_points_end(runs):
    """Who is `ok` moves as in double precision; those that pass the change point are not, and away from it all are."""
    bad = []
    for name in ("slider_crank", "n_four_bar_2", "five_bar_singular"):
        out, said = runs(SCENARIOS / f"{name}.yaml", [*RELATIVE, *SINGLE, *STATE, "--set", "integrator.t_end=5"])
        with h5py.File(out) as file:
            if set(words(file)) != {"unresolved"}:
                bad.append(f"{name} crosses change points and ends as {set(words(file))}")
    (one, _), (two, said) = (runs(PARALLELOGRAM, how) for how in ([], SINGLE))
    if two is None:
        return [said.stderr]
    with h5py.File(one) as double, h5py.File(two) as single:
        both = words(single) == "ok"
        off = np.abs(double["state/q"][...] - single["state/q"][...])[both & (words(double) == "ok")]
        if both.any() and off.max() > 1e-3:
            bad.append(f"a motion that is ok is off by {off.max():.1e}")
        if "unresolved" not in words(single):
            bad.append(f"nobody ends as unresolved: {set(words(single))}")
    early = {**PARALLELOGRAM, "integrator": {**PARALLELOGRAM["integrator"], "t_end": 0.2}, "output": {"channels": ["state"]}}
    out, said = runs(early, SINGLE)
    with h5py.File(out) as single:
        if set(words(single)) != {"ok"}:
            bad.append(f"before the change point: {set(words(single))}")
    return bad


def steps_are_alike(runs):
    """A rotor turns by the same in every step: times of floats are 2⁻²⁰ s apart at 9 s, a thousandth of dt, and no step may be as
    long as they say; and what sums lose is carried. Angles of up to 8 rad are known to 2⁻⁴⁶ · 4 rad, their differences to some
    of that."""
    bad = []
    for method in ("rk4", "semi-implicit"):
        out, said = runs(ROTOR, [*SINGLE, "--set", f"integrator.method={method}"])
        if out is None:
            return [said.stderr]
        with h5py.File(out) as file:
            steps = np.diff(file["state/q"][0, :, 2])
        if not np.ptp(steps) <= 8 * 2.0**-44:
            bad.append(f"{method}: steps turn by {steps.min():.9e} to {steps.max():.9e}")
        if not abs(steps.mean() - 0.7e-3) <= 2.0**-22 * 0.7e-3:
            bad.append(f"{method}: a step turns by {steps.mean():.9e}, not 7e-4 but for two roundings")
    return bad


def bends_are_not_jumped(runs):
    """Nobody who is `ok` in both precisions goes another way beside a bend, by steps that nothing shortens either: they are apart
    by 1e-3, or by a hundredth of what the steps themselves are off by, at most."""
    bad = []
    scenario = pathlib.Path(__file__).with_name("single_precision") / "pantographs.yaml"
    fine, said = runs(scenario, ["--set", "integrator.dt=2e-4"])
    with h5py.File(fine) as file:
        truth = file["state/q"][...]
    euler = ["--set", "integrator.method=semi-implicit", "--set", "integrator.dt=5e-4"]
    for how in ([], euler, [*euler, "--set", "dynamics.projection=none"]):
        (one, _), (two, said) = (runs(scenario, how + more) for more in ([], SINGLE))
        if two is None:
            return [said.stderr]
        with h5py.File(one) as double, h5py.File(two) as single:
            both = (words(double) == "ok") & (words(single) == "ok")
            q = double["state/q"][...]
            off, method = (np.abs(q - other).max(axis=(1, 2)) for other in (single["state/q"][...], truth))
            for i in np.flatnonzero(both & (off > np.fmax(1e-3, 0.01 * method))):
                bad.append(f"{' '.join(how)}: instance {i} is off by {off[i]:.2g}")
            if both.sum() < 100:
                bad.append(f"{' '.join(how)}: only {both.sum()} are left to compare")
    return bad


def refusals_say_why(runs):
    bad = []
    for options, word in REFUSED:
        out, said = runs(SCENARIOS / "five_bar.yaml", ["--set", "integrator.method=rk4", *SINGLE, *options])
        if out is not None or said.returncode != 2 or word not in said.stderr:
            bad.append(f"{options}: exit code {said.returncode}, {said.stderr}")
    return bad


def main():
    program = place()
    if program is None:
        return 77
    n_bad = 0
    checks = (
        motions_are_those_of_doubles,
        how_far_something_comes_costs_nothing,
        driven_chains_have_no_change_points,
        bits_are_the_instance_alone,
        steps_are_alike,
        change_points_end,
        bends_are_not_jumped,
        refusals_say_why,
    )
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            bad = check(Runs(program, folder))
        n_bad += len(bad)
        for line in bad:
            print(f"{check.__name__}: {line}")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())

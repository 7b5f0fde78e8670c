"""Free coordinates of joints in space and their rates in a result file, of joints of every kind, turned round too, over a ground at
rest and one that moves: driven ones follow their signals over many turns, all are those of the bodies' poses and velocities, and
integrals of their rates; the same in relative coordinates, in the plane, in parts of a study, replays, quantities, statistics.
Exit code 77 (skipped) without a program or h5py."""

import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

from program import place

INTERVAL, N_TIMES = 0.25, 9  # s; fast joints turn by more than half a turn between outputs
TILTED = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]).T / 3  # axes 1, 2, 3
ABOUT_Z = np.eye(3)  # of axis: [0, 0, 1]: axis 1 is the first inertial axis that it has least of
FAST = "{signal: {sine: {amplitude: 20, frequency: 1.3}}}"
SLOW = "{signal: {sine: {amplitude: 0.3, frequency: 0.5}}}"


def fast(t):
    return 20 * np.sin(2.6 * np.pi * t), 52 * np.pi * np.cos(2.6 * np.pi * t)


def slow(t):
    return 0.3 * np.sin(np.pi * t), 0.3 * np.pi * np.cos(np.pi * t)


AXES = f"axes: [{TILTED[:, 0].tolist()}, {TILTED[:, 1].tolist()}]"
AXIS = f"axis: {TILTED[:, 2].tolist()}"
FRAME = f"frame: {{cosines: {TILTED.tolist()}}}"
# name: type, keys, axes of the joint at t = 0 (None: from an axis, taken from the poses), forms of its numbers, signals by number
JOINTS = {
    "spun": ("revolute", "axis: [0, 0, 1]", ABOUT_Z, ["r3"], {}),
    "nups": ("revolute", "axis: [0, 0, 1]", ABOUT_Z, ["r3"], {}),
    "spring": ("revolute", "axis: [0, 0, 1], stiffness: 0.5, damping: 0.1, rest: 2", ABOUT_Z, ["r3"], {}),
    "motor": ("revolute", f"axis: [0, 0, 1], drive: {FAST}", ABOUT_Z, ["r3"], {0: fast}),
    "slide": ("prismatic", f"{AXIS}, drive: {SLOW}", None, ["z"], {0: slow}),
    "sleeve": ("cylindrical", "axis: [0, 0, 1]", ABOUT_Z, ["z", "r3"], {}),
    "eveels": ("cylindrical", f"axis: [0, 0, 1], drive: [{SLOW}, {FAST}]", ABOUT_Z, ["z", "r3"], {0: slow, 1: fast}),
    "table": ("planar", "axis: [0, 0, 1]", ABOUT_Z, ["x", "y", "r3"], {}),
    "elbat": ("planar", "axis: [0, 0, 1]", ABOUT_Z, ["x", "y", "r3"], {}),
    "screw": ("screw", "axis: [0, 0, 1], pitch: 0.02", ABOUT_Z, ["r3"], {}),
    "cross": ("universal", AXES, TILTED, ["first1", "second2"], {}),
    "ssorc": ("universal", AXES, TILTED, ["first1", "second2"], {}),
    "gimbal": ("universal", f"{AXES}, drive: [{FAST}, {SLOW}]", TILTED, ["first1", "second2"], {0: fast, 1: slow}),
    "ball": ("spherical", "stiffness: 0.3", np.eye(3), ["v1", "v2", "v3"], {}),
    "list": ("general", f"constrain: [x, ry], {FRAME}", TILTED, ["y", "z", "first3", "second1"], {}),
    "free": ("free", FRAME, TILTED, ["x", "y", "z", "v1", "v2", "v3"], {}),
    "bush": ("bushing", f"{FRAME}, stiffness: [3, 4, 5, 1, 2, 3]", TILTED, ["x", "y", "z", "v1", "v2", "v3"], {}),
}
TURNED_ROUND = ("nups", "eveels", "elbat", "ssorc")
LET_GO = ("spun", "nups", "sleeve", "table", "elbat", "screw", "cross", "ssorc")  # nothing is driven or elastic, no loops
FASTEST = {"spun": "[0, 0, 21]", "nups": "[0, 0, 21]", "sleeve": "[0, 0, -25]", "table": "[0, 0, 19]", "elbat": "[0, 0, 19]"}
FASTEST |= {"screw": "[0, 0, 30]", "cross": "[13, 11, 2]", "ssorc": "[13, 11, 2]"}


def scenario(names=tuple(JOINTS)):
    bodies, joints = [], []
    for i, (name, (kind, keys, _, _, _)) in enumerate(JOINTS.items()):
        if name not in names:
            continue
        at, omega = np.array([i, 0.5, 0.2 * i]), FASTEST.get(name, "[0.4, 0.9, -0.7]")
        position = at + np.array([0.1, -0.2, 0.1])
        bodies.append(
            f"  - {{name: {name}, mass: 1, inertia: [0.2, 0.3, 0.25], position: {position.tolist()}, "
            f'velocity: [0.3, 0.2, "=s"], angular_velocity: {omega}}}'
        )
        pair = f"[{name}, ground]" if name in TURNED_ROUND else f"[ground, {name}]"
        joints.append(f"  - {{name: {name}, type: {kind}, bodies: {pair}, at: {at.tolist()}, {keys}}}")
    return "\n".join(
        [
            "sarrus: 1",
            "space: spatial",
            "gravity: [0, 0, 0]",
            "parameters: {s: 0.1}",
            "bodies:",
            *bodies,
            "joints:",
            *joints,
            f"integrator: {{method: verner65, dt: 1.0e-3, rtol: 1.0e-12, atol: 1.0e-13, t_end: {INTERVAL * (N_TIMES - 1)}}}",
            f"output: {{interval: {INTERVAL}, channels: [state, joints], statistics: {{channels: [joints], quantiles: [0.5]}},",
            "  quantities: {turns: range(joint.spun.coordinate), slip: final(joint.sleeve.coordinate.1),",
            "    most: max(joint.free.speed.5)}}",
            "batch: {instances: 4, seed: 3, parameters: [{name: s, distribution: uniform, low: 0.05, high: 0.2}]}",
            "",
        ]
    )


def command_run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def read(path):
    out = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, item: out.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
        vectors = [name for name in out if name.startswith(("joints/", "drives/")) and out[name].ndim == 3]
        out["labels"] = {name: f[name].dims[2][0].asstr()[:].tolist() for name in vectors}
    return out


def run(program, folder, text, *arguments):
    file, path = pathlib.Path(folder) / "scenario.yaml", pathlib.Path(folder) / "out.h5"
    file.write_text(text)
    command_run(program, "run", str(file), "-o", str(path), "--backend", "cpu", "--quiet", *arguments)
    return read(path)


def near(what, found, wanted, bound):
    difference = np.abs(found - wanted).max()
    assert difference <= bound, f"{what}: {difference}"


def rotations(p):
    """Matrices [..., 3, 3] of Euler parameters [..., 4]."""
    w, x, y, z = np.moveaxis(p, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), [0, 1], [-2, -1])


def ground_of(shape, t, moves):
    """Where ground is: its turn A, point o of it that was at the origin, and their rates."""
    a, o, omega, velocity = (
        np.broadcast_to(np.eye(3), (*shape, 3, 3)),
        np.zeros((*shape, 3)),
        np.zeros((*shape, 3)),
        np.zeros((*shape, 3)),
    )
    if not moves:
        return a, o, omega, velocity
    angle, rate, zero, one = 3 * t * t, 6 * t, 0 * t, 0 * t + 1
    turn = np.array([[np.cos(angle), -np.sin(angle), zero], [np.sin(angle), np.cos(angle), zero], [zero, zero, one]])
    shift, shift_rate = np.stack([t * t, zero, zero], 1), np.stack([2 * t, zero, zero], 1)
    return a @ np.moveaxis(turn, 2, 0), o + shift, omega + np.stack([zero, zero, rate], 1), velocity + shift_rate


def rates_of(form, omega, way, first):
    """Of turning and way of the child seen from the parent, in the parent's axes."""
    if form in "xyz":
        return way[..., "xyz".index(form)]
    k = int(form[-1]) - 1
    if form.startswith("second"):  # about an axis that the first turn has taken along
        return np.cos(first) * omega[..., k] + np.sin(first) * omega[..., (k + 1) % 3]
    return omega[..., k]


def vector_of(r):
    """The rotation vector of [..., 3, 3]."""
    u = np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], -1) / 2
    sine, cosine = np.linalg.norm(u, axis=-1), (np.trace(r, axis1=-2, axis2=-1) - 1) / 2
    return u * (np.arctan2(sine, cosine) / np.where(sine > 0, sine, 1))[..., None]


def coordinate_of(form, r, d):
    if form in "xyz":
        return d[..., "xyz".index(form)]
    k = int(form[-1]) - 1
    i, j = (k + 1) % 3, (k + 2) % 3
    if form.startswith("v"):
        return vector_of(r)[..., k]
    if form.startswith("r"):
        return np.arctan2(r[..., j, i], r[..., i, i])
    if form.startswith("first"):
        return np.arctan2(r[..., j, i], r[..., i, i])
    return np.arctan2(r[..., j, i], r[..., j, j])


def seen(f, number, name, axes, moves):
    """How the child turns and where its point is, seen from the parent: R, d, omega, way in the joint's axes of the parent."""
    q, v, t = f["state/q"][:, :, 7 * number :][..., :7], f["state/v"][:, :, 6 * number :][..., :6], f["time"]
    a = rotations(q[..., 3:])
    at = np.array([number, 0.5, 0.2 * number])
    arm = a @ (at - [number + 0.1, 0.3, 0.2 * number + 0.1])
    omega = np.einsum("ntij,ntj->nti", a, v[..., 3:])
    body = (a, q[..., :3] + arm, omega, v[..., :3] + np.cross(omega, arm))
    g, o, turning, velocity = ground_of(t.shape if moves else q.shape[:2], t, moves)
    ground = (g, o + g @ at, turning, velocity + np.cross(turning, g @ at))
    parent, child = (body, ground) if name in TURNED_ROUND else (ground, body)
    frame = parent[0] @ axes
    gap = child[1] - parent[1]
    into = np.swapaxes(frame, -2, -1)

    def inside(x):
        return np.einsum("...ij,...j->...i", into, x)

    r = into @ (child[0] @ axes)
    return r, inside(gap), inside(child[2] - parent[2]), inside(child[3] - parent[3] - np.cross(parent[2], gap))


def check(f, moves=False):
    t = f["time"]
    for number, (name, (_, _, axes, forms, signals)) in enumerate(JOINTS.items()):
        x, rate = f[f"joints/{name}/coordinate"], f[f"joints/{name}/speed"]
        assert x.shape == rate.shape == (4, len(t), len(forms)), name
        mean = f[f"statistics/joints/{name}/coordinate/mean"]
        near(f"mean of {name}", mean, x.mean(axis=0), 1e-13 * (1 + np.abs(x).max()))
        for k, signal in signals.items():
            near(f"{name} follows its signal", x[..., k], signal(t)[0], 1e-9)
            near(f"{name} follows its rate", rate[..., k], signal(t)[1], 1e-8)
        near(f"{name} at t = 0", x[:, 0], 0.0, 1e-12)
        if axes is None:
            continue
        r, d, omega, way = seen(f, number, name, axes, moves)
        first = next((coordinate_of(form, r, d) for form in forms if form.startswith("first")), None)
        for k, form in enumerate(forms):
            off = x[..., k] - coordinate_of(form, r, d)
            whole = np.round(off / (2 * np.pi)) if form[0] in "rfs" else 0
            near(f"{name}, {form}", off, 2 * np.pi * whole, 1e-11)
            near(f"rate of {name}, {form}", rate[..., k], rates_of(form, omega, way, first), 1e-10)
    assert np.array_equal(f["quantities/turns"], np.ptp(f["joints/spun/coordinate"][..., 0], axis=1))
    assert np.array_equal(f["quantities/slip"], f["joints/sleeve/coordinate"][:, -1, 1])
    assert np.array_equal(f["quantities/most"], f["joints/free/speed"][..., 5].max(axis=1))


def same(f, as_in, bound):
    for path in (path for path in f if path.startswith("joints/")):
        near(path, f[path], as_in[path], bound)


def check_closed_forms(f):
    """What nothing acts on turns and slides evenly, turn after turn."""
    t = f["time"]
    for name in ("spun", "nups", "sleeve", "screw"):
        x, rate = f[f"joints/{name}/coordinate"], f[f"joints/{name}/speed"]
        near(f"{name} evenly", x, rate[:, :1] * t[:, None], 1e-8)
        assert np.abs(x[..., -1]).max() > 30, name
    assert f["labels"]["joints/sleeve/speed"] == ["z", "rz"] and f["labels"]["joints/list/coordinate"] == ["y", "z", "rz", "rx"]


def check_integrals(fine, f):
    """By Simpson's rule, and where there are few outputs what there is with many."""
    t = fine["time"]
    for name, (_, _, _, forms, _) in JOINTS.items():
        x, rate = fine[f"joints/{name}/coordinate"], fine[f"joints/{name}/speed"]
        every = (len(t) - 1) // (len(f["time"]) - 1)
        near(f"{name} with many outputs", x[:, ::every], f[f"joints/{name}/coordinate"], 1e-8)
        pieces = (t[2::2] - t[:-2:2])[:, None] / 6 * (rate[:, :-2:2] + 4 * rate[:, 1:-1:2] + rate[:, 2::2])
        for k in (k for k, form in enumerate(forms) if form[0] != "v"):
            near(f"integral of {name}", np.cumsum(pieces[..., k], axis=1), x[:, 2::2, k] - x[:, :1, k], 2e-5)


PLANE = """\
sarrus: 1
space: {space}
bodies:
  - {{name: crank, mass: 1, inertia: {crank}, position: [0.2, 0.1{z}], velocity: [-1.5, 3{z}], angular_velocity: {w}}}
  - {{name: slide, mass: 0.5, inertia: {slide}, position: [0.7, 0.1{z}], velocity: [-1.5, 10.5{z}], angular_velocity: {w}}}
joints:
  - {{name: A, type: revolute, bodies: [ground, crank], at: [0, 0{z}], axis: [0, 0, 1], damping: 0.1}}
  - {{name: P, type: prismatic, bodies: [slide, crank], at: [0.5, 0.1{z}], axis: [3, 1{z}], stiffness: 400, rest: 0.1}}
integrator: {{method: rk4, dt: 5.0e-5, t_end: 0.8}}
output: {{channels: [joints], every: 2000}}
"""


def check_plane(program, folder):
    plane = run(program, folder, PLANE.format(space="planar", crank=0.1, slide=0.05, z="", w=15))
    space = run(program, folder, PLANE.format(space="spatial", crank=[1, 1, 0.1], slide=[1, 1, 0.05], z=", 0", w=[0, 0, 15]))
    assert np.abs(plane["joints/A/coordinate"]).max() > 10
    for joint in "AP":
        for word in ("coordinate", "speed"):
            bound = 1e-12 if word == "coordinate" else 1e-11
            near(f"{word} of {joint}", space[f"joints/{joint}/{word}"], plane[f"joints/{joint}/{word}"], bound)


LOOP = """\
sarrus: 1
space: spatial
gravity: [0, 0, 0]
bodies:
  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.95, 0.4, 0]}
  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.6, 0.4, 0]}
  - {name: a, mass: 1, inertia: [5, 5, 5], position: [0.1, 0, 0], velocity: [0, 1, 0], angular_velocity: [0, 0, 10]}
joints:
  - {name: D, type: spherical, bodies: [c, ground], at: [1, 0, 0]}
  - {name: C, type: cylindrical, bodies: [b, c], at: [0.9, 0.8, 0], axis: [0, 0, 1]}
  - {name: B, type: revolute, bodies: [a, b], at: [0.3, 0, 0], axis: [0, 0, 1]}
  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}
integrator: {method: verner65, dt: 1.0e-3, rtol: 1.0e-11, atol: 1.0e-12, t_end: 3}
output: {interval: 0.5, channels: [joints]}
"""


def check_loop(program, folder):
    """A four-bar linkage whose crank goes round: which of its joints closes the loop is nobody's concern."""
    f = run(program, folder, LOOP)
    for cut in "BCD":
        same(run(program, folder, LOOP, "--set", f"dynamics={{formulation: relative, cut: [{cut}]}}"), f, 1e-6)
    for joint in "AB":
        assert np.abs(f[f"joints/{joint}/coordinate"]).max() > 20, joint


def check_parts(program, folder, f):
    """Bits are those of the whole in its parts, of a replay, and of some trajectories alone."""
    folder = pathlib.Path(folder)
    file, whole = str(folder / "scenario.yaml"), str(folder / "whole.h5")
    parts = [str(folder / f"part{i}.h5") for i in range(2)]
    for i, part in enumerate(parts):
        command_run(program, "run", file, "-o", part, "--backend", "cpu", "--quiet", "--shard", f"{i}/2")
    command_run(program, "merge", *parts, "-o", whole)
    merged = read(whole)
    for name in f:
        if name.startswith(("joints/", "statistics/joints/", "quantities/")):
            assert np.array_equal(merged[name], f[name], equal_nan=True), name
    replay = str(folder / "replay.h5")
    command_run(program, "run", file, "-o", replay, "--backend", "cpu", "--quiet", "--instance", "2")
    one = read(replay)
    is_output = one["replay/is_output"][0] == 1
    for name in JOINTS:
        for word in ("coordinate", "speed"):
            assert np.array_equal(one[f"joints/{name}/{word}"][0][is_output], f[f"joints/{name}/{word}"][2]), name


MOVED = "ground={motion: {x: {signal: {polynomial: [0, 0, 1]}}, angle: {signal: {polynomial: [0, 0, 3]}}, axis: [0, 0, 1]}}"


def main():
    program = place()
    if program is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        f = run(program, folder, scenario())
        check(f)
        check_closed_forms(f)
        check_parts(program, folder, f)
        check_integrals(run(program, folder, scenario(), "--set", "output.interval=0.005", "--instances", "4"), f)
        relative = ("--set", "dynamics={formulation: relative}")
        other = run(program, folder, scenario(), *relative)
        check(other)
        same(other, f, 1e-7)
        same(run(program, folder, scenario(LET_GO), *relative, "--set", "output.quantities={}"), f, 1e-7)
        check_loop(program, folder)
        check(run(program, folder, scenario(), "--set", MOVED), moves=True)
        check_plane(program, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

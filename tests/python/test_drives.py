"""Random planar mechanisms with drives: `sarrus check` refuses none that can be followed, and most of those that cannot.

    python3 tests/python/test_drives.py [N [SEED]]      N mechanisms of every family (8), from SEED (0)

Whether a drive can be followed is judged here, by other means: arc-length continuation of Phi(q, t) = 0 in (q, t) with rows
written down anew. Where dt/ds turns negative a drive has come to the end of its reach; where no curve leaves the start the drives
contradict other constraints; at singular positions the curve goes straight on.
Exit code 77 (skipped) without the program or NumPy."""

import collections
import math
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

PI = math.pi


class Mechanism:
    """Bodies in their given configuration and joints between them; `signal` of a joint is (text, function of time)."""

    def __init__(self, rng):
        self.rng = rng
        self.scale = float(10.0 ** rng.uniform(-3, 2)) if rng.random() < 0.3 else 1.0
        self.t_end = float(rng.uniform(0.5, 10))
        self.names, self.q0, self.joints = [], [], []
        self.is_tree = False

    def body(self, name, x, y, angle=0.0):
        self.names.append(name)
        self.q0 += [float(x), float(y), float(angle)]
        return len(self.names) - 1

    def link(self, name, a, b):
        a, b = np.asarray(a, float), np.asarray(b, float)
        return self.body(name, *((a + b) / 2), math.atan2(b[1] - a[1], b[0] - a[0]))

    def local(self, body, point):
        if body < 0:
            return np.asarray(point, float)
        x, y, angle = self.q0[3 * body : 3 * body + 3]
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, s], [-s, c]]) @ (np.asarray(point, float) - [x, y])

    def angle(self, body):
        return self.q0[3 * body + 2] if body >= 0 else 0.0

    def joint(self, name, parent, child, at, axis=None, signal=None):
        """A revolute joint, or with the angle of an axis a prismatic one."""
        turn = None if axis is None else axis - self.angle(parent)
        self.joints.append([name, parent, child, self.local(parent, at), self.local(child, at), turn, signal])

    def drive(self, name, signal):
        next(joint for joint in self.joints if joint[0] == name)[6] = signal

    def prepare(self):
        q = np.array(self.q0)
        points = [q[3 * b : 3 * b + 2] for b in range(len(self.names))] + [j[3] for j in self.joints if j[1] < 0]
        self.size = max(float(np.hypot(*np.ptp(np.array(points), axis=0))), 1e-12)
        self.unit = np.array([self.size, self.size, 1.0] * len(self.names))
        return q

    def end(self, q, body, point):
        """A joint's point on a body, the angle there, and the derivatives of both."""
        n = len(q)
        if body < 0:
            return point, np.zeros((2, n)), 0.0, np.zeros(n)
        x, y, a = q[3 * body : 3 * body + 3]
        c, s = math.cos(a), math.sin(a)
        arm = np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])
        d, e = np.zeros((2, n)), np.zeros(n)
        d[0, 3 * body] = d[1, 3 * body + 1] = e[3 * body + 2] = 1.0
        d[:, 3 * body + 2] = [-arm[1], arm[0]]
        return np.array([x, y]) + arm, d, a, e

    def rows(self, q, t):
        """Phi and its Jacobian, without units."""
        phi, jacobian = [], []
        for _, parent, child, at_parent, at_child, axis, signal in self.joints:
            p, dp, a, da = self.end(q, parent, at_parent)
            c, dc, b, db = self.end(q, child, at_child)
            gap, dgap, turn = (c - p) / self.size, (dc - dp) / self.size, b - a - (self.angle(child) - self.angle(parent))
            s = signal[1](t) if signal else 0.0
            if axis is None:
                phi += [*gap] + ([turn - s] if signal else [])
                jacobian += [*dgap] + ([db - da] if signal else [])
                continue
            along = np.array([math.cos(axis + a), math.sin(axis + a)])
            across = np.array([-along[1], along[0]])
            phi += [across @ gap, turn] + ([along @ gap - s / self.size] if signal else [])
            jacobian += [across @ dgap - (along @ gap) * da, db - da] + ([along @ dgap + (across @ gap) * da] if signal else [])
        return np.array(phi), np.array(jacobian) * self.unit

    def yaml(self):
        lines = ["sarrus: 1", "space: planar", "gravity: [0, 0]", "bodies:"]
        for b, name in enumerate(self.names):
            x, y, a = self.q0[3 * b : 3 * b + 3]
            mass = float(np.exp(self.rng.uniform(-1.5, 1.5)))
            inertia = mass * self.scale**2 * 0.05
            place = f"position: [{x!r}, {y!r}], orientation: {a!r}"
            lines.append(f"  - {{name: {name}, mass: {mass!r}, inertia: {inertia!r}, {place}}}")
        lines.append("joints:")
        for name, parent, child, p, c, axis, signal in self.joints:
            who = ", ".join(self.names[b] if b >= 0 else "ground" for b in (parent, child))
            points = f"[[{float(p[0])!r}, {float(p[1])!r}], [{float(c[0])!r}, {float(c[1])!r}]]"
            line = f"  - {{name: {name}, type: {'revolute' if axis is None else 'prismatic'}, bodies: [{who}], points: {points}"
            if axis is not None:
                turn = axis + self.angle(parent)
                line += f", axis: [{math.cos(turn)!r}, {math.sin(turn)!r}]"
            lines.append(line + (f", drive: {{signal: {signal[0]}}}" if signal else "") + "}")
        lines.append(f"integrator: {{dt: {self.t_end / 1000!r}, t_end: {self.t_end!r}}}")
        return "\n".join(lines) + "\n"


class Curve:
    """Phi(q, t) = 0 in (q, t), both without units: lengths of the mechanism, and the time in which drives move by one."""

    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.q = mechanism.prepare()
        times = np.linspace(0, mechanism.t_end, 400)
        path = 1e-3
        for joint in mechanism.joints:
            if joint[6]:
                s = np.array([joint[6][1](t) for t in times]) / (1.0 if joint[5] is None else mechanism.size)
                path = max(path, float(np.abs(np.diff(s)).sum()))
        self.unit_t = mechanism.t_end / path
        self.h = 1e-6 * self.unit_t

    def full(self, q, t):
        """Phi, and its derivative by q and t: the latter by a difference that does not begin before 0."""
        phi, jacobian = self.mechanism.rows(q, t)
        t = max(t, 2 * self.h)
        rate = (self.mechanism.rows(q, t + self.h)[0] - self.mechanism.rows(q, t - self.h)[0]) / (2 * self.h)
        return phi, np.column_stack([jacobian, rate * self.unit_t])

    def tangent(self, q, t, before):
        """The direction of the curve; among several, that which goes on as before, or at first in time. None: there is none."""
        _, full = self.full(q, t)
        _, s, vt = np.linalg.svd(full)
        null = vt[int((s > 1e-7 * s[0]).sum()) :]
        along = null.T @ (null[:, -1] if before is None else null @ before)
        length = np.linalg.norm(along)
        return along / length if length > 1e-6 else None

    def step(self, q, t, v, length):
        """The next point, or None."""
        q, start = q + length * v[:-1] * self.mechanism.unit, t
        t = t + length * v[-1] * self.unit_t
        for _ in range(12):
            phi, full = self.full(q, t)
            if np.linalg.norm(phi) < 1e-11:
                return q, t
            d = np.linalg.lstsq(np.vstack([full, v]), np.append(phi, 0.0), rcond=1e-12)[0]
            q, t = q - d[:-1] * self.mechanism.unit, t - d[-1] * self.unit_t
            if not abs(t - start) < self.unit_t:
                break
        return None

    def judge(self, max_steps=4000, longest=0.03):
        """'ok', 'end' or 'contradiction', or 'unknown' where the steps did not suffice."""
        q, t, length = self.q, 0.0, 0.1 * longest
        v = self.tangent(q, t, None)
        if v is None:
            return "contradiction"
        for _ in range(max_steps):
            if t >= self.mechanism.t_end:
                return "ok"
            there = self.step(q, t, v, length)
            w = self.tangent(*there, v) if there else None
            if w is None or w @ v < 0.98:
                length *= 0.5
                if length < 1e-7:
                    return "contradiction" if v[-1] > 1e-9 else "unknown"
                continue
            if there[1] < t - 1e-9 * self.unit_t and w[-1] < 0:
                return "end"
            (q, t), v, length = there, w, min(1.5 * length, longest)
        return "unknown"


def motion(rng, t_end, reach):
    """A signal that begins at 0 and goes about `reach` far, rad or m."""
    reach = reach if rng.random() < 0.5 else -reach
    kind = rng.integers(3)
    if kind == 0:
        slope = reach / t_end
        return f"{{ramp: {{slope: {slope!r}}}}}", lambda t: slope * max(0.0, t)
    if kind == 1:
        f = float(rng.uniform(0.3, 3.0)) / t_end
        return f"{{sine: {{amplitude: {reach!r}, frequency: {f!r}}}}}", lambda t: reach * math.sin(2 * PI * f * t)
    c = [0.0] + [reach / t_end**k * float(rng.uniform(0 if k < 3 else -1, 1)) for k in (1, 2, 3)]
    return f"{{polynomial: {c!r}}}", lambda t: sum(c[k] * t**k for k in range(4))


def far(rng, most):
    return float(np.exp(rng.uniform(math.log(0.05), math.log(most))))


def drive_one_of(rng, m, names):
    name = names[rng.integers(len(names))]
    is_revolute = next(joint for joint in m.joints if joint[0] == name)[5] is None
    m.drive(name, motion(rng, m.t_end, far(rng, 8 * PI) if is_revolute else far(rng, 2.5) * m.scale))
    return m


def elbow(rng, a, reach_a, b, reach_b):
    """A point at given distances from two others; None when there is none."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    d = float(np.hypot(*(b - a)))
    if d > reach_a + reach_b or d < abs(reach_a - reach_b) or d == 0:
        return None
    x = (d * d + reach_a**2 - reach_b**2) / (2 * d)
    u, y = (b - a) / d, math.sqrt(max(reach_a**2 - x * x, 0.0)) * (1 if rng.random() < 0.5 else -1)
    return a + x * u + y * np.array([-u[1], u[0]])


def four_bar_of(m, p, x, foot):
    crank, coupler, rocker = m.link("crank", (0, 0), p), m.link("coupler", p, x), m.link("rocker", foot, x)
    m.joint("A", -1, crank, (0, 0))
    m.joint("B", crank, coupler, p)
    m.joint("C", coupler, rocker, x)
    m.joint("D", -1, rocker, foot)
    return crank, coupler, rocker


def free_four_bar(rng):
    m = Mechanism(rng)
    while True:
        d, a, b, c = m.scale * rng.uniform(0.3, 1.5, 4)
        theta, foot = rng.uniform(-PI, PI), np.array([d, 0.0])
        p = a * np.array([math.cos(theta), math.sin(theta)])
        x = elbow(rng, p, b, foot, c)
        if x is not None and abs((x - p)[0] * (x - foot)[1] - (x - p)[1] * (x - foot)[0]) > 0.05 * m.scale**2:
            return m, p, x, foot, four_bar_of(m, p, x, foot)


def four_bar(rng):
    return drive_one_of(rng, free_four_bar(rng)[0], "AADBC")


def over_driven(rng):
    m = free_four_bar(rng)[0]
    for name in "AD":
        m.drive(name, motion(rng, m.t_end, far(rng, 2.0)))
    return m


def six_bar(rng, m, base, tip, feet, names):
    """A dyad from a point of body `base` to ground."""
    while True:
        foot = feet()
        b, c = m.scale * rng.uniform(0.4, 1.5, 2)
        y = elbow(rng, tip, b, foot, c)
        if y is not None:
            break
    one, two = m.link("dyad1", tip, y), m.link("dyad2", foot, y)
    m.joint("E", base, one, tip)
    m.joint("F", one, two, y)
    m.joint("H", -1, two, foot)
    return drive_one_of(rng, m, names)


def watt(rng):
    m, _, x, foot, bodies = free_four_bar(rng)
    tip = x + m.scale * rng.uniform(-0.6, 0.6, 2)
    return six_bar(rng, m, bodies[2], tip, lambda: foot + m.scale * rng.uniform((0.3, -0.5), (1.5, 0.5)), "AADHBF")


def stephenson(rng):
    m, p, x, _, bodies = free_four_bar(rng)
    tip = (p + x) / 2 + m.scale * rng.uniform(-0.6, 0.6, 2)
    return six_bar(rng, m, bodies[1], tip, lambda: m.scale * rng.uniform(-1.0, 2.0, 2), "AADHEF")


def slider_crank(rng):
    m = Mechanism(rng)
    while True:
        r, rod, e = m.scale * rng.uniform((0.2, 0.5, -0.3), (0.8, 1.5, 0.3))
        theta = rng.uniform(-PI, PI)
        p = r * np.array([math.cos(theta), math.sin(theta)])
        if abs(e - p[1]) < 0.95 * rod:
            break
    x = np.array([p[0] + math.sqrt(rod * rod - (e - p[1]) ** 2), e])
    crank, rod, slider = m.link("crank", (0, 0), p), m.link("rod", p, x), m.body("slider", *x)
    m.joint("A", -1, crank, (0, 0))
    m.joint("B", crank, rod, p)
    m.joint("C", rod, slider, x)
    m.joint("G", -1, slider, x, axis=0.0)
    return drive_one_of(rng, m, "AGBC")


def open_chain(rng):
    """Some joints driven, by up to 30 turns: there is nothing that such drives could contradict."""
    m = Mechanism(rng)
    m.is_tree = True
    at, before = np.zeros(2), -1
    for k in range(int(rng.integers(1, 5))):
        angle = rng.uniform(-PI, PI)
        to = at + m.scale * rng.uniform(0.3, 1.0) * np.array([math.cos(angle), math.sin(angle)])
        link = m.link(f"link{k}", at, to)
        slides, is_driven = rng.random() < 0.25, rng.random() < 0.6 or k == 0
        signal = motion(rng, m.t_end, far(rng, 3.0) * m.scale if slides else far(rng, 200.0)) if is_driven else None
        m.joint(f"J{k}", before, link, at, axis=float(rng.uniform(-PI, PI)) if slides else None, signal=signal)
        at, before = to, link
    return m


def parallelogram(rng):
    """Three parallel cranks, so that a row is redundant and the flat position singular; one or two driven, alike or not."""
    m = Mechanism(rng)
    gaps, angle = m.scale * rng.uniform(0.5, 1.5, 2), float(rng.uniform(0.05, PI - 0.05))
    arm = m.scale * float(rng.uniform(0.3, 1.0)) * np.array([math.cos(angle), math.sin(angle)])
    feet = [np.zeros(2), np.array([gaps[0], 0.0]), np.array([gaps.sum(), 0.0])]
    cranks = [m.link(f"crank{k}", foot, foot + arm) for k, foot in enumerate(feet)]
    coupler = m.link("coupler", feet[0] + arm, feet[2] + arm)
    for k, foot in enumerate(feet):
        m.joint(f"A{k}", -1, cranks[k], foot)
        m.joint(f"B{k}", cranks[k], coupler, foot + arm)
    signal, other = motion(rng, m.t_end, far(rng, 8 * PI)), rng.random()
    m.drive("A0", signal)
    if other < 0.5:
        m.drive("A1", signal if other < 0.35 else motion(rng, m.t_end, far(rng, 8 * PI)))
    return m


def scissor_lift(rng):
    m = Mechanism(rng)
    angle = float(rng.uniform(0.3, 1.2))
    w, h = m.scale * math.cos(angle), m.scale * math.sin(angle)
    slider = m.body("slider", w, 0)
    m.joint("G", -1, slider, (w, 0), axis=0.0)
    left, right = -1, slider
    for k in range(int(rng.integers(1, 4))):
        up, down = m.link(f"up{k}", (0, k * h), (w, (k + 1) * h)), m.link(f"down{k}", (w, k * h), (0, (k + 1) * h))
        m.joint(f"L{k}", left, up, (0, k * h))
        m.joint(f"R{k}", right, down, (w, k * h))
        m.joint(f"M{k}", up, down, (w / 2, (k + 0.5) * h))
        left, right = down, up
    return drive_one_of(rng, m, ["G", "G", "L0", "R0", "M0"])


def change_point(rng):
    """Four-bars with a flat position: parallelograms, and those with crank + coupler = rocker + ground."""
    m = Mechanism(rng)
    a, b = m.scale * rng.uniform(0.3, 1.0, 2)
    is_parallel, more = rng.random() < 0.5, 0.3 * m.scale
    crank, coupler, rocker, ground = (a, b, a, b) if is_parallel else (a, b + more, a + more, b)
    x = None
    while x is None:
        theta = float(rng.uniform(0.1, PI - 0.1))
        p = crank * np.array([math.cos(theta), math.sin(theta)])
        x = p + np.array([ground, 0.0]) if is_parallel else elbow(rng, p, coupler, (ground, 0), rocker)
    four_bar_of(m, p, x, np.array([ground, 0.0]))
    return drive_one_of(rng, m, "AAD")


FAMILIES = [four_bar, slider_crank, watt, stephenson, open_chain, parallelogram, scissor_lift, over_driven, change_point]


def said_of(m, folder):
    path = pathlib.Path(folder) / "mechanism.yaml"
    path.write_text(m.yaml(), encoding="utf-8")
    result = subprocess.run([os.environ["SARRUS_PROGRAM"], "check", str(path)], capture_output=True, text=True, check=False)
    if result.returncode == 2:
        assert ": error: the drive" in result.stderr, result.stderr
        return "refused"
    assert result.returncode == 0, result.stderr
    return "doubted" if "\n  doubtful drive" in result.stdout else "accepted"


def main(n, first_seed):
    count = collections.Counter()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for i, family in enumerate(FAMILIES):
            for seed in range(first_seed, first_seed + n):
                m = family(np.random.default_rng([seed, i]))
                truth = "ok" if m.is_tree else Curve(m).judge()
                said = said_of(m, folder)
                count[truth, said] += 1
                if truth == "ok" and said != "accepted":
                    wrong.append(f"{family.__name__} {seed}: {said}, but it can be followed")
                elif truth in ("end", "contradiction") and said != "refused":
                    print(f"missed: {family.__name__} {seed}: {said} ({truth})")
    for (truth, said), number in sorted(count.items()):
        print(f"{truth:14} {said:9} {number}")
    assert not wrong, "\n".join(wrong)
    bad = [(said, number) for (truth, said), number in count.items() if truth in ("end", "contradiction")]
    n_bad, n_refused = sum(number for _, number in bad), sum(number for said, number in bad if said == "refused")
    # Of hundreds, one or two end where another branch is near, and are only told of.
    assert n_bad >= 2 * n and n_refused >= 0.95 * n_bad, f"{n_refused} of {n_bad} refused"


if __name__ == "__main__":
    if "SARRUS_PROGRAM" not in os.environ:
        print("skipped: SARRUS_PROGRAM names no program")
        sys.exit(77)
    main(*(int(text) for text in sys.argv[1:3] + ["8", "0"][len(sys.argv) - 1 :]))

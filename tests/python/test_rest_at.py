"""Springs whose relaxed position stays put (`rest_at: absolute`), against closed forms: without gravity every one of these
mechanisms is an oscillator x(t) = rest + (x0 - rest) cos(w t), x0 drawn. In the plane and in space, in absolute and in relative
coordinates, with parents and children exchanged, with rests that are drawn too. And what is refused. Exit code 77 (skipped) without
a program or h5py."""

import pathlib
import re
import subprocess
import sys
import tempfile
import types

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    sys.exit(77)

from program import place

PROGRAM = place()
if PROGRAM is None:
    sys.exit(77)

# A step's error is below rtol of a coordinate of up to 4; over 2 s some 200 steps of dopri5 add up, and speeds of up to 4 times the
# coordinates turn errors of them into errors of coordinates: 4 * 200 * 4 * 1e-12 = 3e-9.
TOLERANCE = 1e-8

TAIL = """
dynamics: {{formulation: {formulation}}}
integrator: {{method: dopri5, dt: 1.0e-2, rtol: 1.0e-12, atol: 1.0e-13, t_end: 2}}
batch:
  instances: 12
  seed: 4
  parameters:
    - {{name: a, distribution: uniform, low: -1.5, high: 2.5}}
    - {{name: r, distribution: uniform, low: -0.4, high: 0.6}}
output: {{interval: 0.1, channels: [state, joints, energy]}}
"""
PLANAR = """
sarrus: 1
space: planar
gravity: [0, 0]
parameters: {a: 0.5, r: 0.1}
"""
SPATIAL = """
sarrus: 1
space: spatial
gravity: [0, 0, 0]
parameters: {a: 0.5, r: 0.1, c: "=cos(a)", s: "=sin(a)"}
"""
# The rod's center is 0.5 from the pin: about it 0.2 + 2 * 0.25 = 0.7 kg m2.
PENDULUM = """
bodies:
  - {name: rod, mass: 2, inertia: 0.2, position: ["=0.5*cos(a)", "=0.5*sin(a)"], orientation: "=a"}
joints:
  - {name: A, type: revolute, bodies: BODIES, at: [0, 0], stiffness: 3, rest: REST, rest_at: absolute}
"""
# Two discs on one pin, both turned at the start: their difference has 1/(1/0.2 + 1/0.3) = 0.12 kg m2.
DISCS = """
bodies:
  - {name: one, mass: 1, inertia: 0.2, position: [0, 0], orientation: "=0.3 - a"}
  - {name: two, mass: 1, inertia: 0.3, position: [0, 0], orientation: "=0.3 + a"}
joints:
  - {name: P, type: revolute, bodies: [ground, one], at: [0, 0]}
  - {name: A, type: revolute, bodies: [one, two], at: [0, 0], stiffness: 3, rest: "=r", rest_at: absolute}
"""
SLIDER = """
bodies:
  - {name: block, mass: 2, inertia: 0.2, position: ["=0.6*a", "=0.8*a"]}
joints:
  - name: A
    type: TYPE
    bodies: [ground, block]
    points: [[0, 0], [0, 0]]
    axis: [3, 4]
    stiffness: 3
    rest: "=r"
    rest_at: absolute
"""
# The axis is (2, 3, 6)/7; the child's frame is turned about it, or across it as well.
WHEEL = """
bodies:
  - {name: rod, mass: 2, inertia: [0.7, 0.7, 0.7], position: [0, 0, 0], orientation: {axis: [2, 3, 6], angle: "=a"}}
joints:
  - {name: A, type: revolute, bodies: BODIES, at: [0, 0, 0], axis: [2, 3, 6], stiffness: 3, rest: REST, rest_at: absolute}
"""
# About the third axis by a, then by a turn of 1 rad about a direction across it.
TILTED = """
bodies:
  - name: rod
    mass: 2
    inertia: [0.7, 0.7, 0.7]
    position: [0, 0, 0]
    orientation: ["=cos(a/2)*cos(0.5)", "=cos(a/2)*sin(0.5)", "=sin(a/2)*sin(0.5)", "=sin(a/2)*cos(0.5)"]
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], stiffness: 3, rest: "=r", rest_at: absolute}
"""
# Along the axis and about it: two oscillators, 2 kg and 0.7 kg m2.
CYLINDER = """
bodies:
  - name: rod
    mass: 2
    inertia: [0.7, 0.7, 0.7]
    position: ["=2*a", "=3*a", "=6*a"]
    orientation: {axis: [2, 3, 6], angle: "=a"}
joints:
  - name: A
    type: cylindrical
    bodies: [ground, rod]
    points: [[0, 0, 0], [0, 0, 0]]
    axis: [2, 3, 6]
    stiffness: [3, 3]
    rest: ["=7*r", "=r"]
    rest_at: absolute
"""
# A general joint that leaves the second axis to slide along and the first to turn about.
GENERAL = """
bodies:
  - {name: rod, mass: 2, inertia: [0.7, 0.7, 0.7], position: [0, "=a", 0], orientation: {axis: [1, 0, 0], angle: "=a"}}
joints:
  - name: A
    type: general
    constrain: [x, z, ry, rz]
    bodies: [ground, rod]
    points: [[0, 0, 0], [0, 0, 0]]
    stiffness: [3, 3]
    rest: ["=r", "=r"]
    rest_at: absolute
"""


def run(folder, text, code=0):
    scenario, out = folder / "scenario.yaml", folder / "out.h5"
    scenario.write_text(text, encoding="utf-8")
    command = [PROGRAM, "run", scenario, "-o", out, "--quiet", "--specialize", "off"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, (text, done.stderr)
    return out if code == 0 else done.stderr


def check(folder, text, stiffness_over_mass, begin, rest):
    """begin: the coordinates [k] at t = 0, of the drawn a; rest: those where springs are relaxed, of the drawn a and r. Results
    count from the beginning."""
    for formulation in ("udwadia-kalaba", "relative"):
        path = run(folder, text + TAIL.format(formulation=formulation))
        with h5py.File(path) as file:
            drawn = types.SimpleNamespace(**{name: file[f"instance/parameters/{name}"][...] for name in "ar"})
            t, found = file["time"][...], file["joints/A/coordinate"][...]
            assert (file["instance/status"][...] == 0).all()
        assert np.ptp(drawn.a) > 1, "too few different beginnings to tell anything"
        for k, (x0, x1, w2) in enumerate(zip(begin(drawn.a), rest(drawn), stiffness_over_mass, strict=True)):
            wanted = (x1 - x0)[:, None] * (1 - np.cos(np.sqrt(w2) * t)[None, :])
            difference = np.abs(found[:, :, k] - wanted).max()
            assert difference < TOLERANCE, (formulation, k, difference, text)


def nearest(x, to):
    return x + 2 * np.pi * np.rint((to - x) / (2 * np.pi))


def check_plane(folder):
    for sign, bodies in ((1, "[ground, rod]"), (-1, "[rod, ground]")):
        for value, rest in (('"=r"', lambda x: [x.r]), ("7", lambda x: [7 + 0 * x.a])):
            text = PLANAR + PENDULUM.replace("BODIES", bodies).replace("REST", value)
            check(folder, text, [3 / 0.7], lambda a, sign=sign: [sign * a], rest)
    check(folder, PLANAR + DISCS, [3 / 0.12], lambda a: [2 * a], lambda x: [x.r])
    for kind in ("prismatic", "slot"):
        check(folder, PLANAR + SLIDER.replace("TYPE", kind), [3 / 2], lambda a: [a], lambda x: [x.r])
    # counted from the given configuration, the same numbers are other motions
    given = PENDULUM.replace("BODIES", "[ground, rod]").replace("REST", '"=r"').replace("absolute", "given")
    check(folder, PLANAR + given, [3 / 0.7], lambda a: [a], lambda x: [x.a + x.r])


def check_space(folder):
    for sign, bodies in ((1, "[ground, rod]"), (-1, "[rod, ground]")):
        wheel = WHEEL.replace("BODIES", bodies)
        check(folder, SPATIAL + wheel.replace("REST", '"=r"'), [3 / 0.7], lambda a, s=sign: [s * a], lambda x: [x.r])
        # of the turns that the frames may be apart, that nearest to the rest
        far = SPATIAL + wheel.replace("REST", "4")
        check(folder, far, [3 / 0.7], lambda a, s=sign: [nearest(s * a, 4)], lambda x: [4 + 0 * x.a])
    check(folder, SPATIAL + TILTED, [3 / 0.7], lambda a: [a], lambda x: [x.r])
    check(folder, SPATIAL + CYLINDER, [3 / 2, 3 / 0.7], lambda a: [7 * a, a], lambda x: [7 * x.r, x.r])
    check(folder, SPATIAL + GENERAL, [3 / 2, 3 / 0.7], lambda a: [a, a], lambda x: [x.r, x.r])


def check_refusals(folder):
    def refused(text, *words):
        found = run(folder, text + TAIL.format(formulation="udwadia-kalaba"), code=2)
        assert all(word in found for word in words), found

    slider = PLANAR + SLIDER.replace("TYPE", "prismatic")
    refused(slider.replace("points: [[0, 0], [0, 0]]", "at: [0, 0]"), "two points are one at t = 0", "'points'")
    refused(slider.replace("absolute", "relative"), "given", "absolute")
    fixed = slider.replace("prismatic", "fixed").replace('    axis: [3, 4]\n    stiffness: 3\n    rest: "=r"\n', "")
    refused(fixed, "'rest_at' in a fixed")
    spatial = SPATIAL + CYLINDER
    refused(spatial.replace("points: [[0, 0, 0], [0, 0, 0]]", "at: [0, 0, 0]"), "two points are one at t = 0")
    universal = spatial.replace("cylindrical", "universal").replace("axis: [2, 3, 6]\n ", "axes: [[1, 0, 0], [0, 1, 0]]\n ")
    refused(universal, "two angles")
    screw = spatial.replace("cylindrical", "screw").replace("[3, 3]", "3").replace('["=7*r", "=r"]', "1\n    pitch: 0.1")
    refused(screw, "a thread")
    refused((SPATIAL + GENERAL).replace("[x, z, ry, rz]", "[x, z, y, rz]"), "two angles")
    # half a turn about an axis across: the frames say nothing of the angle
    half = re.sub(r"orientation: .*", "orientation: [0, 1, 0, 0]", TILTED)
    refused(SPATIAL + half, "have no meaning together")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_plane(folder)
        check_space(folder)
        check_refusals(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

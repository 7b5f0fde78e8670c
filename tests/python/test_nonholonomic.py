"""Motions of what does not slip, against closed forms, and formulations and integrators against one another.

- Chaplygin's sleigh: u' = a w^2, w' = -m a u w/J with J = I + m a^2, so u = U tanh(a sqrt(E m) t/J + c), E = m u^2 + J w^2.
- A ball on a slope: 5/7 of what a slide without friction has, and the force of contact.
- A ball on a turntable: its centre goes round on a circle with 2/7 of the table's rate.
- A disc that rolls round, a steady motion.
- A wheel that is driven: the point has the speed of the signal, and the work is in the balance.
- `linear` with the numbers of a knife edge is one, bit by bit.
- Redundant blades move as one; their forces are not unique and say so.
- Beside joints that hold the same, rows of speeds are the redundant ones.
- A disc that comes by a place where its rows depend on one another crosses nothing there.
- Speeds that contradict one another, a disc that lies flat and a row of zeros are told; `saddle` takes a row of turns alone.

Exit code 77 (skipped) without a program or h5py."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from program import SOURCE, place

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

SHARP = "integrator={method: verner65, rtol: 1.0e-12, atol: 1.0e-14, t_end: %g}"
WAYS = {
    "rk4": "integrator={method: rk4, dt: 1.0e-3, t_end: %g}",
    "dopri5": "integrator={method: dopri5, rtol: 1.0e-11, atol: 1.0e-13, t_end: %g}",
    "verner65": SHARP,
    "adams-moulton": "integrator={method: adams-moulton, rtol: 1.0e-11, atol: 1.0e-13, t_end: %g}",
}
FORMULATIONS = ("udwadia-kalaba", "relative", "recursive", "null-space", "saddle", "range-space")

OTHER_ROD = """  - {name: r1, type: distance, bodies: [ground, d],
     at: [[-0.13605502856882462, -0.6111841173966254, 0.9807155954370854],
     [-0.05593728002247024, -0.06497282992411495, -0.110652794695184]]}
"""
DISC_ON_RODS = f"""sarrus: 1
space: spatial
gravity: [0, 0, 0]
bodies:
  - {{name: d, mass: 1, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0],
     orientation: [0.7904419974243775, 0.2330865901878146, -0.5014450143551582, -0.26348621929947935],
     velocity: [-0.18543574088798048, -0.7670311892242198, -0.8287764791609051],
     angular_velocity: [4.1765004179778416, -0.07375985608211658, 1.5662966723676957]}}
joints:
  - {{name: r0, type: distance, bodies: [ground, d], at: [[-0.769267247245651, 0.4581728291542931, 1.812444612856339],
     [-0.020921005392788693, 0.13434935621562544, -0.19266083963987649]]}}
{OTHER_ROD}constraints:
  - {{name: roll, type: nonholonomic, kind: rolling, bodies: [ground, d], radius: 0.2, axis: [0, 0, 1],
     plane: {{point: [0, 0, -0.1842942069095991], normal: [0, 0, 1]}}}}
integrator: {{method: dopri5, t_end: 5}}
output: {{interval: 0.01, channels: [state, energy, constraint, rank]}}
"""

SLOPE = """sarrus: 1
space: spatial
gravity: [4.905, 0, -8.49570921111257]
bodies:
  - {name: ball, mass: 3, inertia: [0.012, 0.012, 0.012], position: [0, 0, 0.1], velocity: [0, 0.5, 0],
     angular_velocity: [-5, 0, 2]}
joints: []
constraints:
  - {name: roll, type: nonholonomic, kind: rolling, bodies: [ground, ball], radius: 0.1, plane: {normal: [0, 0, 1]}}
integrator: {method: rk4, dt: 1.0e-3, t_end: 2}
output: {interval: 0.05, channels: [state, energy, constraint, rank, reactions]}
"""
TABLE = """sarrus: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  - {name: table, mass: 5, inertia: [1, 1, 2], position: [0, 0, -0.1], angular_velocity: [0, 0, 3]}
  - {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.5, 0, 0.1], velocity: [0.2, 0.3, 0],
     angular_velocity: [12, 2, 0]}
joints:
  - {name: shaft, type: revolute, bodies: [ground, table], at: [0, 0, 0], axis: [0, 0, 1],
     drive: {signal: {polynomial: [0, 3]}}}
constraints:
  - {name: roll, type: nonholonomic, kind: rolling, bodies: [table, ball], radius: 0.1,
     plane: {point: [0, 0, 0.1], normal: [0, 0, 1]}}
integrator: {method: rk4, dt: 1.0e-3, t_end: 8}
output: {interval: 0.05, channels: [state, energy, work, constraint, rank, reactions]}
"""
# What slips nowhere because joints hold it already: a blade in a pin, a wheel along a rail, a ball between two links.
IN_A_PIN = """sarrus: 1
space: planar
bodies:
  - {name: b, mass: 1, inertia: 0.1, position: [0.5, 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, b], at: [0, 0]}
constraints:
  - {name: idle, type: nonholonomic, kind: linear, bodies: [ground, b], point: [-0.5, 0], along: [3, 0]}
integrator: {method: dopri5, t_end: 2}
output: {interval: 0.1, channels: [state, energy, constraint, rank, reactions]}
"""
ON_A_RAIL = """sarrus: 1
space: planar
bodies:
  - {name: arm, mass: 2, inertia: 0.5, position: [0.5, 0]}
  - {name: car, mass: 0.5, inertia: 0.02, position: [0.5, 0.1]}
joints:
  - {name: A, type: revolute, bodies: [ground, arm], at: [0, 0]}
  - {name: R, type: prismatic, bodies: [arm, car], at: [0.5, 0.1], axis: [1, 0], stiffness: 200}
constraints:
  - {name: idle, type: nonholonomic, kind: knife_edge, bodies: [arm, car], point: [5.0, 0], across: [0, 1]}
integrator: {method: dopri5, t_end: 2}
output: {interval: 0.1, channels: [state, energy, constraint, rank, reactions]}
"""
BETWEEN_LINKS = """sarrus: 1
space: spatial
gravity: [2, 0.7, -9.81]
bodies:
  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.15], position: [0, 0.3, 1], angular_velocity: [1, 2, 0.5]}
  - {name: b, mass: 1, inertia: [0.1, 0.12, 0.1], position: [0.4, 0.1, 0.5]}
joints:
  - {name: S, type: spherical, bodies: [ground, a], at: [0, 0, 1.3]}
  - {name: U, type: universal, bodies: [a, b], at: [0.1, 0.2, 0.7], axes: [[1, 0, 0], [0, 1, 0]]}
constraints:
  - {name: idle, type: nonholonomic, kind: rolling, bodies: [a, b], radius: 0.3, point: [0.1, 0.05, 0],
     plane: {point: [0, 0, -0.8], normal: [0, 0, 1]}}
integrator: {method: dopri5, rtol: 1.0e-4, t_end: 3}
output: {interval: 0.1, channels: [state, energy, constraint, rank, reactions]}
"""
CART = """sarrus: 1
space: planar
gravity: [0, 0]
bodies:
  - {name: cart, mass: 4, inertia: 0.6, position: [0, 0]}
  - {name: fork, mass: 0.5, inertia: 0.01, position: [0.36, 0.03], orientation: 0.3}
joints:
  - {name: pivot, type: revolute, bodies: [cart, fork], at: [0.3, 0], damping: 0.02}
constraints:
  - {name: axle, type: nonholonomic, kind: knife_edge, bodies: [ground, cart], point: [-0.2, 0], across: [0, 1]}
  - {name: motor, type: nonholonomic, kind: knife_edge, bodies: [ground, cart], point: [-0.2, 0.15], across: [1, 0],
     speed: {signal: {sine: {amplitude: 0.4, frequency: 0.5}}}}
  - {name: castor, type: nonholonomic, kind: knife_edge, bodies: [ground, fork], point: [0.03, 0], across: [0, 1]}
integrator: {method: rk4, dt: 1.0e-3, t_end: 4}
output: {interval: 0.05, channels: [state, energy, work, constraint, rank, reactions],
  points: [{name: rim, body: cart, at: [-0.2, 0.15], channels: [position, velocity]}]}
"""
BLADE = "{name: blade, type: nonholonomic, kind: knife_edge, bodies: [ground, sled], point: [-0.3, 0.1], across: [0, 1]}"
SLED = """sarrus: 1
space: planar
gravity: [0, -9.81]
bodies:
  - {name: sled, mass: 2, inertia: 0.5, position: [0, 0], velocity: [1, 0.5], angular_velocity: 1.5}
joints: []
constraints:
%s
integrator: {method: rk4, dt: 1.0e-3, t_end: 3}
output: {interval: 0.05, channels: [state, energy, constraint, rank, reactions]}
"""


class Nonholonomic(unittest.TestCase):
    def setUp(self):
        self.program = place()
        if self.program is None:
            sys.exit(77)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_file(self, path, *settings, instances=None):
        """Everything in the result: a dict of arrays of the first instance, or of all."""
        out = self.folder / "out.h5"
        command = [self.program, "run", str(path), "-o", str(out), "--specialize", "off", "--threads", "1", "--quiet"]
        command += [] if instances is None else ["--instances", str(instances)]
        command += [part for setting in settings for part in ("--set", setting)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{settings}: {done.stderr}")
        found = {}
        with h5py.File(out) as f:
            f.visititems(
                lambda name, item: found.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) and item.shape else None
            )
        if instances:
            return found
        return {name: x[0] if name != "time" and x.ndim > 1 else x for name, x in found.items()}

    def run_text(self, text, *settings):
        path = self.folder / "scenario.yaml"
        path.write_text(text, encoding="utf-8")
        return self.run_file(path, *settings)

    def test_sleigh(self):
        """To 1e-9 by methods that go to 1e-11, over all formulations; rk4 to h^4."""
        m, inertia = 2.0, 0.5
        for formulation in FORMULATIONS:
            for way, setting in WAYS.items():
                found = self.run_file(
                    SOURCE / "scenarios" / "chaplygin_sleigh.yaml", setting % 10, f"dynamics.formulation={formulation}", instances=6
                )
                for i in range(6):
                    a, w0 = found["instance/parameters/a"][i], found["instance/parameters/w"][i]
                    j, q, v, t = inertia + m * a * a, found["state/q"][i], found["state/v"][i], found["time"]
                    energy, u0 = m * 0.25 + j * w0 * w0, -0.5
                    limit = np.sqrt(energy / m)
                    u = limit * np.tanh(a * np.sqrt(energy * m) / j * t + np.arctanh(u0 / limit))
                    w = np.sign(w0) * np.sqrt((energy - m * u * u) / j)
                    along = np.cos(q[:, 2]) * v[:, 0] + np.sin(q[:, 2]) * v[:, 1]
                    bound = 1e-9 if way != "rk4" else 1e-8
                    np.testing.assert_allclose(along, u, atol=bound, err_msg=f"{formulation}, {way}")
                    np.testing.assert_allclose(v[:, 2], w, atol=bound)
                    force = m * (-a * (m * a * u * w / j) + u * w)  # m (a w' + u w), across the blade
                    np.testing.assert_allclose(found["constraints/blade"][i], force, atol=20 * bound)
                    self.assertTrue((found["diagnostics/rank"][i] == 1).all())

    def test_ball_on_a_slope(self):
        """a = 5/7 g sin(slope) exactly: rk4 makes it to round-off."""
        for formulation in FORMULATIONS:
            found = self.run_text(SLOPE, f"dynamics.formulation={formulation}")
            t, q = found["time"], found["state/q"]
            pull = 5.0 / 7.0 * 4.905
            np.testing.assert_allclose(q[:, 0], 0.5 * pull * t * t, atol=1e-12)
            np.testing.assert_allclose(q[:, 1], 0.5 * t, atol=1e-12)
            np.testing.assert_allclose(q[:, 2], 0.1, atol=1e-12)
            contact = np.tile([-3 * 2.0 / 7.0 * 4.905, 0, 3 * 8.49570921111257], (len(t), 1))
            np.testing.assert_allclose(found["constraints/roll"], contact, atol=1e-9)

    def test_ball_on_a_turntable(self):
        """x'' = 2/7 table × x' for a homogeneous ball: a circle."""
        for formulation in ("udwadia-kalaba", "relative", "null-space"):
            found = self.run_text(TABLE, f"dynamics.formulation={formulation}", SHARP % 8)
            q, v, t = found["state/q"][:, 7:9], found["state/v"][:, 6:8], found["time"]
            rate = 2.0 / 7.0 * 3.0
            turn = np.array([[np.cos(rate * t), -np.sin(rate * t)], [np.sin(rate * t), np.cos(rate * t)]])
            np.testing.assert_allclose(v, np.einsum("ijt,j->ti", turn, v[0]), atol=1e-9, err_msg=formulation)
            centre = q[0] - np.array([v[0, 1], -v[0, 0]]) / rate
            np.testing.assert_allclose(np.hypot(*(q - centre).T), np.hypot(*(q[0] - centre)), atol=1e-9)

    def test_disc(self):
        """Steady: height, spin and turning stay, the centre goes round at -s r/p, to h^4."""
        for formulation in ("udwadia-kalaba", "relative", "saddle"):
            settings = ("batch.parameters=[]", f"dynamics.formulation={formulation}")
            found = self.run_file(SOURCE / "scenarios" / "rolling_disc.yaml", *settings)
            q, v = found["state/q"], found["state/v"]
            np.testing.assert_allclose(q[:, 2], q[0, 2], atol=1e-8)
            np.testing.assert_allclose(np.hypot(q[:, 0], q[:, 1]), q[0, 0], atol=1e-8)
            np.testing.assert_allclose(v[:, 5], v[0, 5], atol=1e-8)
            self.assertLess(found["diagnostics/velocity_error"].max(), 1e-12)

    def test_driven_wheel(self):
        """The rim has the signal's speed forwards and no speed sideways; E - E0 = work; the castor swings behind."""
        seen = {}
        for formulation in FORMULATIONS:
            found = self.run_text(CART, f"dynamics.formulation={formulation}", SHARP % 4)
            q, v, t = found["state/q"], found["state/v"], found["time"]
            forwards = np.stack([np.cos(q[:, 2]), np.sin(q[:, 2])], axis=1)
            rim = found["points/rim/velocity"]
            np.testing.assert_allclose((rim * forwards).sum(axis=1), 0.4 * np.sin(np.pi * t), atol=1e-9)
            energy, work = found["diagnostics/energy"], found["diagnostics/work"]
            np.testing.assert_allclose(energy - energy[0], work, atol=1e-9)
            self.assertGreater(np.ptp(work), 0.05)
            seen[formulation] = v
            np.testing.assert_allclose(v, seen[FORMULATIONS[0]], atol=1e-8, err_msg=formulation)

    def test_linear_is_a_knife_edge(self):
        one = self.run_text(SLED % f"  - {BLADE}")
        other = self.run_text(SLED % f"  - {BLADE}".replace("knife_edge", "linear").replace("across", "along"))
        for name in ("state/q", "state/v", "constraints/blade", "diagnostics/energy"):
            np.testing.assert_array_equal(one[name], other[name])

    def test_redundant_blades(self):
        """One blade beside another says nothing new; one ahead of it stops the turning."""
        beside = BLADE.replace("name: blade", "name: other").replace("-0.3, 0.1", "-0.3, -0.4")
        one, two = self.run_text(SLED % f"  - {BLADE}"), self.run_text(SLED % f"  - {BLADE}\n  - {beside}")
        np.testing.assert_allclose(one["state/q"], two["state/q"], atol=1e-11)
        self.assertTrue((two["diagnostics/rank"] == 1).all())
        np.testing.assert_allclose(two["constraints/blade"] + two["constraints/other"], one["constraints/blade"], atol=1e-9)
        with h5py.File(self.folder / "out.h5") as f:
            self.assertEqual(f["constraints/blade"].attrs["unique"], 0)
        ahead = beside.replace("-0.3, -0.4", "0.5, 0.1")
        straight = self.run_text(SLED % f"  - {BLADE}\n  - {ahead}")
        np.testing.assert_allclose(straight["state/v"][:, 2], 0, atol=1e-12)

    def test_positions_come_before_speeds(self):
        """Of rows that depend on one another those of speeds are left out: a projection closes what joints hold."""
        for text in (IN_A_PIN, ON_A_RAIL, BETWEEN_LINKS):
            path = self.folder / "scenario.yaml"
            path.write_text(text, encoding="utf-8")
            card = subprocess.run([self.program, "check", str(path)], capture_output=True, text=True, check=True).stdout
            self.assertRegex(card, r"redundant +constraint idle, [a-z ]*slip\n")
            found = self.run_text(text, "dynamics.formulation=udwadia-kalaba")
            np.testing.assert_allclose(found["diagnostics/position_error"], 0, atol=1e-13)

    def judged(self, text, *settings):
        """The status of the first instance, or the message with which the scenario is refused."""
        path, out = self.folder / "scenario.yaml", self.folder / "out.h5"
        path.write_text(text, encoding="utf-8")
        command = [self.program, "run", str(path), "-o", str(out), "--specialize", "off", "--threads", "1", "--quiet"]
        command += [part for setting in settings for part in ("--set", setting)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        if done.returncode == 2:
            return done.stderr
        with h5py.File(out) as f:
            words = f["instance/status"].attrs["flag_meanings"].split()
            return words[f["instance/status"][0]]

    def test_contradictions_are_told(self):
        """Speeds that do not go together: at the start, from then on, of a row that holds nothing."""
        blade = "{name: %s, type: nonholonomic, kind: knife_edge, bodies: [ground, sled], across: [1, 0], speed: %s}"
        two = SLED % "\n".join("  - " + blade % pair for pair in (("a", "1"), ("b", "2")))
        for formulation in ("udwadia-kalaba", "relative"):
            setting = f"dynamics.formulation={formulation}"
            said = self.judged(two, setting)
            self.assertIn("the speed of constraint 'a' does not go together with what other constraints ask for", said)
            self.assertRegex(said, r"scenario.yaml:\d+:\d+: ")
            later = two.replace("speed: 2}", "speed: {signal: {polynomial: [1, 0.5]}}}")
            self.assertEqual(self.judged(later, setting), "constraint_violated")
            same = two.replace("speed: 2}", "speed: 1}")
            self.assertEqual(self.judged(same, setting), "ok")
        nothing = SLED % "  - {name: n, type: nonholonomic, kind: linear, bodies: [ground, sled], along: [0, 0], speed: 1}"
        self.assertIn("holds nothing", self.judged(nothing))

    def test_a_disc_that_lies_flat_is_refused(self):
        """It has no point of contact; so had it one, it would rest on its whole face."""
        flat = SLOPE.replace("radius: 0.1, plane", "radius: 0.1, axis: [0, 0, 1], plane").replace(
            "angular_velocity: [-5, 0, 2]", ""
        )
        said = self.judged(flat.replace("velocity: [0, 0.5, 0],\n     ", ""))
        self.assertIn("cannot be assembled: constraint 'roll' has no meaning in the given configuration", said)

    def test_a_row_of_turns_alone_by_saddle(self):
        """Nothing turns, and the row's own acceleration is round-off of nothing: no answer is NaN."""
        text = SLED.replace("angular_velocity: 1.5", "angular_velocity: 0") % (
            "  - {name: n, type: nonholonomic, kind: linear, bodies: [ground, sled], about: -1.316}"
        )
        for k in range(12):
            mass = [f"bodies.sled.mass={1 + 0.0843 * k}", f"bodies.sled.inertia={0.2 + 0.154 * k}", "dynamics.formulation=saddle"]
            self.assertEqual(self.judged(text, *mass), "ok", mass)

    def test_nothing_is_crossed_among_rows_of_speeds(self):
        """A disc on two rods comes by a place where its six rows are five, at 1e-7 of an ordinary distance. A motion of a loop
        would cross there, since all of them do; this one goes round, one way or the other, and nobody knows which."""
        tolerances = "rtol: %.1e, atol: %.1e"
        for method, how in (
            ("rk4", "dt: 1.0e-3"),
            ("dopri5", tolerances % (1e-8, 1e-10)),
            ("dopri5", tolerances % (1e-10, 1e-12)),
            ("verner65", tolerances % (1e-8, 1e-10)),
            ("adams-moulton", tolerances % (1e-8, 1e-10)),
        ):
            self.assertEqual(self.judged(DISC_ON_RODS, f"integrator={{method: {method}, {how}, t_end: 5}}"), "unresolved", method)
        one_rod = DISC_ON_RODS.replace(OTHER_ROD, "")
        self.assertEqual(self.judged(one_rod, "integrator={method: dopri5, t_end: 5}"), "ok")


if __name__ == "__main__":
    unittest.main()

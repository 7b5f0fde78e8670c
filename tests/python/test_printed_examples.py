"""Runs the Python examples of README.md, docs/formulations.md, docs/kinematics.md, docs/learning.md, docs/replay.md and
docs/result_file.md, each page's as one program, beside the files that they speak of. python.package_docs runs those of
docs/python.md, python.start_pages those of docs/start/. Exit code 77 (skipped) without the package."""

import contextlib
import importlib.util
import io
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from package import run_all, sarrus
from program import SOURCE

PAGES = {
    "README.md": 1,
    "docs/formulations.md": 1,
    "docs/kinematics.md": 1,
    "docs/learning.md": 5,
    "docs/replay.md": 1,
    "docs/result_file.md": 10,
}

LOOP = """
sarrus: 1
space: planar
gravity: [0, -9.81]
bodies:
  - {name: crank_a, mass: 1.0, inertia: 0.02, position: [0, 0.15]}
  - {name: rod, mass: 1.0, inertia: 0.08, position: [0.4, 0.6]}
  - {name: crank_b, mass: 0.9, inertia: 0.06, position: [0.9, 0.45]}
joints:
  - {name: A, type: revolute, bodies: [ground, crank_a], at: [0, 0]}
  - {name: B, type: revolute, bodies: [crank_a, rod], at: [0, 0.3]}
  - {name: C, type: revolute, bodies: [rod, crank_b], at: [0.8, 0.9]}
  - {name: D, type: revolute, bodies: [ground, crank_b], at: [1, 0]}
forces: [{name: motor, type: torque, body: crank_a, value: {input: 0}}]
integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}
"""

HAND = """
sarrus: 1
space: spatial
gravity: [0, 0, -9.81]
bodies: [{name: hand, mass: 1.0, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}]
joints: [{name: A, type: spherical, bodies: [ground, hand], at: [0, 0, 0]}]
integrator: {method: dopri5, t_end: 0.1}
output:
  interval: 0.05
  channels: [state, rank, joints]
  orientations: [euler, cosines]
  statistics: {channels: [state, quantities], quantiles: [0.05, 0.5, 0.95], covariance: true}
  quantities: {stroke: "max(hand.x) - min(hand.x)"}
  sensitivity: [stroke]
batch: {instances: 20, design: saltelli, parameters: [{path: bodies.hand.mass, distribution: uniform, low: 1, high: 2}]}
"""


def run_page(name):
    text = (SOURCE / name).read_text(encoding="utf-8")
    blocks = [(text[: found.start(1)].count("\n"), found[1]) for found in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)]
    assert len(blocks) == PAGES[name], f"{name} has {len(blocks)} examples"
    scope = {"__name__": "examples"}
    for line, block in blocks:
        # Errors name the line of the page.
        code = compile("\n" * line + block, name, "exec")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, scope)


@contextlib.contextmanager
def folder():
    """A folder to work in, with the repository's scenarios and examples in it."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        os.chdir(made)
        try:
            for name in ("scenarios", "python"):
                Path(name).symlink_to(SOURCE / name)
            yield
        finally:
            os.chdir(before)


def test_readme():
    with folder():
        run_page("README.md")
        assert Path("five_bar.html").stat().st_size > 10_000


def test_learning():
    with folder():
        Path("my_loop.yaml").write_text(LOOP, encoding="utf-8")
        run_page("docs/learning.md")


def test_result_file():
    with folder():
        sarrus.run(HAND, "out.h5")
        sarrus.run("scenarios/mixed.yaml", "mixed.h5", settings={"integrator.t_end": 0.1})
        run_page("docs/result_file.md")


def test_replay():
    with folder():
        options = "--instance 4711 -o study.instance_4711.h5 --set integrator.t_end=0.05 --quiet"
        command = [str(sarrus.models.program_path()), "run", "scenarios/five_bar_monte_carlo.yaml", *options.split()]
        subprocess.run(command, check=True, timeout=100)
        run_page("docs/replay.md")


def test_convergence():
    """python/examples/sampling.py, with smaller samples: N^-1/2, a fraction of it, and nearly N^-2. Twenty seeds tell an error to a
    sixth of itself, so an exponent over a factor of 32 to 0.1."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("test_convergence: left out, Matplotlib is not installed")
        return
    spec = importlib.util.spec_from_file_location("sampling", SOURCE / "python" / "examples" / "sampling.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.SIZES = [2**k for k in range(4, 10)]
    with folder():
        Path("links.yaml").write_text(example.SCENARIO.format(parameters=example.drawn()), encoding="utf-8")
        found = example.errors("links.yaml")
    slope = {method: math.log(rows[-1] / rows[0]) / math.log(32.0) for method, rows in found.items()}
    assert abs(slope["random"] + 0.5) < 0.3 and slope["sobol"] < -1.2, slope
    assert 3.0 * found["lhs"][-1] < found["random"][-1] and 5.0 * found["sobol"][-1] < found["lhs"][-1], found


if __name__ == "__main__":
    sys.exit(run_all(globals()))

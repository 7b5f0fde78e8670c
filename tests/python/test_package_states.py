"""What a batch shows of its states, and takes: paths of a result file, states far from their joints. Exit code 77 (skipped)
without the package."""

import sys
import tempfile

import h5py
import numpy as np
from package import raises, run_all, sarrus
from program import SOURCE
from test_package_batch import same


def test_paths_of_a_result():
    """What a batch shows under the path of a dataset is what a run writes there."""
    channels = ["state", "energy", "work", "constraint", "rank", "reactions", "joints"]
    for name in ("stewart_platform", "driven_crank"):
        settings = {"output": {"every": 5, "channels": channels}, "integrator": {"method": "rk4", "dt": 0.001, "t_end": 0.02}}
        scenario = SOURCE / "scenarios" / f"{name}.yaml"
        b = sarrus.Batch(scenario, 1, settings=settings, backend="cpu", specialize="off")
        groups = ("state/", "diagnostics/", "reactions/", "drives/", "joints/")
        with tempfile.TemporaryDirectory() as folder:
            sarrus.run(scenario, f"{folder}/r.h5", settings=settings, backend="cpu", specialize="off")
            with h5py.File(f"{folder}/r.h5") as file:
                written = []
                file.visit(written.append)
                paths = [path for path in written if path.startswith(groups) and isinstance(file[path], h5py.Dataset)]
                assert {path.split("/")[0] for path in paths} == {group[:-1] for group in groups}
                rows = b.rollout(5, 5, paths, include_start=True)
                for path in paths:
                    same(rows[path], np.asarray(file[path], dtype=np.float64))
        raises(sarrus.ArgumentError, lambda b=b: b.observe("drives/none"), "drives/JOINT")


def test_what_is_there_changes_nothing():
    """Coordinates and speeds that are written as they are leave the history of a method and every bit, whatever the formulation."""
    for formulation in ("udwadia-kalaba", "relative"):
        for method in ("adams-moulton", "dopri5", "rk4"):
            settings = {"dynamics": {"formulation": formulation}, "integrator.method": method, "output": {"interval": 0.05}}
            if method == "rk4":
                settings["output"] = {"every": 10}
            scenario = SOURCE / "scenarios" / "spatial_four_bar.yaml"
            a, b = (sarrus.Batch(scenario, 9, settings=settings, backend="cpu", specialize="off", draw=False) for _ in range(2))
            a.advance(7)
            b.advance(3)
            b.write("q", b.q)
            b.v = b.v
            b.advance(4)
            same(b.q, a.q)
            same(b.statistics()["n_steps"], a.statistics()["n_steps"])
            other = b.q.copy()
            other[4, 0] += 1e-3
            b.q = other
            same(np.delete(b.q, 4, axis=0), np.delete(a.q, 4, axis=0))


def test_orientations_of_any_length():
    """Euler parameters that are written of another length are of length 1 once they are assembled, in every formulation."""
    head = "sarrus: 1\nspace: spatial\nbodies: [{name: a, mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0]}]\njoints: "
    tail = ", bodies: [ground, a], at: [0, 0, 0]}]\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n"
    for words in ("type: revolute, axis: [0, 0, 1]", "type: general, constrain: [x, y, z, rx, ry]", "type: spherical"):
        for formulation in ("udwadia-kalaba", "relative"):
            own = {"dynamics.formulation": formulation}
            b = sarrus.Batch(f"{head}[{{name: J, {words}{tail}", 3, settings=own, backend="cpu", specialize="off")
            q, fresh = b.q.copy(), b.q.copy()
            q[0, 3:7] *= 2.0
            q[1, 3:7] *= -1e-3
            b.q = q
            b.assemble()
            assert not b.status.any()
            assert np.abs(b.q - fresh * np.where(np.arange(7) > 2, [[1.0], [-1.0], [1.0]], 1.0)).max() < 1e-14, (words, formulation)


def test_states_far_from_their_joints():
    """An orientation that is written far from what a joint allows is brought there, or its instance is not assembled: rows are
    met by an axis that points backwards too. Whatever the formulation, with the same end."""
    head = "sarrus: 1\nspace: spatial\nbodies: [{name: a, mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0]}]\njoints: "
    tail = ", bodies: [ground, a], at: [0, 0, 0]}]\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n"
    axes = ("type: fixed", *(f"type: {word}, axis: [0, 0, 1]" for word in ("revolute", "prismatic", "cylindrical", "planar")))
    texts = [f"{head}[{{name: J, {words}{tail}" for words in (*axes, "type: screw, axis: [0, 0, 1], pitch: 0.1")]
    texts.append(f"{head}[{{name: J, type: general, constrain: [x, y, z, rx, rz]{tail}")
    angles = np.linspace(0.0, 3.1, 16)
    for scenario in (*texts, SOURCE / "scenarios" / "spatial_four_bar.yaml", SOURCE / "scenarios" / "bennett.yaml"):
        ends = []
        for formulation in ("udwadia-kalaba", "relative"):
            own = {"dynamics": {"formulation": formulation}}
            b = sarrus.Batch(scenario, 16, settings=own, backend="cpu", specialize="off", draw=False)
            q = b.q.copy()
            if isinstance(scenario, str):
                q[:, 3:7] = np.stack([np.cos(angles / 2), np.sin(angles / 2), 0 * angles, 0 * angles], axis=-1)
            else:
                q += 0.3 * np.random.default_rng(5).normal(size=q.shape)
                p = q.reshape(16, -1, 7)[..., 3:]
                p /= np.linalg.norm(p, axis=-1, keepdims=True)
            b.q = q
            b.assemble()
            good = b.status == 0
            assert good[0] and (b.observe("position_error")["position_error"][good] < 1e-9).all(), (scenario, formulation)
            if scenario in texts:  # the axis, of the fixed joint all of them, as it was
                assert good[:8].all()
                turned = np.abs(b.q[good][:, 4:6]).max()
                assert scenario == texts[-1] or turned < 1e-9, (scenario, turned)
            ends.append(b.status.copy())
        same(*ends)


if __name__ == "__main__":
    sys.exit(run_all(globals()))

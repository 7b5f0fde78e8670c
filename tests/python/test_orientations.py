"""Orientations of bodies in a result file, read as a user of h5py would: each form is the rotation that the Euler parameters of
/state/q are, by formulas of its own (and by SciPy, where that is installed). Exit code 77 (skipped) without a program or h5py."""

import math
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

try:
    from scipy.spatial.transform import Rotation
except ImportError:
    Rotation = None

from program import SOURCE, place

BODIES = ["shoulder", "upper_arm", "forearm", "hand"]
FORMS = {
    "euler": ("rad", ["a", "b", "c"]),
    "bryant": ("rad", ["a", "b", "c"]),
    "axis": (["1", "1", "1", "rad"], ["x", "y", "z", "angle"]),
    "cosines": ("1", ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"]),
}


def run(program, path, *settings):
    command = [program, "run", str(SOURCE / "scenarios" / "arm_prosthesis.yaml"), "-o", str(path), "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    return subprocess.run(command, capture_output=True, text=True).returncode


def turn(axis, angle):
    """Matrices [T, 3, 3] of turns about base vector `axis`."""
    out = np.zeros((len(angle), 3, 3))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    out[:, axis, axis] = 1.0
    out[:, j, j] = out[:, k, k] = np.cos(angle)
    out[:, k, j] = np.sin(angle)
    out[:, j, k] = -np.sin(angle)
    return out


def of_parameters(p):
    w, v = p[:, :1, None], p[:, 1:]
    cross = np.zeros((len(p), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    cross -= cross.transpose(0, 2, 1)
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def of_axis(x):
    cross = np.zeros((len(x), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -x[:, 2], x[:, 1], -x[:, 0]
    cross -= cross.transpose(0, 2, 1)
    angle = x[:, 3, None, None]
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


MATRIX = {
    "euler": lambda x: turn(2, x[:, 0]) @ turn(0, x[:, 1]) @ turn(2, x[:, 2]),
    "bryant": lambda x: turn(0, x[:, 0]) @ turn(1, x[:, 1]) @ turn(2, x[:, 2]),
    "axis": of_axis,
    "cosines": lambda x: x.reshape(-1, 3, 3),
}


def check_forms(file):
    assert sorted(file["orientations"]) == sorted(FORMS)
    q = file["state/q"][0].reshape(-1, len(BODIES), 7)
    assert np.ptp(q[:, 3, 3:], axis=0).max() > 0.3  # or nothing was tried
    for form, (units, labels) in FORMS.items():
        group = file[f"orientations/{form}"]
        assert sorted(group) == sorted(BODIES)
        for i, body in enumerate(BODIES):
            data = group[body]
            assert data.shape == (1, len(file["time"]), len(labels)), (form, body, data.shape)
            assert np.array_equal(data.attrs["units"], units) and data.attrs["long_name"]
            assert data.dims[0][0] == file["instance/id"] and data.dims[1][0] == file["time"]
            assert list(data.dims[2][0].asstr()[:]) == labels
            found, wanted = MATRIX[form](data[0]), of_parameters(q[:, i, 3:])
            assert np.abs(found - wanted).max() < 4e-15, (form, body, np.abs(found - wanted).max())


def check_scipy(file):
    for i, body in enumerate(BODIES):
        p = file["state/q"][0].reshape(-1, len(BODIES), 7)[:, i, 3:]
        wanted = Rotation.from_quat(p[:, [1, 2, 3, 0]])
        x = {form: file[f"orientations/{form}/{body}"][0] for form in FORMS}
        for found in (
            Rotation.from_euler("ZXZ", x["euler"]),
            Rotation.from_euler("XYZ", x["bryant"]),
            Rotation.from_rotvec(x["axis"][:, :3] * x["axis"][:, 3:]),
            Rotation.from_matrix(x["cosines"].reshape(-1, 3, 3)),
        ):
            assert (found.inv() * wanted).magnitude().max() < 1e-14


def check_ranges(file):
    for body in BODIES:
        euler, bryant, axis = (file[f"orientations/{form}/{body}"][0] for form in ("euler", "bryant", "axis"))
        assert np.abs(euler).max() <= math.pi and euler[:, 1].min() >= 0.0
        assert np.abs(bryant).max() <= math.pi and np.abs(bryant[:, 1]).max() <= math.pi / 2
        assert axis[:, 3].min() >= 0.0 and axis[:, 3].max() <= math.pi
    # The shoulder turns about the vertical alone: of Euler's angles the first has it all.
    shoulder = file["orientations/euler/shoulder"][0]
    assert shoulder[:, 1].max() < 1e-14 and np.abs(shoulder[:, 2]).max() == 0.0 and np.ptp(shoulder[:, 0]) > 0.1


def main():
    program = place()
    if program is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        both, alone, plain, failed = (folder / f"{name}.h5" for name in ("both", "alone", "plain", "failed"))
        every = "output.orientations=[cosines, axis, bryant, euler]"
        assert run(program, both, every) == 0
        assert run(program, alone, every, "output.channels=[energy]") == 0
        assert run(program, plain) == 0
        assert run(program, failed, every, "integrator.max_steps=300") == 1
        with h5py.File(both) as file, h5py.File(alone) as without, h5py.File(plain) as other, h5py.File(failed) as short:
            check_forms(file)
            check_ranges(file)
            if Rotation is not None:
                check_scipy(file)
            assert "state" not in without and "orientations" not in other
            assert np.array_equal(file["state/q"][:], other["state/q"][:])
            is_lost = np.isnan(short["state/q"][0, :, 0])
            assert 0 < is_lost.sum() < len(is_lost)
            for form in FORMS:
                for body in BODIES:
                    data = file[f"orientations/{form}/{body}"][:]
                    assert np.array_equal(data, without[f"orientations/{form}/{body}"][:])
                    x = short[f"orientations/{form}/{body}"][0]
                    assert np.array_equal(np.isnan(x), np.repeat(is_lost[:, None], x.shape[1], axis=1))
                    assert np.array_equal(x[~is_lost], data[0][~is_lost])
    print(f"{len(FORMS)} forms of the orientations of {len(BODIES)} bodies; SciPy {'looked' if Rotation else 'is not installed'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

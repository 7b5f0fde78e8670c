"""What is observed moves nothing: five driven parallel bars, whose redundant rows come near dependence, with the rank looked at
after every step and at the end alone. Exit code 77 (skipped) without a program or h5py."""

import json
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

N_BARS, LAST = 5, 4
N_STEPS = 360
FIELDS = ("steps", "evaluations", "energy_mismatch", "max_violation", "nearest_change_point", "nearest_change_point_time")


def bar(i):
    return {
        "name": f"c{i}",
        "mass": 1,
        "inertia": 0.2527 if i == LAST else 0.1,
        "position": [f"={i}*D+L/2*cos(ph)", "=L/2*sin(ph)"],
        "orientation": "=ph",
    }


def joints_of(i):
    foot = {"name": f"A{i}", "type": "revolute", "bodies": ["ground", f"c{i}"], "at": [f"={i}*D", 0]}
    head = {"name": f"B{i}", "type": "revolute", "bodies": [f"c{i}", "cp"], "points": [["=L/2", 0], [f"={i - 2}*D", 0]]}
    if i == LAST:
        foot["drive"] = {"signal": {"table": {"t": [0, 0.5, 1, 2, 10, 1000], "y": [0.0, 0.9967, 0.4136, 0.8718, 0.1347, -0.9466]}}}
    return [foot, head]


def scenario(projection):
    coupler = {"name": "cp", "mass": 1, "inertia": 0.1, "position": ["=L*cos(ph)+2*D", "=L*sin(ph)"]}
    bars = [bar(i) for i in range(N_BARS)]
    return {
        "sarrus": 1,
        "name": "parallel bars",
        "space": "planar",
        "parameters": {"ph": 1.1805, "L": 0.812, "D": 0.7623},
        "bodies": [bars[0], coupler, *bars[1:]],
        "joints": [joint for i in range(N_BARS) for joint in joints_of(i)],
        "dynamics": {"formulation": "relative", "projection": projection},
        "integrator": {"method": "rk4", "dt": 0.01, "t_end": 0.01 * N_STEPS},
        "output": {"every": N_STEPS, "channels": ["state", "rank"]},
    }


def run(program, folder, projection, every):
    path, out = pathlib.Path(folder) / "bars.yaml", pathlib.Path(folder) / f"{every}.h5"
    path.write_text(json.dumps(scenario(projection)), encoding="utf-8")
    command = [program, "run", str(path), "-o", str(out), "--quiet", "--threads", "1", "--backend", "cpu"]
    command += ["--specialize", "off", "--set", f"output.every={every}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    with h5py.File(out) as file:
        last = [np.asarray(file[f"state/{name}"]).reshape(-1)[-file[f"state/{name}"].shape[-1] :] for name in "qv"]
        return last + [file[f"instance/{name}"][()] for name in FIELDS]


def main():
    program = place()
    if program is None:
        return 77
    n_bad = 0
    for projection in ("none", "every_step"):
        with tempfile.TemporaryDirectory() as folder:
            often, once = (run(program, folder, projection, every) for every in (1, N_STEPS))
        if not all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(often, once, strict=True)):
            n_bad += 1
            print(f"projection {projection}: a motion that is looked at after every step has other bits")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())

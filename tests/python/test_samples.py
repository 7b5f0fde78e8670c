"""`sarrus run --samples FILE`: numbers of one's own from .csv, .npy and HDF5 are those of the instances, to the bit, whatever the
order of the columns; a replay has them too; what is wrong with a file is said where it stands. Exit code 77 (skipped) without a
program or without h5py."""

import os
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

PROGRAM = place()
if PROGRAM is None:
    sys.exit(77)

SCENARIO = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {L: 0.5, m: 1.0}
bodies:
  - {name: rod, mass: "=m", inertia: 0.1, position: ["=L", 0]}
  - {name: bob, mass: 0.4, inertia: 0.1, position: ["=2*L", -0.2]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}
  - {name: B, type: revolute, bodies: [rod, bob], at: ["=2*L", 0]}
integrator: {method: rk4, dt: 1.0e-3, t_end: 0.05}
"""
DRAWS = """\
batch:
  parameters:
    - {name: L, distribution: uniform, low: 0.4, high: 0.6}
    - {name: m, distribution: normal, mean: 1, sd: 0.1}
    - {path: bodies.bob.mass, distribution: normal, mean: 0.4, sd: 0.1}
"""
LABELS = ("L", "m", "bodies.bob.mass")


def run(*arguments, **options):
    return subprocess.run([PROGRAM, "run", *arguments, "--quiet"], capture_output=True, text=True, timeout=120, **options)


def sample(n=37):
    rng = np.random.default_rng(5)
    return np.stack((rng.uniform(0.3, 0.7, n), rng.uniform(0.5, 2.0, n), rng.uniform(0.1, 0.9, n)), axis=1)


def csv(names, rows, separator=","):
    return "".join(separator.join(line) + "\n" for line in [list(names), *([repr(float(x)) for x in row] for row in rows)])


def results(path):
    with h5py.File(path) as file:
        parameters = np.stack([file[f"instance/parameters/{label}"][:] for label in LABELS], axis=1)
        return parameters, file["state/q"][:], file["instance/status"][:]


def hdf5(path, columns, group="/"):
    with h5py.File(path, "w") as file:
        for name, values in columns.items():
            file[f"{group}/{name}"] = values


def files_written(values):
    """Names of files with these numbers, in all the ways."""
    pathlib.Path("a.csv").write_text(csv(LABELS, values))
    order = [2, 0, 1]
    names = [f'"{LABELS[k]}"' for k in order]
    text = csv(names, values[:, order], "; ").replace("\n", "  \r\n\r\n")
    pathlib.Path("b.txt").write_bytes(b"\xef\xbb\xbf# another order\r\n" + text.encode() + b"# the end")
    pathlib.Path("c.csv").write_text(csv(LABELS, values, "\t")[:-1])
    np.save("d.npy", values)
    np.save("e.npy", np.asfortranarray(values).astype(">f8"))
    hdf5("f.h5", dict(zip(LABELS, values.T, strict=True)))
    hdf5("g.h5", dict(zip(LABELS, values.T, strict=True)) | {"other": np.zeros((2, 2))}, "/instance/parameters")
    return "a.csv", "b.txt", "c.csv", "d.npy", "e.npy", "f.h5", "g.h5"


def test_numbers_are_the_instances():
    values = sample()
    pathlib.Path("s.yaml").write_text(SCENARIO + DRAWS)
    expected = None
    for name in files_written(values):
        done = run("s.yaml", "--samples", name, "-o", "out.h5")
        assert (done.returncode, done.stderr) == (0, ""), (name, done)
        parameters, q, status = results("out.h5")
        assert parameters.tobytes() == values.tobytes() and not status.any(), name
        expected = q if expected is None else expected
        assert q.tobytes() == expected.tobytes(), name
    assert len({row.tobytes() for row in expected}) == len(values)
    for piped in (csv(LABELS, values), ""):
        done = run("s.yaml", "--samples", "/dev/stdin", "-o", "piped.h5", input=piped)
        assert done.returncode == (0 if piped else 2), done
    assert results("piped.h5")[1].tobytes() == expected.tobytes()
    os.truncate("f.h5", 2**36)  # a file larger than the memory, as results are: its columns alone are read
    done = subprocess.run(
        f"ulimit -v 8000000; '{PROGRAM}' run s.yaml --samples f.h5 -o large.h5 --quiet", shell=True, capture_output=True, text=True
    )
    assert done.returncode == 0 and results("large.h5")[1].tobytes() == expected.tobytes(), done
    done = run("s.yaml", "--samples", "out.h5", "-o", "again.h5")  # of a result
    assert done.returncode == 0 and results("again.h5")[1].tobytes() == expected.tobytes(), done


def test_a_scenario_that_draws_nothing():
    """Its columns are names and paths of any of its numbers; one that does not vary too."""
    values = sample()
    values[:, 1] = 1.25
    pathlib.Path("plain.yaml").write_text(SCENARIO)
    pathlib.Path("s.yaml").write_text(SCENARIO + DRAWS)
    pathlib.Path("a.csv").write_text(csv(LABELS, values))
    for file in ("plain.yaml", "s.yaml"):
        done = run(file, "--samples", "a.csv", "-o", file.replace("yaml", "h5"))
        assert (done.returncode, done.stderr) == (0, ""), done
    plain, drawn = results("plain.h5"), results("s.h5")
    assert all(a.tobytes() == b.tobytes() for a, b in zip(plain, drawn, strict=True))
    bad = csv(("L", "bodies.bob.mas"), values[:, :2])
    pathlib.Path("bad.csv").write_text(bad)
    done = run("plain.yaml", "--samples", "bad.csv", "-o", "bad.h5")
    assert done.returncode == 2 and "did you mean 'bodies.bob.mass'" in done.stderr, done
    assert done.stderr.startswith("bad.csv: error: column 'bodies.bob.mas': ") and "--set" not in done.stderr, done
    done = run("plain.yaml", "--samples", "a.csv", "-o", "bad.h5", "--set", "gravity.1=none")
    assert done.returncode == 2 and done.stderr.startswith("--set:") and "column" not in done.stderr.split("^")[0], done


def test_replay():
    """An instance alone has the sample's numbers; the summary's command says how."""
    values = sample()
    values[11, 1] = -1.0  # a mass
    pathlib.Path("s.yaml").write_text(SCENARIO + DRAWS)
    pathlib.Path("a b.csv").write_text(csv(LABELS, values))
    study = run("s.yaml", "--samples", "a b.csv", "-o", "study.h5")
    assert study.returncode == 1 and "sarrus run s.yaml --samples 'a b.csv' --instance 11" in study.stderr, study
    for i in (0, 11, 36):
        done = run("s.yaml", "--samples", "a b.csv", "--instance", str(i), "-o", "one.h5")
        assert done.returncode == (1 if i == 11 else 0), done
        (parameters, q, status), (all_parameters, all_q, all_status) = results("one.h5"), results("study.h5")
        assert parameters[0].tobytes() == all_parameters[i].tobytes() and status[0] == all_status[i]
        if i != 11:
            assert q[0, -1].tobytes() == all_q[i, -1].tobytes()
    assert run("s.yaml", "--samples", "a b.csv", "--instance", "37").returncode == 2


# What is wrong, and where: the text of the file, the place in it, words of the message.
REFUSED = (
    ("", ":1:1", "no line"),
    ("# nothing\n\n", ":1:1", "no line"),
    ("# names\nL,m,bodies.bob.mass\n", ":2:1", "no numbers"),
    ("1,2,3\n4,5,6\n", ":1:1", "expected names"),
    ("L,m,bodies.bob.mass\n1,2,3\n1,x,3\n", ":3:3", "'x' is no finite number"),
    ("L,m,bodies.bob.mass\n1,,3\n", ":2:3", "expected a number"),
    ("L,m,bodies.bob.mass\n1,2,nan\n", ":2:5", "'nan' is no finite number"),
    ("L,m,bodies.bob.mass\n1,2,1e999\n", ":2:5", "'1e999' is no finite number"),
    ("L,m,bodies.bob.mass\n1,2,3 4\n", ":2:5", "'3 4' is no finite number"),
    ("L,m,bodies.bob.mass\n1,2\n", ":2:3", "ends after 2 numbers"),
    ("L,m,bodies.bob.mass\n\n\n1,2,3,4\n", ":4:7", "more numbers than the 3"),
    ('L,m,bodies.bob.mass\n1,"2,3\n', ":2:3", "quote"),
    ('L,m,bodies.bob.mass\n1,"2"0,3\n', ":2:3", "quote"),
    ("L,,bodies.bob.mass\n1,2,3\n", ":1:3", "without a name"),
    ("L,bodies.bob.mass\n1,2\n", ":1:1", "no column is 'm'"),
    ("L,m,bodies.bob.mass,L\n1,2,3,4\n", ":1:21", "more than one column"),
    ("L,m,bodies.bob.mas\n1,2,3\n", ":1:5", "did you mean 'bodies.bob.mass'"),
    ("L,m,bodies.bob.mass,gravity.1\n1,2,3,4\n", ":1:21", "does not draw 'gravity.1'"),
    ("L,m,bodies.bob.mass\n1,2,3\n\0", "", "neither a text"),
)


def test_any_path_of_a_draw_is_its_column():
    """Of a named parameter its path beside its name, of a draw for several paths each of them; the same bits."""
    text = (
        "sarrus: 1\nspace: planar\nparameters: {L: 0.5}\nbodies: [{name: a, mass: 1, inertia: 0.1, position: ['=L', 0]}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0]}]\nintegrator: {method: rk4, dt: 1e-3, t_end: 0.01}\n"
        "batch:\n  parameters:\n    - {name: L, distribution: uniform, low: 0.4, high: 0.6}\n"
        "    - {path: [bodies.a.mass, bodies.a.inertia], distribution: uniform, low: 0.4, high: 0.6}\n"
    )
    pathlib.Path("paths.yaml").write_text(text)
    found = []
    for head in ("L,bodies.a.mass", "parameters.L,bodies.a.inertia"):
        pathlib.Path("paths.csv").write_text(head + "\n0.5,0.6\n0.55,0.7\n")
        done = run("paths.yaml", "--samples", "paths.csv", "-o", "paths.h5")
        assert done.returncode == 0, done.stderr
        with h5py.File("paths.h5") as file:
            found.append((file["state/q"][:].tobytes(), file["instance/parameters/bodies.a.mass"][:].tobytes()))
    assert found[0] == found[1]
    pathlib.Path("paths.csv").write_text("L,parameters.L,bodies.a.mass\n0.5,0.51,0.6\n")
    done = run("paths.yaml", "--samples", "paths.csv", "-o", "paths.h5")
    assert done.returncode == 2
    assert "paths.csv:1:3: error: 'parameters.L' has other numbers than 'L'" in done.stderr


def test_misuse():
    pathlib.Path("s.yaml").write_text(SCENARIO + DRAWS)
    for text, where, words in REFUSED:
        pathlib.Path("x.csv").write_text(text)
        done = run("s.yaml", "--samples", "x.csv", "-o", "x.h5")
        assert done.returncode == 2 and f"x.csv{where}: error: " in done.stderr and words in done.stderr, (text, done)
        assert not pathlib.Path("x.h5").exists()
    done = run("s.yaml", "--samples", "/dev/zero", "-o", "x.h5")  # which has no end
    assert done.returncode == 3 and "/dev/zero: error: is a device" in done.stderr, done
    np.save("two.npy", np.ones((3, 2)))
    np.save("cube.npy", np.ones((3, 2, 3)))
    np.save("nan.npy", np.full((3, 3), np.nan))
    hdf5("short.h5", {"L": np.ones(3), "m": np.ones(4)})
    hdf5("none.h5", {"x": np.ones((3, 3))})
    pathlib.Path("cut.h5").write_bytes(pathlib.Path("none.h5").read_bytes()[:700])
    pathlib.Path("good.csv").write_text(csv(LABELS, sample(3)))
    pathlib.Path("mixed.yaml").write_text(
        "sarrus: 1\nscenarios: [{file: s.yaml}, {file: s.yaml}]\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 0.01}\n"
    )
    for arguments, code, words in (
        (("s.yaml", "--samples", "two.npy"), 2, "has 2 columns; expected 3"),
        (("s.yaml", "--samples", "cube.npy"), 2, "more than two dimensions"),
        (("s.yaml", "--samples", "nan.npy"), 2, "no finite number"),
        (("s.yaml", "--samples", "short.h5"), 2, "'L' has 3 numbers and 'm' 4"),
        (("s.yaml", "--samples", "none.h5"), 2, "no columns"),
        (("s.yaml", "--samples", "cut.h5"), 3, "damaged"),
        (("s.yaml", "--samples", "absent.csv"), 3, "No such file"),
        (("s.yaml", "--samples", "."), 3, "Is a directory"),
        (("s.yaml", "--samples", ""), 2, "needs the name of a file"),
        (("s.yaml", "--samples", "good.csv", "--instances", "4"), 2, "3 rows"),
        (("mixed.yaml", "--samples", "good.csv"), 2, "several scenarios"),
    ):
        done = run(*arguments, "-o", "x.h5")
        assert done.returncode == code and words in done.stderr, (arguments, done)
        assert not pathlib.Path("x.h5").exists()
    assert run("s.yaml", "--samples", "good.csv", "--instances", "3", "-o", "x.h5").returncode == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        tests = [value for name, value in globals().items() if name.startswith("test_")]
        for test in tests:
            test()
        os.chdir("/")
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()

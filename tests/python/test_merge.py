"""`sarrus run --shard K/N` and `sarrus merge`: however a study is cut, the merged file has the bytes of the study in one run; parts
that are not the whole of one study are refused. Exit code 77 (skipped) without a program or without h5py."""

import json
import pathlib
import resource
import shutil
import subprocess
import tempfile

from result_content import PROGRAM, content, h5py

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "scenarios"

STUDY = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 1.0}
bodies:
  - {name: rod, mass: "=m", inertia: 0.1, position: [0.5, 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0], damping: 0.1}
integrator: {method: rk4, dt: 1.0e-3, t_end: 0.05}
batch:
  instances: 23
  sampling: sobol
  parameters:
    - {name: m, distribution: normal, mean: 0.1, sd: 0.1}
output: {every: 10, channels: [state, energy, rank, reactions], quantities: {low: "min(rod.y)"}}
"""


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def run(scenario, *arguments):
    done = sarrus("run", scenario, "--quiet", "--threads", "1", "--specialize", "off", *arguments)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode


def same(reference, merged):
    ours, theirs = content(reference), content(merged)
    assert sorted(ours) == sorted(theirs), set(ours) ^ set(theirs)
    for name, value in ours.items():
        assert value == theirs[name], name


def parts_of(folder, scenario, n, *arguments):
    paths = [folder / f"part_{k}_{n}.h5" for k in range(n)]
    codes = [run(scenario, "--shard", f"{k}/{n}", "-o", path, *arguments) for k, path in enumerate(paths)]
    return paths, max(codes)


def test_any_cut_has_the_same_bytes():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, both, designed = (folder / f"{name}.yaml" for name in ("study", "both", "designed"))
        study.write_text(STUDY)
        both.write_text(
            "sarrus: 1\nscenarios: [{file: study.yaml, instances: 9}, {file: study.yaml, instances: 4}]\n"
            "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.02}\noutput: {every: 5, channels: [state, rank]}\n"
        )
        designed.write_text(
            STUDY.replace("sampling: sobol", "sampling: sobol\n  design: saltelli")
            .replace("{m: 1.0}", "{m: 1.0, b: 0.1}")
            .replace("damping: 0.1", "damping: '=b'")
            .replace("sd: 0.1}", "sd: 0.1, min: -0.2, max: 0.4}\n    - {name: b, distribution: uniform, low: 0, high: 1}")
            .replace('"min(rod.y)"}', '"min(rod.y)"}, sensitivity: [low], statistics: {channels: [quantities], quantiles: [0.5]}')
        )
        (folder / "mb.csv").write_text("b,m\n" + "".join(f"{0.1 * i},{0.3 * (i % 3)}\n" for i in range(11)))
        (folder / "m.csv").write_text("m\n" + "".join(f"{0.1 * i - 0.2}\n" for i in range(11)))
        singular = SCENARIOS / "five_bar_singular.yaml"
        channels = "[state, energy, rank, reactions, quantities]"
        sketched = f"{{channels: {channels}, quantiles: [0, 0.3], quantile_method: sketch}}"
        cases = [
            (study, (1, 2, 3, 8), ()),
            (study, (3, 8), ("--set", "output.instances=[0, 9, 22]")),
            (study, (4,), ("--set", "output.instances=[12]")),
            (study, (3,), ("--set", "output.instances=none")),
            (study, (3,), ("--set", f"output.statistics={{channels: {channels}, quantiles: [0, 0.3]}}")),
            (study, (1, 2, 3, 8), ("--set", f"output.statistics={sketched}", "--set", "output.instances=none")),
            (study, (3,), ("--set", f"output.statistics={sketched}")),
            (study, (3,), ("--set", f"output.statistics={channels}", "--set", "output.instances=[0, 9, 22]")),
            (study, (4,), ("--samples", folder / "m.csv")),
            (designed, (3,), ()),
            (designed, (2,), ("--set", "batch.design={method: saltelli, second_order: false}")),
            (designed, (3,), ("--set", "batch.design=morris", "--set", "batch.sampling=random")),
            (designed, (2,), ("--set", "batch.design=plain")),
            (designed, (3,), ("--samples", folder / "mb.csv")),
            (both, (1, 3), ()),
            (singular, (2,), ("--instances", "5", "--set", "integrator.t_end=4")),
        ]
        for scenario, cuts, arguments in cases:
            code = run(scenario, "-o", folder / "whole.h5", *arguments)
            for n in cuts:
                paths, _ = parts_of(folder, scenario, n, *arguments)
                done = sarrus("merge", *reversed(paths), "-o", folder / "merged.h5")
                assert done.returncode == code, (scenario, n, done.stderr)
                same(folder / "whole.h5", folder / "merged.h5")
                info = json.loads(sarrus("info", "--json", folder / "merged.h5").stdout)
                assert info["n_parts_missing"] == 0
        with h5py.File(folder / "whole.h5") as file:
            assert len(file["events/rank/event_time"]) > 1, "the scenario should change its rank"


def test_parts_may_be_elsewhere():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study = folder / "study.yaml"
        study.write_text(STUDY)
        (folder / "a" / "parts").mkdir(parents=True)
        run(study, "-o", folder / "whole.h5")
        paths, _ = parts_of(folder / "a" / "parts", study, 2)
        assert sarrus("merge", *paths, "-o", folder / "a" / "merged.h5").returncode in (0, 1)
        # the folder as a whole may move
        shutil.move(folder / "a", folder / "b")
        same(folder / "whole.h5", folder / "b" / "merged.h5")
        (folder / "b" / "parts" / "part_1_2.h5").unlink()
        info = sarrus("info", folder / "b" / "merged.h5")
        assert "2, 1 of them missing" in info.stdout, info.stdout


def test_what_is_no_study_is_refused():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, out = folder / "study.yaml", folder / "out.h5"
        study.write_text(STUDY)
        (a, b, c), _ = parts_of(folder, study, 3)
        (half, _), _ = parts_of(folder, study, 2)
        other = folder / "other.h5"
        run(study, "--shard", "1/3", "--seed", "5", "-o", other)
        for parts, word in (
            ((a, c), "instances 8 to 15 are in no part"),
            ((a, b), "instances 16 to 22 are in no part"),
            ((b, c), "instances 0 to 7 are in no part"),
            ((a, b, b, c), "expected each once"),
            ((half, b, c), "expected each once"),
            ((a, other, c), "another scenario"),
            ((a, b, study), "not an HDF5 file"),
            ((a, b, folder / "none.h5"), "No such file"),
        ):
            done = sarrus("merge", *parts, "-o", out)
            assert done.returncode in (2, 3) and word in done.stderr, (word, done.stderr)
            assert not out.exists() and not list(folder.glob(".out*"))
        with h5py.File(shutil.copy(b, other), "r+") as file:
            file.attrs["plan_hash"] = "0123456789abcdef"
        done = sarrus("merge", a, other, c, "-o", out)
        assert done.returncode == 2 and "is of another plan than" in done.stderr, done.stderr
        assert "another formulation: make all parts by one" in done.stderr and not out.exists(), done.stderr
        done = sarrus("merge", a, b, c, "-o", a)
        assert done.returncode == 2 and "is one of the parts" in done.stderr, done.stderr
        done = sarrus("merge", a, b, c, "-o", study)
        assert done.returncode == 2 and study.read_text() == STUDY, done.stderr
        for arguments in (("merge",), ("merge", a), ("merge", "-o", out)):
            assert sarrus(*arguments).returncode == 2
        for text in ("3/3", "1", "a/3", "-1/3", "1/0", "/", "0/24"):
            done = sarrus("run", study, "--shard", text, "-o", out)
            assert done.returncode == 2 and "--shard" in done.stderr and not out.exists(), (text, done.stderr)


def altered(part, folder, change):
    """A copy of a part in which something was changed."""
    copy = folder / "altered.h5"
    shutil.copy(part, copy)
    with h5py.File(copy, "r+") as file:
        change(file)
    return copy


def set_rows(file, name, values):
    del file[name]
    file[name] = values


def test_parts_that_were_changed():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, out = folder / "study.yaml", folder / "out.h5"
        study.write_text(STUDY)
        (a, b, c), _ = parts_of(folder, study, 3)
        run(study, "--instance", "0", "-o", folder / "replay.h5")
        sarrus("merge", a, b, c, "-o", folder / "merged.h5")

        def numbers(file):
            file["instance/id"][2:4] = file["instance/id"][2:4][::-1]

        for change, word in (
            (lambda file: file.__delitem__("quantities/low"), "datasets"),
            (lambda file: file.__delitem__("state/q"), "datasets"),
            (lambda file: set_rows(file, "quantities/low", [1.0]), "another number of rows"),
            (lambda file: set_rows(file, "instance/steps", [0.5] * 8), "another type or shape"),
            (lambda file: set_rows(file, "diagnostics/energy", [[1.0] * 3] * 8), "another"),
            (numbers, "other numbers than those of instances"),
        ):
            for place in (0, 1):
                parts = [a, b, c]
                parts[place] = altered(parts[place], folder, change)
                done = sarrus("merge", *parts, "-o", out)
                assert done.returncode == 2 and word in done.stderr, (word, place, done.returncode, done.stderr)
                assert not out.exists() and not list(folder.glob(".out*"))
        for parts, word in (((folder / "replay.h5", b, c), "is a replay"), ((folder / "merged.h5",), "is a merged result")):
            done = sarrus("merge", *parts, "-o", out)
            assert done.returncode == 2 and word in done.stderr, (word, done.stderr)
        # damage on which the library hangs or crashes is met by a process of its own
        bytes_of = bytearray(a.read_bytes())
        bytes_of[2080:2112] = bytes(32)
        (folder / "altered.h5").write_bytes(bytes_of)
        assert sarrus("merge", folder / "altered.h5", b, c, "-o", out).returncode in (0, 1, 2, 3)
        # what is missing later is no number, and no instance that is well
        assert sarrus("merge", a, b, c, "-o", out).returncode in (0, 1)
        b.unlink()
        with h5py.File(out) as file:
            assert (file["instance/status"][8:16] != 0).all() and (file["instance/parameters/m"][8:16] != 0).all()


def test_names_and_numbers_of_parts():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, odd = folder / "study.yaml", folder / "100%% of %d"
        study.write_text(STUDY.replace("quantities: {", "sensitivity: [low], quantities: {"))
        odd.mkdir()
        run(study, "-o", folder / "whole.h5")
        paths, _ = parts_of(odd, study, 2)
        assert sarrus("merge", *paths, "-o", folder / "merged.h5").returncode in (0, 1)
        same(folder / "whole.h5", folder / "merged.h5")
        # one part that is all
        assert sarrus("merge", folder / "whole.h5", "-o", folder / "merged.h5").returncode in (0, 1)
        same(folder / "whole.h5", folder / "merged.h5")
        # more parts than files may be open at once without being asked, and more datasets than a scale can list
        parts, _ = parts_of(folder, study, 23)
        done = subprocess.run(
            ["bash", "-c", 'ulimit -S -n 20; exec "$@"', "bash", PROGRAM, "merge", *map(str, parts), "-o", str(folder / "many.h5")],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode in (0, 1), done.stderr
        same(folder / "whole.h5", folder / "many.h5")
        n = 2010
        study.write_text(
            STUDY.replace("parameters: {m: 1.0}", "parameters: {m: 1.0, " + ", ".join(f"p{i}: 1.0" for i in range(n)) + "}")
            .replace("sampling: sobol", "sampling: random")
            .replace(
                "    - {name: m",
                "".join(f"    - {{name: p{i}, distribution: uniform, low: 1, high: 1.0001}}\n" for i in range(n))
                + "    - {name: m",
            )
            .replace("instances: 23", "instances: 6")
        )
        paths, _ = parts_of(folder, study, 2)
        assert sarrus("merge", *paths, "-o", folder / "merged.h5").returncode in (0, 1)
        with h5py.File(folder / "merged.h5") as file:
            for place in ("parameters", "unit"):
                for dataset in file[f"instance/{place}"].values():
                    assert dataset.shape == (6,) and (dataset[:] == dataset[:]).all(), dataset.name


def test_a_full_disk_is_said():
    """What the system says of it, in one line; no other file is left, and the parts are whole."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "study.yaml").write_text(STUDY)
        parts, _ = parts_of(folder, folder / "study.yaml", 2)
        assert sarrus("merge", *parts, "-o", folder / "merged.h5").returncode in (0, 1)
        before, names = content(folder / "merged.h5"), sorted(file.name for file in folder.iterdir())
        n_bytes = (folder / "merged.h5").stat().st_size
        for share in (0.001, 0.05, 0.3, 0.6, 0.9, 0.999):
            limit = int(share * n_bytes)
            done = subprocess.run(
                [PROGRAM, "merge", *map(str, parts), "-o", str(folder / "merged.h5")],
                capture_output=True,
                text=True,
                timeout=120,
                preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
            )
            assert done.returncode == 3, (share, done.stderr)
            assert done.stderr == f"sarrus: error: {folder}/merged.h5: cannot be written: File too large\n", (share, done.stderr)
            assert content(folder / "merged.h5") == before and sorted(file.name for file in folder.iterdir()) == names


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()

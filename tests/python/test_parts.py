"""Studies in parts: `--parts`, `--memory`, and processes that share a study, told by the environment and by mpirun where there is
one. However it is made, the result has the bytes of one run; processes may die, and others go on. Exit code 77 (skipped) without a
program or without h5py."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from result_content import PROGRAM, content, h5py

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "scenarios"

STUDY = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 1.0, b: 0.1}
bodies:
  - {name: rod, mass: "=m", inertia: 0.1, position: [0.5, 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0], damping: "=b"}
integrator: {method: rk4, dt: 1.0e-3, t_end: 0.05}
batch:
  instances: 12
  design: saltelli
  parameters:
    - {name: m, distribution: normal, mean: 0.1, sd: 0.1}
    - {name: b, distribution: uniform, low: 0, high: 1}
output:
  every: 10
  channels: [state, energy, rank]
  quantities: {low: "min(rod.y)"}
  sensitivity: [low]
  statistics: {channels: [state, quantities], quantiles: [0.5]}
"""


def command(scenario, out, *arguments):
    return [PROGRAM, "run", str(scenario), "-o", str(out), "--quiet", "--threads", "1", "--specialize", "off", *map(str, arguments)]


def run(scenario, out, *arguments, codes=(0, 1), environment=None):
    done = subprocess.run(
        command(scenario, out, *arguments), capture_output=True, text=True, timeout=120, env={**os.environ, **(environment or {})}
    )
    assert done.returncode in codes, (done.returncode, done.stderr)
    return done


def ranks(scenario, out, n, *arguments):
    """n processes that run together, as Open MPI starts them."""
    return [
        subprocess.Popen(
            command(scenario, out, *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMPI_COMM_WORLD_RANK": str(k), "OMPI_COMM_WORLD_SIZE": str(n)},
        )
        for k in range(n)
    ]


def same(reference, out):
    ours, theirs = (content(path, but=("n_ranks",)) for path in (reference, out))
    assert sorted(ours) == sorted(theirs), set(ours) ^ set(theirs)
    for name, value in ours.items():
        assert value == theirs[name], name


def folder_with_study():
    folder = tempfile.TemporaryDirectory()
    (pathlib.Path(folder.name) / "study.yaml").write_text(STUDY)
    return folder


def test_parts():
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        study, whole, out = folder / "study.yaml", folder / "whole.h5", folder / "out.h5"
        code = run(study, whole).returncode
        for n in (1, 3, 72):
            done = run(study, out, "--parts", n, "--json")
            assert done.returncode == code
            told = json.loads(done.stdout)
            assert told["n_parts"] == n and told["n_instances"] == 72 and told["n_ranks"] == 1
            same(whole, out)
            assert len(list(folder.glob("out.h5.parts/*.h5"))) == n and not list(folder.glob("out.h5.parts/*.claim"))
            # what is complete is not run again
            before = {path: path.stat().st_mtime_ns for path in folder.glob("out.h5.parts/*.h5")}
            assert run(study, out, "--parts", n).returncode == code
            assert before == {path: path.stat().st_mtime_ns for path in folder.glob("out.h5.parts/*.h5")}
            shutil.rmtree(folder / "out.h5.parts")
        # several scenarios, and an own sample
        both = folder / "both.yaml"
        both.write_text(
            "sarrus: 1\nscenarios: [{file: study.yaml, instances: 3}, {file: study.yaml, instances: 2, seed: 5}]\n"
            "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.02}\noutput: {every: 5, channels: [state, rank]}\n"
        )
        (folder / "own.csv").write_text("m,b\n" + "".join(f"{0.1 * i},{0.05 * i}\n" for i in range(1, 12)))
        for scenario, arguments in ((both, ()), (study, ("--samples", folder / "own.csv"))):
            run(scenario, whole, *arguments)
            run(scenario, out, *arguments, "--parts", 4)
            same(whole, out)
            shutil.rmtree(folder / "out.h5.parts")


def test_processes_without_a_launcher():
    """The same command several times at once: one merges, the others see that it has, and all end alike."""
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        study, whole, out = folder / "study.yaml", folder / "whole.h5", folder / "out.h5"
        code = run(study, whole).returncode
        for _ in range(4):
            started = [subprocess.Popen(command(study, out, "--parts", 5), stderr=subprocess.PIPE, text=True) for _ in range(3)]
            for process in started:
                _, told = process.communicate(timeout=120)
                assert process.returncode == code, told
            same(whole, out)
            made = out.stat().st_mtime_ns
            assert run(study, out, "--parts", 5).returncode == code and out.stat().st_mtime_ns == made
            # a result that is no longer that merge is made anew
            out.unlink()
            run(study, out, "--parts", 5)
            same(whole, out)
            shutil.rmtree(folder / "out.h5.parts")
            out.unlink()


def test_files_that_may_not_grow():
    """The system's reason is told, of a write that is cut short too."""
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        for n_bytes in (100, 400):
            done = subprocess.run(
                command(folder / "study.yaml", folder / "out.h5", "--parts", 2),
                capture_output=True,
                text=True,
                preexec_fn=lambda most=n_bytes: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
            )
            assert done.returncode == 3 and "out.h5.parts/study: File too large" in done.stderr, done


def test_processes_together():
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        study, whole, out = folder / "study.yaml", folder / "whole.h5", folder / "out.h5"
        code = run(study, whole).returncode
        for n in (2, 3):
            started = ranks(study, out, n)
            for process in started:
                _, told = process.communicate(timeout=120)
                assert process.returncode in (0, 1), told
            assert started[0].returncode == code
            same(whole, out)
            with h5py.File(out) as file:
                assert file.attrs["n_ranks"] == n
            shutil.rmtree(folder / "out.h5.parts")
        with h5py.File(whole) as file:
            assert file.attrs["n_ranks"] == 1
        launcher = shutil.which("mpirun")
        if launcher is not None:
            words = [launcher, "--allow-run-as-root", "--oversubscribe", "-n", "3"]
            done = subprocess.run([*words, *command(study, out)], capture_output=True, text=True, timeout=120)
            # instances have failed: the first process says so, others that did would be taken for a crash of all
            assert out.exists() and code == 1, done.stderr
            same(whole, out)


def test_processes_that_die():
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        study, whole, out = folder / "study.yaml", folder / "whole.h5", folder / "out.h5"
        long = ("--set", "integrator.t_end=60", "--set", "output.every=3000", "--set", "batch.design=plain", "--checkpoint", "0")
        run(study, whole, *long)
        started = ranks(study, out, 3, *long)
        deadline = time.monotonic() + 60
        while not list(folder.glob("out.h5.parts/*.h5*")) and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(0.05)
        for process, number in zip(started, (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL), strict=True):
            process.send_signal(number)
        for process in started:
            process.communicate(timeout=120)
        assert not out.exists(), "the study should have been stopped before its end"
        assert started[1].returncode == 128 + signal.SIGTERM
        # another number of processes goes on
        for process in ranks(study, out, 2, *long):
            _, told = process.communicate(timeout=120)
            assert process.returncode in (0, 1), told
        same(whole, out)


def test_memory():
    """A run is not larger than it was told, and gives the bytes of one that was told nothing."""
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        scenario, whole, out = SCENARIOS / "five_bar_monte_carlo.yaml", folder / "whole.h5", folder / "out.h5"
        small = ("--instances", "60000", "--set", "integrator.t_end=0.004", "--set", "output.interval=0.002")
        run(scenario, whole, *small)
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        most = 200_000_000
        before = subprocess.run(
            [sys.executable, "-c", PEAK, *command(scenario, out, *small, "--memory", "200M")],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert before.returncode == 0, before.stderr
        taken = int(before.stdout) * 1024
        assert taken < most, (taken, largest)
        n_parts = len(list(folder.glob("out.h5.parts/*.h5")))
        assert n_parts > 1, (n_parts, largest)
        same(whole, out)
        # enough for all of it: nothing is divided
        run(folder / "study.yaml", folder / "one.h5", "--memory", "2Gi")
        assert not (folder / "one.h5.parts").exists()


# The largest memory of a command alone: that of the children of a process of its own.
PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def test_what_is_refused():
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        study, out = folder / "study.yaml", folder / "out.h5"
        for arguments, word in (
            (("--memory", "1M"), "--memory: too little for a part of one instance"),
            (("--memory", "much"), "--memory needs a number of bytes"),
            (("--memory", "4X"), "--memory needs a number of bytes"),
            (("--memory", "-4G"), "--memory needs a number of bytes"),
            (("--parts", "0"), "--parts"),
            (("--parts", "2", "--shard", "0/2"), "--parts together with --shard"),
            (("--parts", "2", "--instance", "0"), "--parts together with --instance"),
            (("--memory", "4G", "--instance", "0"), "--memory together with --instance"),
        ):
            done = run(study, out, *arguments, codes=(2,))
            assert word in done.stderr and not list(folder.glob("out*")), (word, done.stderr)
        done = run(study, out, "--shard", "0/2", codes=(2,), environment={"PMI_RANK": "1", "PMI_SIZE": "2"})
        assert "--shard by 2 processes together" in done.stderr
        run(study, out, "--parts", 3)
        for arguments in (("--seed", "9"), ("--instances", "5"), ("--set", "bodies.rod.inertia=0.2")):
            done = run(study, out, "--parts", 3, *arguments, codes=(2,))
            assert "parts of another study" in done.stderr, done.stderr
        # a complete part of another plan, before anything is computed
        parts = folder / "out.h5.parts"
        (parts / "0_of_3.h5").unlink()
        with h5py.File(parts / "2_of_3.h5", "r+") as file:
            file.attrs["plan_hash"] = "0123456789abcdef"
        done = run(study, out, "--parts", 3, codes=(2,))
        for word in ("2_of_3.h5 is of another plan", "another formulation: finish the study with that one"):
            assert word in done.stderr, done.stderr
        assert "--resume" not in done.stderr and not (parts / "0_of_3.h5").exists()
        # an odd environment is that of nobody
        run(
            study,
            folder / "b.h5",
            environment={"OMPI_COMM_WORLD_RANK": "x", "OMPI_COMM_WORLD_SIZE": "4", "PMI_RANK": "7", "PMI_SIZE": "2"},
        )
        assert not (folder / "b.h5.parts").exists()
        (folder / "c.h5.parts").write_text("")
        done = run(study, folder / "c.h5", "--parts", 2, codes=(2,))
        assert "is no folder" in done.stderr and (folder / "c.h5.parts").read_text() == ""


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()

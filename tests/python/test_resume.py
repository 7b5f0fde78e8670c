"""`sarrus run --resume`: a run that was stopped goes on, to the bytes of one that was not; what stands at its name is held against
it; damaged and foreign checkpoints harm nothing. Kills at random moments are tests/endure/resumes.py. Exit code 77 (skipped)
without a program or without h5py."""

import json
import pathlib
import random
import resource
import signal
import subprocess
import tempfile
import time

import numpy as np
from result_content import PROGRAM, content, h5py

SCENARIO = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 1.0}
bodies:
  - {name: rod, mass: "=m", inertia: 0.1, position: [0.5, 0]}
  - {name: bob, mass: 0.4, inertia: 0.1, position: [1.0, -0.2]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0], damping: 0.1}
  - {name: B, type: revolute, bodies: [rod, bob], at: [1.0, 0]}
integrator: {method: rk4, dt: 1.0e-4, t_end: 4}
batch:
  instances: 64
  parameters:
    - {name: m, distribution: uniform, low: 0.8, high: 1.2}
output: {every: 400, channels: [state, energy], quantities: {low: "min(bob.y)"}}
"""


class Folder(tempfile.TemporaryDirectory):
    def __enter__(self):
        path = pathlib.Path(super().__enter__())
        (path / "study.yaml").write_text(SCENARIO)
        return path


def command(folder, *more, scenario="study.yaml"):
    return [PROGRAM, "run", str(folder / scenario), "-o", str(folder / "out.h5"), "--quiet", "--specialize", "off", *more]


def run(folder, *more, **options):
    return subprocess.run(command(folder, *more, **options), capture_output=True, text=True, timeout=200)


def stopped(folder, *more, **options):
    """A run that is stopped once it has a checkpoint of its own. On a busy machine one may end before: then another is."""
    for _ in range(10):
        code, said = stopped_or_done(folder, *more, **options)
        if code != 0:
            break
        (folder / "out.h5").unlink()
    assert code != 0 and (folder / "out.h5.checkpoint").exists(), (code, said)
    return code, said


def stopped_or_done(folder, *more, by=signal.SIGTERM, **options):
    checkpoint = folder / "out.h5.checkpoint"
    checkpoint.unlink(missing_ok=True)
    slow = ("--checkpoint", "0", "--threads", "1")
    child = subprocess.Popen(command(folder, *slow, *more, **options), stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not checkpoint.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    first = checkpoint.stat().st_ino if checkpoint.exists() else 0
    deadline = time.monotonic() + 0.3  # the first is that of t = 0
    while checkpoint.exists() and checkpoint.stat().st_ino == first and time.monotonic() < deadline:
        time.sleep(0.005)
    child.send_signal(by)
    _, said = child.communicate(timeout=60)
    return child.returncode, said


def times_before(checkpoint):
    """Output times in whole blocks that a checkpoint goes on from: it stands behind head, size and four sizes of 8 bytes."""
    try:
        return int.from_bytes(checkpoint.read_bytes()[80:88], "little")
    except FileNotFoundError:
        return 0


def whole(folder):
    return content(folder / "out.h5", but=("device",))  # which says how many threads there were


def is_alone(folder):
    return sorted(path.name for path in folder.iterdir() if "out.h5" in path.name) == ["out.h5"]


def test_stop_and_go_on():
    with Folder() as folder:
        assert run(folder).returncode == 0
        expected = whole(folder)
        (folder / "out.h5").unlink()
        for by, code in ((signal.SIGTERM, 143), (signal.SIGUSR1, 138)):
            returned, said = stopped(folder, by=by)
            assert returned == code, (returned, said)
            assert "the same command with --resume goes on" in said, said
        # an older file of the same run is not in the way of one that begins anew, nor is its checkpoint
        result = run(folder, "--resume", "--threads", "1", "--json")
        assert result.returncode == 0, result.stderr
        assert "resumed at t = " in result.stderr, result.stderr
        assert json.loads(result.stdout)["resumed_at"] > 0
        assert whole(folder) == expected
        assert is_alone(folder)
        # what is complete is left alone, but for what a kill has left beside it
        (folder / ".out.h5.checkpoint").write_bytes(b"SARRUSC1 and no more")
        (folder / "out.h5.checkpoint").write_bytes(b"")
        before = (folder / "out.h5").stat()
        result = run(folder, "--resume", "--no-clobber")
        assert result.returncode == 0 and "is complete; nothing was run" in result.stderr, result.stderr
        after = (folder / "out.h5").stat()
        assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
        assert is_alone(folder)


def test_first_run_and_failed_instances():
    with Folder() as folder:
        # one that has failed at t = 0 does not come back
        (folder / "m.csv").write_text("m\n1\n-1\n1\n")
        short = ("--resume", "--set", "integrator.t_end=0.01", "--samples", str(folder / "m.csv"))
        result = run(folder, *short)
        assert result.returncode == 1 and "begins anew" in result.stderr, (result.returncode, result.stderr)
        result = run(folder, *short)
        assert result.returncode == 1 and "nothing was run" in result.stderr, (result.returncode, result.stderr)
        assert "--instance 1" in result.stderr, result.stderr


def test_other_runs_are_refused():
    with Folder() as folder:
        stopped(folder)
        sample = folder / "m.csv"
        sample.write_text("m\n" + "1.0\n" * 64)
        before = (folder / "out.h5").read_bytes(), (folder / "out.h5.checkpoint").read_bytes()
        for more, word in (
            (("--set", "integrator.dt=2e-4"), "scenario ('dt: 1.0e-4' there, 'dt: 2e-4' here)"),
            (("--seed", "7"), "scenario ('seed: 7' here alone)"),
            (("--instances", "63"), "scenario ('instances: 64' there, 'instances: 63' here)"),
            (("--set", "name=" + 30 * "é"), f"scenario ('name: \"{20 * 'é'}…' here alone)"),
            (("--samples", str(sample)), "other draws"),
        ):
            result = run(folder, "--resume", *more)
            assert result.returncode == 2 and word in result.stderr, (more, result.stderr)
            assert ((folder / "out.h5").read_bytes(), (folder / "out.h5.checkpoint").read_bytes()) == before
        with h5py.File(folder / "out.h5", "r+") as file:
            file.attrs["plan_hash"] = "0123456789abcdef"
        result = run(folder, "--resume")
        assert result.returncode == 2 and "the result of another plan" in result.stderr, result.stderr
        assert "another formulation: finish it with that one, or begin anew" in result.stderr, result.stderr
        result = run(folder, "--resume", "--instance", "1")
        assert result.returncode == 2 and "--resume together with --instance" in result.stderr
        for text in ("x", "-1", "nan", "", "1 s"):
            result = run(folder, "--checkpoint", text)
            assert result.returncode == 2 and "--checkpoint needs seconds" in result.stderr, (text, result.stderr)


def test_several_blocks_and_damage():
    """Bytes of a committed chunk that have changed are found before they are taken over."""
    with Folder() as folder:
        # instances enough for several blocks
        options = ("--set", "batch.instances=3000", "--set", "integrator={method: rk4, dt: 1e-3, t_end: 1}")
        options += ("--set", "output={every: 2, channels: [state, energy], quantities: {sum: integral(energy)}}")
        assert run(folder, *options).returncode == 0
        expected = whole(folder)
        (folder / "out.h5").unlink()
        child = subprocess.Popen(command(folder, "--checkpoint", "0", "--threads", "1", *options))
        partial = folder / "out.h5.partial"
        while child.poll() is None and times_before(folder / "out.h5.checkpoint") == 0:
            time.sleep(0.01)
        assert child.poll() is None
        child.kill()
        child.wait()
        with h5py.File(partial) as file:
            q = file["state/q"].id
            chunk = q.get_chunk_info(0)
            assert file.attrs["n_times_written"] >= q.get_create_plist().get_chunk()[1]
        # what was gathered from the blocks before is gone on with
        damaged, checkpoint = bytearray(partial.read_bytes()), (folder / "out.h5.checkpoint").read_bytes()
        ended = run(folder, "--resume", *options)
        assert ended.returncode == 0 and "resumed at" in ended.stderr, ended.stderr
        assert whole(folder) == expected
        (folder / "out.h5").unlink()
        (folder / "out.h5.checkpoint").write_bytes(checkpoint)
        damaged[chunk.byte_offset + chunk.size // 2] ^= 8
        partial.write_bytes(damaged)
        ended = run(folder, "--resume", *options)
        assert ended.returncode == 0 and "is damaged; the run begins anew" in ended.stderr, ended.stderr
        assert whole(folder) == expected


def test_long_names():
    with Folder() as folder:
        short = ("--set", "integrator.t_end=0.01", "-o")
        for n, code in ((243, 0), (244, 2)):
            done = run(folder, *short, str(folder / ("x" * n)), "--checkpoint", "0")
            assert done.returncode == code and "checkpoint" not in done.stderr, done.stderr
        assert "expected at most 243" in done.stderr, done.stderr


def test_damage():
    """Whatever has happened to the checkpoint, the result is right."""
    draw = random.Random(11)
    with Folder() as folder:
        short = ("--set", "integrator.t_end=5")
        assert run(folder, *short).returncode == 0
        expected = whole(folder)
        (folder / "out.h5").unlink()
        stopped(folder, *short)
        result, checkpoint = (folder / "out.h5").read_bytes(), (folder / "out.h5.checkpoint").read_bytes()
        for kind in ("flip", "flip", "cut", "empty", "longer", "no result", "other file"):
            bytes_of = bytearray(checkpoint)
            if kind == "flip":
                bytes_of[draw.randrange(8, len(bytes_of))] ^= 1 << draw.randrange(8)
            elif kind == "cut":
                del bytes_of[draw.randrange(len(bytes_of)) :]
            elif kind == "empty":
                bytes_of.clear()
            elif kind == "longer":
                bytes_of += b"12345678"
            elif kind == "other file":
                bytes_of = bytearray(b"a letter")
            (folder / "out.h5.checkpoint").write_bytes(bytes_of)
            (folder / "out.h5").write_bytes(result)
            if kind == "no result":
                (folder / "out.h5").unlink()
            ended = run(folder, "--resume", *short)
            assert ended.returncode == 0, (kind, ended.stderr)
            assert whole(folder) == expected, kind
            if kind == "other file":
                assert (folder / "out.h5.checkpoint").read_bytes() == b"a letter"
            else:
                assert is_alone(folder), kind


def test_little_memory():
    """Work that is done is not thrown away for want of memory."""
    with Folder() as folder:
        stopped(folder)
        before = (folder / "out.h5.checkpoint").read_bytes()

        def limited(*words):
            return subprocess.run(words, capture_output=True, text=True, timeout=200, preexec_fn=limit)

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (170_000_000, 170_000_000))

        if limited(PROGRAM, "--version").returncode != 0:
            print("skipped: a sanitized program needs more address space than any limit")
            return
        ended = limited(*command(folder, "--resume", "--threads", "1"))
        assert ended.returncode == 3 and "not enough memory to go on" in ended.stderr, (ended.returncode, ended.stderr)
        assert (folder / "out.h5.checkpoint").read_bytes() == before


def test_several_scenarios_and_a_sample():
    with Folder() as folder:
        (folder / "both.yaml").write_text(
            "sarrus: 1\nscenarios: [{file: study.yaml, instances: 40}, {file: study.yaml, instances: 3}]\n"
            "integrator: {method: rk4, dt: 1.0e-4, t_end: 3}\noutput: {every: 300, channels: [state, rank]}\n"
        )
        (folder / "m.csv").write_text("m\n" + "".join(f"{m}\n" for m in np.linspace(0.5, 2.0, 50)))
        for more, options in (((), {"scenario": "both.yaml"}), (("--samples", str(folder / "m.csv")), {})):
            assert run(folder, *more, **options).returncode == 0
            expected = whole(folder)
            (folder / "out.h5").unlink()
            stopped(folder, *more, by=signal.SIGKILL, **options)
            ended = run(folder, "--resume", *more, **options)
            assert ended.returncode == 0 and "resumed at" in ended.stderr, ended.stderr
            assert whole(folder) == expected
            assert is_alone(folder)
            (folder / "out.h5").unlink()


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()

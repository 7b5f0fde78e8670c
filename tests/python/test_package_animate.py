"""`sarrus.animate`: what its pages and films hold, held against result files and closed forms; misuse, failures, the command. Exit
code 77 (skipped) without the package."""

import html.parser
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from package import raises, run_all, sarrus
from program import SOURCE
from test_package_batch import SCENARIO

TOP = str(SOURCE / "scenarios" / "heavy_top.yaml")
COARSE = {"output.interval": 0.02, "output.channels": ["state", "reactions", "acceleration"]}


class Page(html.parser.HTMLParser):
    """The elements of a page, and the text of those that are scripts or the title."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "title", "h1"):
            self.texts.append((self.open[-1], data))


def motion_of(text):
    """The numbers in a page."""
    scripts = [data for tag, data in Page(text).texts if tag == "script"]
    assert len(scripts) == 2
    return json.loads(scripts[0])


def carried(pose, point):
    """A point of a body's frame, written out by the rotation's matrix."""
    if len(pose) == 3:
        c, s = np.cos(pose[2]), np.sin(pose[2])
        return pose[:2] + np.array([[c, -s], [s, c]]) @ point
    w, x, y, z = pose[3:]
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return pose[:3] + (np.eye(3) + 2 * w * cross + 2 * cross @ cross) @ point


def ends_of(data, actor):
    """[F, J, 2, d]: both ends of each joint in each frame."""
    width = 7 if data["spatial"] else 3
    out = []
    for frame in actor["poses"]:
        poses = np.reshape(frame, (-1, width))
        out.append(
            [
                [
                    np.array(p) if body < 0 else carried(poses[body], np.array(p))
                    for body, p in zip(joint["ends"], points, strict=True)
                ]
                for joint, points in zip(data["joints"], actor["points"], strict=True)
            ]
        )
    return np.array(out)


def coarse(settings=None, **options):
    return sarrus.run(SCENARIO, instances=7, backend="cpu", specialize="off", settings=COARSE | (settings or {}), **options)


def unit_of(data):
    """Half the last digit of lengths in a page: 1e-5 of the picture's size or finer."""
    return 0.5 * 10.0 ** -max(0, 5 - int(np.floor(np.log10(data["size"]))))


def test_frames_are_the_states():
    result = coarse()
    data = motion_of(sarrus.animate(result, instance=3, ghosts=[5, 1], fps=25).page)
    assert [own["label"] for own in data["actors"]] == ["instance 3", "instance 5", "instance 1"]
    assert [own["ghost"] for own in data["actors"]] == [False, True, True]
    assert np.allclose(data["time"], np.arange(26) * 0.04, rtol=0, atol=1e-9)
    for actor, row in zip(data["actors"], (3, 5, 1), strict=True):
        # Every second output time is that of a frame, so that poses are those of the file but for digits: of angles 0.5e-5.
        errors = np.abs(np.array(actor["poses"]) - result.q[row, ::2]).reshape(26, 3, 3).max(axis=(0, 1))
        assert (errors <= [1.01 * unit_of(data), 1.01 * unit_of(data), 0.51e-5]).all(), errors
        assert abs(-2 * actor["points"][0][1][1] - result.parameters["L"][row]) <= 2.01 * unit_of(data)
    # C is where circles about B and D cross: by the crank's angle alone.
    ends, unit = ends_of(data, data["actors"][0]), unit_of(data)
    length, rocker = result.parameters["L"][3], np.hypot(0.2, 0.9)
    for frame in range(26):
        b = length * np.array([-np.sin(result.q[3, 2 * frame, 2]), np.cos(result.q[3, 2 * frame, 2])])
        away = np.array([1.0, 0.0]) - b
        r = np.linalg.norm(away)
        along = (1.0 - rocker**2 + r**2) / (2 * r)
        across = np.sqrt(1.0 - along**2)
        c = b + along * away / r + across * np.array([-away[1], away[0]]) / r
        # Loops are closed to 1e-12 here; a coordinate is off by a unit, an angle by 0.5e-5 at an arm below 1, seen from B and D.
        tolerance = 4 * (1e-12 + unit + 0.5e-5) / (across * r / rocker)
        assert np.linalg.norm(ends[frame, 2, 0] - c) < tolerance, (frame, ends[frame, 2, 0], c, tolerance)


def test_joints_stay_closed_between_outputs():
    result = coarse()
    data = motion_of(sarrus.animate(result, instance=2, fps=31).page)
    assert len(data["time"]) == 32 and abs(data["time"][-1] - 1.0) < 1e-9
    ends = ends_of(data, data["actors"][0])
    gaps = np.linalg.norm(ends[:, :, 0] - ends[:, :, 1], axis=2).max(axis=0)
    # A straight line between two values h apart is off by h²/8 of the second derivative at most. Its greatest value lies less than
    # a difference of neighbors above those at outputs. A point at s moves by |s| times the error of the angle.
    a = result["state/a"][2].reshape(-1, 3, 3)
    most = np.abs(a).max(axis=0) + np.abs(np.diff(a, axis=0)).max(axis=0)
    arms = {"A": [(0, 0.16)], "B": [(0, 0.16), (1, 0.5)], "C": [(1, 0.5), (2, 0.5)], "D": [(2, 0.5)]}
    for gap, joint in zip(gaps, data["joints"], strict=True):
        bound = sum(0.02**2 / 8 * (np.hypot(*most[body, :2]) + arm * most[body, 2]) for body, arm in arms[joint["name"]])
        assert gap < bound + 4 * (unit_of(data) + 0.5e-5) + 1e-12, (joint, gap, bound)
        assert joint["kind"] == "pin"
    assert gaps.max() > 1e-7


def test_poses_between_outputs():
    # Every second frame lies in the middle between two outputs, and is held against an output there: with the bound of above.
    for scenario, interval, fps in ((SCENARIO, 0.02, 1 / 0.03), (TOP, 0.005, 1 / 0.0325)):
        options = {"instances": 1, "backend": "cpu", "specialize": "off"}
        settings = {"output.interval": interval, "output.channels": ["state"], "integrator.t_end": 0.6}
        fine = sarrus.run(scenario, settings=settings | {"output.interval": interval / 2}, **options).q[0]
        data = motion_of(sarrus.animate(sarrus.run(scenario, settings=settings, **options), fps=fps).page)
        step = round(2 / (fps * interval))
        assert step % 2 == 1
        poses = np.array(data["actors"][0]["poses"])[: len(fine) // step]
        truth = fine[::step][: len(poses)]
        second = np.abs(np.diff(fine, 2, axis=0)).max(axis=0) / (interval / 2) ** 2
        bound = 1.2 * interval**2 / 8 * second + 1e-5
        if data["spatial"]:
            # An orientation is that of both signs; the normalization brings the error of all four into each.
            truth[:, 3:] *= np.sign(np.sum(truth[:, 3:] * poses[:, 3:], axis=1, keepdims=True))
            bound[3:] = 2 * np.linalg.norm(bound[3:])
        assert (np.abs(poses - truth) <= bound).all(), (np.abs(poses - truth).max(axis=0), bound)


def test_space():
    result = sarrus.run(TOP, backend="cpu", specialize="off", settings={"integrator.t_end": 1.0})
    data = motion_of(sarrus.animate(result, fps=25, reactions=True).page)
    assert data["spatial"] and data["up"] == 2 and len(data["time"]) == 26
    poses = np.array(data["actors"][0]["poses"])
    ends = ends_of(data, data["actors"][0])[:, 0]
    # The tip stays where it is: digits of the place, and of a matrix from four numbers off by 0.5e-5 at an arm of 0.1.
    assert np.abs(ends[:, 1] - ends[:, 0]).max() < 2 * unit_of(data) + 0.1 * 8 * 0.5e-5
    # Signs do not jump from frame to frame, and between outputs the length stays 1 to four times 0.5e-5.
    odd = np.array(motion_of(sarrus.animate(result, fps=37).page)["actors"][0]["poses"])
    for own in (poses, odd):
        assert np.abs(np.linalg.norm(own[:, 3:], axis=1) - 1.0).max() < 2e-5
        assert (np.sum(own[1:, 3:] * own[:-1, 3:], axis=1) > -1e-9).all()
    # Arrows are shares of the longest, with four digits; every eighth output time is that of a frame.
    loads = result["reactions/tip"][0, ::8][:, :3]
    shown = np.array(data["actors"][0]["reactions"])[:, 0] * data["longest"]
    assert np.abs(shown - loads).max() <= 0.51e-4 * data["longest"]


def test_a_batch_is_left_alone():
    batch = sarrus.Batch(SCENARIO, 7, backend="cpu", specialize="off")
    batch.input = 3.0
    batch.advance(17)
    before = batch.save()
    data = motion_of(sarrus.animate(batch, instance=4, ghosts=2, fps=25, reactions=True).page)
    assert batch.save() == before
    other = motion_of(sarrus.animate(coarse(), instance=4, ghosts=2, fps=25, reactions=True).page)
    # The same bits at the same times, so the same digits.
    assert [own["label"] for own in data["actors"]] == ["instance 4", "instance 0", "instance 6"]
    assert data == other
    short = motion_of(sarrus.animate(batch, duration=0.5).page)
    assert len(short["time"]) == 14 and short["time"][-1] == 0.5
    assert motion_of(batch.animate(0, duration=0.5).page) == short


def test_a_batch_of_later_instances():
    """By their numbers in the study, as the rows of a file."""
    later = sarrus.Batch(SCENARIO, 2, first_instance=4, backend="cpu", specialize="off")
    data = motion_of(sarrus.animate(later, ghosts=1, fps=25, duration=0.5).page)
    assert [own["label"] for own in data["actors"]] == ["instance 4", "instance 5"]
    whole = sarrus.Batch(SCENARIO, 7, backend="cpu", specialize="off")
    assert data == motion_of(sarrus.animate(whole, instance=4, ghosts=[5], fps=25, duration=0.5).page)
    raises(sarrus.ArgumentError, lambda: sarrus.animate(later, instance=0), "no instance 0", "4 to 5")


def test_instances_that_fail():
    # Without projection loops open slowly, and pass this limit halfway.
    drifting = dict(SCENARIO, dynamics={"formulation": "udwadia-kalaba", "projection": "none"})
    limits = {"limits.violation": 1e-9, "limits.energy": "off", "limits.error": "off", "integrator.dt": 0.005}
    result = sarrus.run(drifting, samples={"L": [0.3, 9.0, 0.31]}, backend="cpu", specialize="off", settings=limits)
    words = list(sarrus.status_words(result.status))
    assert words == ["constraint_violated", "assembly_failed", "constraint_violated"]
    n = int(np.isfinite(result.q[0, :, 0]).sum())
    assert 3 < n < len(result.time) - 3
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = sarrus.animate(result, ghosts=[1, 2], fps=200)
    assert any("instance 1 has no pose" in str(own.message) for own in told)
    assert all(own.filename == __file__ for own in told), [own.filename for own in told]
    data = motion_of(made.page)
    first, ghost = data["actors"]
    assert ghost["label"] == "instance 2" and first["note"].startswith("constraint_violated at t = ")
    assert first["end"] == result.time[n - 1] and np.isfinite(first["poses"]).all()
    assert np.abs(np.array(first["poses"][-1]) - result.q[0, n - 1]).max() < 1e-5
    m = int(np.isfinite(result.q[2, :, 0]).sum())
    assert m < n and np.abs(np.array(ghost["poses"])[data["time"].index(result.time[n - 1])] - result.q[2, m - 1]).max() < 1e-5
    assert "constraint_violated" in made.motion.caption(first["end"]) and "\n" not in made.motion.caption(0.0)
    error = raises(sarrus.ArgumentError, lambda: sarrus.animate(result, instance=1), "instance 1", "assembly_failed")
    assert isinstance(error, ValueError)


def test_trajectories_of_some():
    """Instances are told by their numbers, and their joints are where their own draws put them."""
    everything, some = coarse(), coarse(settings={"output.instances": [1, 4]})
    pages = [sarrus.animate(result, instance=4, fps=25).page for result in (some, everything)]
    assert motion_of(pages[0]) == motion_of(pages[1])
    assert motion_of(sarrus.animate(some, fps=25).page) == motion_of(sarrus.animate(everything, instance=1, fps=25).page)
    raises(sarrus.ArgumentError, lambda: sarrus.animate(some, instance=3), "expected one of 1, 4")
    raises(sarrus.FileError, lambda: sarrus.animate(coarse(settings={"output.instances": "none"})), "output.instances")


def test_no_name_is_a_script():
    evil = "</script><script>alert(1)</script><!-- {{MOTION}} & \"'"
    made = sarrus.animate(sarrus.Batch(dict(SCENARIO, name=evil), 1, backend="cpu", specialize="off"), duration=0.4)
    page = Page(made.page)
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert motion_of(made.page)["title"] == evil
    assert [data for tag, data in page.texts if tag == "title"] == [evil]
    assert "http" not in made.page and "alert(1)</" not in made.page
    assert not any(key in ("src", "href") for _, attrs in page.tags for key in attrs)
    frame = Page(made._repr_html_())
    assert [tag for tag, _ in frame.tags] == ["iframe"] and frame.tags[0][1]["srcdoc"] == made.page
    assert frame.tags[0][1]["sandbox"] == "allow-scripts"


def test_films():
    result = coarse()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "film.gif"
        try:
            from PIL import Image

            sarrus.animate(result, place, ghosts=1, fps=20, duration=0.5, reactions=True, dpi=40)
        except ImportError as error:
            print(f"films were left out: {error}")
            return
        with Image.open(place) as film:
            assert film.n_frames == 11 and film.info["duration"] == 50 and film.info["loop"] == 0
            size, frames = film.size, []
            for i in range(film.n_frames):
                film.seek(i)
                assert film.size == size
                frames.append(np.asarray(film.convert("RGB"), dtype=int))
        assert all((a != b).any() for a, b in itertools.pairwise(frames))
        space = pathlib.Path(folder) / "space.gif"
        sarrus.animate(sarrus.Batch(TOP, 1, backend="cpu", specialize="off"), space, duration=0.5, fps=30, dpi=40)
        with Image.open(space) as film:
            # A GIF has no 30 frames a second, but 100/3.
            assert film.info["duration"] == 30 and film.n_frames == 18
        assert sorted(own.name for own in pathlib.Path(folder).iterdir()) == ["film.gif", "space.gif"]


FFMPEG = """\
#!/bin/sh
cat > /dev/null
for word; do case $word in comment=*) told=$word;; file:*) place=${word#file:};; esac; done
{ printf '\\0\\0\\0\\040ftypisom'; head -c 9000 /dev/zero; printf '%s' "$told"; head -c 90 /dev/zero; } > "$place"
"""


def foreign_files_stay(place, foreign):
    options = {"fps": 20, "duration": 0.5}
    made, beside = sarrus.animate(coarse(), **options, dpi=40), place.with_name(f"film.partial{place.suffix}")
    for text in (b"somebody's", foreign):
        place.write_bytes(text)
        raises(sarrus.ArgumentError, lambda: sarrus.animate(coarse(), place, **options), "that Sarrus has written")
        raises(sarrus.ArgumentError, lambda: made.save(place), "that Sarrus has written")
        assert place.read_bytes() == text
    place.unlink()
    place.mkdir()
    raises(sarrus.ArgumentError, lambda: made.save(place), "no file")
    place.rmdir()
    beside.write_text("somebody's")
    made.save(place)
    older = place.stat().st_mtime_ns
    made.save(place)
    assert place.stat().st_mtime_ns > older and beside.read_text() == "somebody's"


def test_files_of_others_stay():
    """Of every kind: a text, a picture of somebody else, a folder; and what has a name like that of an unfinished one."""
    kinds = {".gif": b"GIF89a\1\0\1\0", ".mp4": b"\0\0\0\40ftypisom" + bytes(9999), ".html": b"<html>"}
    with tempfile.TemporaryDirectory() as folder:
        ffmpeg = pathlib.Path(folder, "bin", "ffmpeg")  # stands for the program: a film with the comment that it is told
        ffmpeg.parent.mkdir()
        ffmpeg.write_text(FFMPEG)
        ffmpeg.chmod(0o755)
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{ffmpeg.parent}:{before}"
        try:
            for suffix, foreign in kinds.items():
                foreign_files_stay(pathlib.Path(folder, f"film{suffix}"), foreign)
        except ImportError as error:
            print(f"films were left out: {error}")
        finally:
            os.environ["PATH"] = before
        assert list(pathlib.Path(folder).glob(".*")) == []


def test_misuse():
    result = coarse()
    for call, words in (
        (lambda: sarrus.animate(result, "film.avi"), (".avi", ".html, .gif, .mp4")),
        (lambda: sarrus.animate(result, instance=7), ("no instance 7", "0 to 6")),
        (lambda: sarrus.animate(result, ghosts=[9]), ("no instance 9",)),
        (lambda: sarrus.animate(result, instance=[]), ("instance=[]",)),
        (lambda: sarrus.animate(result, instance=-1), ("instance=-1",)),
        (lambda: sarrus.animate(result, ghosts=["a"]), ("ghosts='a'",)),
        (lambda: sarrus.animate(result, fps=0), ("fps=0",)),
        (lambda: sarrus.animate(result, speed=float("nan")), ("speed=nan",)),
        (lambda: sarrus.animate(result, speed=1e-6), ("frames", "higher speed")),
        (lambda: sarrus.animate(result, group=0), ("no group",)),
        (lambda: sarrus.animate(3), ("a Result or a Batch",)),
    ):
        raises(sarrus.ArgumentError, call, *words)
    with tempfile.TemporaryDirectory() as folder:
        raises(sarrus.FileError, lambda: sarrus.animate(result, f"{folder}/no/such/page.html"), "page.html")
        raises(sarrus.FileError, lambda: sarrus.animate(f"{folder}/none.h5"), "none.h5")
        raises(sarrus.FileError, lambda: sarrus.animate(__file__), "expected a result file of Sarrus")
        bare = sarrus.run(SCENARIO, instances=2, backend="cpu", settings={"output.channels": ["energy"]})
        raises(sarrus.FileError, lambda: sarrus.animate(bare), "output.channels with state")
        bare = sarrus.run(SCENARIO, instances=2, backend="cpu", settings={"output.channels": ["state"]})
        raises(sarrus.FileError, lambda: sarrus.animate(bare, reactions=True), "reactions")


def test_parts_of_studies():
    with tempfile.TemporaryDirectory() as folder:
        scenario, part = pathlib.Path(folder, "one.yaml"), f"{folder}/part.h5"
        scenario.write_text(sarrus.load(SCENARIO).resolved)
        program = str(sarrus.models.program_path())
        done = subprocess.run([program, "run", str(scenario), "--instance", "4", "-o", part, "--quiet"], check=False)
        assert done.returncode == 0
        data = motion_of(sarrus.animate(part).page)
        assert [own["label"] for own in data["actors"]] == ["instance 4"]
        # A replay has all steps, so that its frames are the states of the study.
        assert data["actors"][0]["poses"] == motion_of(sarrus.animate(coarse(), instance=4).page)["actors"][0]["poses"]


def command(*arguments):
    own = [sys.executable, "-m", "sarrus", "animate", *map(str, arguments)]
    return subprocess.run(own, capture_output=True, text=True, check=False)


def test_command():
    with tempfile.TemporaryDirectory() as folder:
        study, page = f"{folder}/study.h5", pathlib.Path(folder) / "page.html"
        sarrus.run(SCENARIO, study, instances=7, backend="cpu", specialize="off", settings=COARSE)
        options = ["--instance", 2, "--instance", 5, "--ghosts", 3, "--fps", 50, "--speed", 0.5, "--reactions"]
        done = command(study, "-o", page, *options)
        assert done.returncode == 0 and "101 frames" in done.stdout and not done.stderr, done
        data = motion_of(page.read_text(encoding="utf-8"))
        assert [own["ghost"] for own in data["actors"]] == [False, False, True, True, True] and data["longest"] > 0
        assert data == motion_of(sarrus.animate(study, instance=[2, 5], ghosts=3, fps=50, speed=0.5, reactions=True).page)
        for arguments, code, word in (
            ((study,), 2, "-o"),
            ((study, "-o", f"{folder}/a.avi"), 2, ".avi"),
            ((study, "-o", page, "--instance", "many"), 2, "--instance"),
            ((study, "-o", page, "--instance", 8), 2, "no instance 8"),
            ((f"{folder}/none.h5", "-o", page), 3, "none.h5"),
            ((study, "-o", f"{folder}/no/such/page.html"), 3, "page.html"),
        ):
            done = command(*arguments)
            assert done.returncode == code and word in done.stderr and "Traceback" not in done.stderr, done
        assert command("--help").returncode == 0


def test_several_scenarios():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "one.yaml").write_text(sarrus.load(SCENARIO).resolved)
        pathlib.Path(folder, "both.yaml").write_text(
            "sarrus: 1\nscenarios:\n  - {file: one.yaml, instances: 2}\n"
            f"  - {{file: '{SOURCE}/scenarios/pendulum.yaml', instances: 1}}\n"
            "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.5}\noutput: {interval: 0.01, channels: [state]}\n"
        )
        result = sarrus.run(f"{folder}/both.yaml", backend="cpu", specialize="off")
        assert len(motion_of(sarrus.animate(result, group=0, ghosts=1).page)["actors"]) == 2
        assert len(motion_of(sarrus.animate(result, group=1).page)["bodies"]) == 1
        raises(sarrus.ArgumentError, lambda: sarrus.animate(result), "2 groups", "one.yaml")
        raises(sarrus.ArgumentError, lambda: sarrus.animate(result, group=2), "from 0 to 1")


if __name__ == "__main__":
    sys.exit(run_all(globals()))

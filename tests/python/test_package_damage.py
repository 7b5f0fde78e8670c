"""`sarrus report` and `sarrus animate` of damaged files: a page, or exit code 3 and one line that says so; never a traceback, nor a
process that does not end. Exit code 77 (skipped) without the package."""

import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

try:
    import h5py
    import numpy as np
    from package import raises, run_all, sarrus
    from test_package_batch import SCENARIO
except ModuleNotFoundError as error:
    if error.name not in ("h5py", "numpy"):
        raise
    print(f"skipped: {error}")
    sys.exit(77)

FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-")
STUDY = pathlib.Path(FOLDER.name, "study.h5")


def study():
    if not STUDY.exists():
        settings = {"integrator.t_end": 0.1, "output.quantities": {"far": "max(crank.x)"}}
        sarrus.run(SCENARIO, STUDY, instances=6, backend="cpu", specialize="off", settings=settings)
    return STUDY


def place_of(name, data):
    place = pathlib.Path(FOLDER.name, f"{name}.h5")
    place.write_bytes(data)
    return place


def changed(name, change):
    place = place_of(name, study().read_bytes())
    with h5py.File(place, "a") as file:
        change(file)
    return place


def replace(file, path, **options):
    attributes = dict(file[path].attrs)
    del file[path]
    made = file.create_dataset(path, **options)
    for name in ("units", "long_name"):
        if name in attributes:
            made.attrs[name] = attributes[name]


def command(*words, limit=None, wait=100.0):
    """The commands of the package, which take `limit` s of a processor for the reading, where it is not the usual."""
    lines = ["import sys, sarrus.confined as own, sarrus.__main__ as program"]
    lines += [f"own.SECONDS, own.SECONDS_OF_MEGABYTE = {limit}, 0.0"] if limit else []
    own = [sys.executable, "-c", "\n".join([*lines, "program.main()"]), *map(str, words)]
    return subprocess.run(own, capture_output=True, text=True, check=False, timeout=wait)


def shown(name, place, **options):
    """The end of a command, which is one of those that are allowed."""
    page = place.with_suffix(f".{name}.html")
    page.unlink(missing_ok=True)
    done = command(name, place, "-o", page, **options)
    assert "Traceback" not in done.stderr and done.returncode in (0, 3), (place.name, done)
    lines = [line for line in done.stderr.splitlines() if ": error: " in line]
    assert len(lines) == (done.returncode == 3) and page.exists() == (done.returncode == 0), (place.name, done)
    return done


def test_what_is_of_another_kind():
    """Times that are a text, groups that are not there, more instances than any machine has, no scenario that can be read."""

    def times_are_a_text(file):
        replace(file, "time", data="soon")

    def groups_are_missing(file):
        file.attrs["n_groups"] = np.int32(10**9)

    def instances_are_many(file):
        replace(file, "instance/id", shape=(10**15,), maxshape=(None,), chunks=(1024,), dtype="u8")

    def statuses_are_texts(file):
        replace(file, "instance/status", data=["ok"] * 6)

    for change, word in (
        (times_are_a_text, ""),
        (groups_are_missing, "1000000000 groups"),
        (instances_are_many, ""),
        (statuses_are_texts, ""),
    ):
        place = changed(change.__name__, change)
        for name in ("report", "animate"):
            done = shown(name, place)
            assert done.returncode == 3 and "damaged" in done.stderr and word in done.stderr, done
        for call in (sarrus.report, sarrus.animate):
            raises((sarrus.FileError, MemoryError), lambda call=call, place=place: call(place))
    place = changed("no_scenario", lambda file: replace(file, "scenario", data="sarrus: what\n"))
    assert shown("animate", place).returncode == 3
    assert shown("report", place).returncode == 0


def test_a_status_of_its_own():
    """It may be one of a later version: it is called by its number."""
    place = place_of("status", study().read_bytes())
    with h5py.File(place, "a") as file:
        numbers = file["instance/status"][:]
        numbers[0] = 200
        del file["instance/status"]
        file["instance/status"] = numbers.astype("u1")
        times = file["instance/failed_time"]
        times[0] = 0.05
    assert "status 200" in sarrus.report(place).page and "status 200 at" in sarrus.animate(place).page
    for name in ("report", "animate"):
        assert shown(name, place).returncode == 0


def test_bytes_that_are_lost():
    """Pieces of zeros: in what the file says of its objects, and anywhere."""
    data, draws = study().read_bytes(), random.Random(1)
    with h5py.File(STUDY) as file:
        headers = [h5py.h5o.get_info(file[path].id).addr for path in ("/", "instance", "time", "state/q")]
    pieces = [(start + 16, 200) for start in headers]
    pieces += [(draws.randrange(100, len(data) if i % 2 else 60000), draws.choice((1, 64, 1024))) for i in range(8)]
    places = []
    for i, (start, n) in enumerate(pieces):
        end = min(len(data), start + n)
        places.append(place_of(f"lost{i}", data[:start] + bytes(end - start) + data[end:]))
    both = [(name, place) for place in places for name in ("report", "animate")]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda one: shown(*one, limit=8), both))
    assert {own.returncode for own in done} == {0, 3}


def test_what_never_ends():
    """HDF5 goes round for ever in a heap of texts whose pieces have the size 0. So it does where a second Ctrl-C has to end it."""
    data = study().read_bytes()
    for i, found in enumerate(re.finditer(b"GCOL", data)):
        start, size = found.start() + 16, int.from_bytes(data[found.start() + 8 : found.start() + 16], "little")
        place = place_of(f"heap{i}", data[:start] + bytes(size - 16) + data[start + size - 16 :])
        done = shown("report", place, limit=3)
        assert i > 0 or (done.returncode == 3 and "too slow to read" in done.stderr), done
    own = [sys.executable, "-m", "sarrus", "report", f"{FOLDER.name}/heap0.h5", "-o", f"{FOLDER.name}/page.html"]
    with subprocess.Popen(own, stderr=subprocess.PIPE, text=True) as running:
        time.sleep(3)
        for _ in range(2):
            running.send_signal(signal.SIGINT)
            time.sleep(0.5)
        assert running.wait(20) == 137 and running.stderr.read() == ""


if __name__ == "__main__":
    sys.exit(run_all(globals()))

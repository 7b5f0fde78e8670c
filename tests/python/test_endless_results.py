"""Commands that go on with a result file end where HDF5 would read it for ever: in a heap of texts whose pieces have the size 0.
Exit code 77 (skipped) without a program."""

import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from program import SOURCE, place

# Ten seconds of a processor are what a look takes; a busy machine has thirty by the clock.
MOST_SECONDS = 90


def damaged(data):
    """The bytes of a file with a heap of texts whose pieces have the size 0."""
    found = next(re.finditer(b"GCOL", data)).start()
    start, size = found + 16, int.from_bytes(data[found + 8 : found + 16], "little")
    return data[:start] + bytes(size - 16) + data[start + size - 16 :]


def main():
    program = place()
    if program is None:
        return 77
    scenario = SOURCE / "scenarios" / "pendulum.yaml"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = [program, "run", str(scenario), "--quiet", "--specialize", "off", "--set", "integrator.t_end=0.1"]
        subprocess.run([*run, "-o", str(folder / "good.h5")], check=True)
        files = {own: folder / f"{own}.h5" for own in ("xdmf", "resume", "retry", "merge")}
        for file in files.values():
            file.write_bytes(damaged((folder / "good.h5").read_bytes()))
        parts = [*run, "-o", str(folder / "parts.h5"), "--parts", "2", "--instances", "4"]
        subprocess.run(parts, check=True)
        files["parts"] = folder / "parts.h5.parts" / "1_of_2.h5"
        files["parts"].write_bytes(damaged(files["parts"].read_bytes()))
        before = {own: file.read_bytes() for own, file in files.items()}
        commands = {
            "xdmf": [program, "xdmf", f"{folder}/xdmf.h5", "-o", f"{folder}/out.xdmf"],
            "resume": [*run, "-o", f"{folder}/resume.h5", "--resume"],
            "retry": [program, "run", str(scenario), "--retry-failed", f"{folder}/retry.h5", "-o", f"{folder}/again.h5"],
            "parts": parts,
            "merge": [program, "merge", f"{folder}/merge.h5", "-o", f"{folder}/merged.h5"],
        }

        def end_of(command):
            try:
                return subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
            except subprocess.TimeoutExpired:
                return None

        with ThreadPoolExecutor(2) as pool:
            ends = dict(zip(commands, pool.map(end_of, commands.values()), strict=True))
        n_failed = 0
        for own, end in ends.items():
            if end is None or end.returncode != 3 or "the file is damaged" not in end.stderr:
                n_failed += 1
                print(f"FAILED {own}: {'no end' if end is None else (end.returncode, end.stderr)}", file=sys.stderr)
            elif files[own].read_bytes() != before[own]:
                n_failed += 1
                print(f"FAILED {own}: the file was changed", file=sys.stderr)
        print(f"{len(ends)} commands, {n_failed} failed")
        return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())

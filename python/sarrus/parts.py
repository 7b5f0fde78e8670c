"""Studies in parts, which the program runs: below OUT.h5.parts, where other processes may share them and later ones go on."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .batches import status_word
from .errors import ArgumentError, BackendError, Error, FileError, UnsupportedError
from .models import Model, program_path


@dataclass(frozen=True)
class Parts:
    """How a study is run in parts: as the options of the program have it."""

    parts: int | None
    memory: int | str | None
    instances: int | None
    seed: int | None
    threads: int | None
    backend: str
    specialize: str
    no_clobber: bool
    resume: bool

    def options(self) -> list[str]:
        told = {
            "--parts": self.parts,
            "--memory": self.memory,
            "--instances": self.instances,
            "--seed": self.seed,
            "--threads": self.threads,
            "--backend": self.backend,
            "--specialize": self.specialize,
        }
        made = [text for name, value in told.items() if value is not None for text in (name, str(value))]
        return made + ["--no-clobber"] * self.no_clobber + ["--resume"] * self.resume


def parts_run(model: Model, output: str, own: Parts, sample: npt.NDArray[np.float64] | None) -> dict[str, Any]:
    """Runs the parts that are not complete yet, makes one result of all, and returns its summary."""
    if model.is_mixed and model.path is None:
        raise UnsupportedError("a list of scenarios is run in parts by its path: the names in it are relative to its folder")
    with tempfile.TemporaryDirectory(prefix="sarrus-") as folder:
        file, options = model._place, own.options()
        if model.is_mixed:
            options += [text for path, value in model._pairs for text in ("--set", f"{path}={value}")]
        else:
            file = f"{folder}/scenario.yaml"
            Path(file).write_text(model.resolved, encoding="utf-8")
        if sample is not None:
            np.save(f"{folder}/sample.npy", sample)
            options += ["--samples", f"{folder}/sample.npy"]
        told = _program_run([str(program_path()), "run", "-o", output, "--json", "--quiet", *options, "--", file])
    return _summary_of(output, told)


def _program_run(command: list[str]) -> dict[str, Any]:
    """What it says of the result. Ctrl-C stops it in order: in a session of its own it hears of it once, from here. At the second
    one, and whatever else ends the wait, it is killed: nobody would be left to hear of it."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as child:
        try:
            try:
                out, error = child.communicate()
            except KeyboardInterrupt:
                child.send_signal(signal.SIGINT)
                child.communicate()
                raise
        except BaseException:
            child.kill()
            raise
    if child.returncode in (0, 1):
        return json.loads(out)
    kinds: dict[int, type[Error]] = {2: ArgumentError, 3: FileError, 4: BackendError}
    text = error.decode(errors="replace").strip().removeprefix("sarrus run: error: ").removeprefix("sarrus: error: ")
    raise kinds.get(child.returncode, UnsupportedError)(text or f"the program ended with {child.returncode}")


def _summary_of(output: str, told: dict[str, Any]) -> dict[str, Any]:
    """The keys of a run's summary that parts have, from the result."""
    import h5py

    summary: dict[str, Any] = {"is_complete": True, "n_parts": told.get("n_parts", 1)}
    summary |= {key: told[key] for key in ("n_instances", "n_failed")}
    with h5py.File(output, "r") as file:
        groups = [file] if "instance" in file else [file[name] for name in sorted(file, key=len) if name.isdigit()]
        summary["failures"] = _failures_of(groups)
        summary["n_output_times"] = max(len(group["time"]) for group in groups)
        summary["t_end"] = min(float(group["time"][-1]) for group in groups)
        summary |= {key: str(groups[0].attrs.get(key, "")) for key in ("backend", "device")}
    summary["output_bytes"] = Path(output).stat().st_size
    return summary


def _failures_of(groups: list[Any]) -> dict[str, dict[str, float | int]]:
    """By status word: how many, the first of them and when."""
    found: dict[str, dict[str, float | int]] = {}
    for group in groups:
        status, times = group["instance/status"][:], group["instance/failed_time"][:]
        for value in np.unique(status[status != 0]).tolist():
            rows = np.flatnonzero(status == value)
            first = {"count": 0, "first_instance": int(group["instance/id"][rows[0]]), "first_time": float(times[rows[0]])}
            own = found.setdefault(status_word(value), first)
            own["count"] += len(rows)
    return found


def memory_check(memory: int | str) -> int | str:
    """Bytes, or a text as "4G"."""
    if isinstance(memory, str) and memory:
        return memory
    if isinstance(memory, int | np.integer | float) and not isinstance(memory, bool) and math.isfinite(memory) and memory >= 1:
        return int(memory)
    raise ArgumentError(f"memory={memory!r}; expected a number of bytes, or a text as '4G'")

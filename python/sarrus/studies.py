"""The whole main job: draw, assemble, integrate, into a file or into memory."""

from __future__ import annotations

import html
import io
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .batches import STATUS_WORDS
from .choices import batch_options, count_check, seed_check, text_check
from .errors import ArgumentError, FileError
from .models import Model, Scenario
from .parts import Parts, memory_check, parts_run
from .sample_files import sample_of
from .samples import Samples, sample_table, sampled_model


class Result:
    """What a run gave. `summary` is a dict; datasets are read by their paths in the file, as `result["state/q"]`.

    `path` is the file, or None: then its bytes are in memory. A file that was replaced or changed since is not read any more
    (`FileError`): its numbers would be those of another run.
    """

    def __init__(self, summary: dict[str, Any], path: str | None, data: bytes | None) -> None:
        self.summary = summary
        self.path = path
        self._data = data
        self._written = None if path is None else _identity_of(path)

    def _source(self) -> str | io.BytesIO:
        """The file, which has to be the one that the run has written, or the bytes."""
        if self.path is None or self._data is not None:
            return io.BytesIO(self._data or b"")
        found = _identity_of(self.path)
        if found is None:
            raise FileError(f"{self.path} is not there any more; expected the file that the run has written")
        if found != self._written:
            own = "is another file now than the run has written, or was changed"
            raise FileError(f"{self.path} {own}; sarrus.open reads what is there, and a name of its own would keep every result")
        return self.path

    def _file(self) -> Any:
        import h5py

        source = self._source()
        try:
            return h5py.File(source, "r")
        except OSError as error:
            raise FileError(f"{self.path or 'the result'}: {error}; expected a result file of Sarrus") from error

    def keys(self) -> list[str]:
        """Paths of all datasets."""
        import h5py

        found: list[str] = []
        with self._file() as file:
            file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, path: str) -> Any:
        if not isinstance(path, str):
            raise ArgumentError(f"a dataset is told by its path, as 'state/q'; got {path!r}")
        with self._file() as file:
            key = path.strip("/")
            if "\0" in key or key not in file or not hasattr(file[key], "dtype"):
                raise KeyError(f"{path!r} is no dataset of the result; expected one of {self.keys()}")
            value = file[key][()]
        if isinstance(value, bytes):
            return value.decode()
        if isinstance(value, np.ndarray) and value.dtype == object:
            return [item.decode() if isinstance(item, bytes) else item for item in value]
        return value

    def __contains__(self, path: str) -> bool:
        return isinstance(path, str) and path.strip("/") in self.keys()

    @property
    def time(self) -> npt.NDArray[np.float64]:
        """Output times [T] in s."""
        return self["time"]

    @property
    def q(self) -> npt.NDArray[np.float64]:
        """Coordinates [N, T, n_q], NaN of an instance from its failure on."""
        return self["state/q"]

    @property
    def v(self) -> npt.NDArray[np.float64]:
        """Speeds [N, T, n]."""
        return self["state/v"]

    @property
    def status(self) -> npt.NDArray[np.uint8]:
        """[N], 0: ok; `sarrus.STATUS_WORDS` names the others."""
        return self["instance/status"]

    @property
    def parameters(self) -> dict[str, npt.NDArray[np.float64]]:
        """The drawn parameters [N] by label."""
        head = "instance/parameters/"
        return {key.removeprefix(head): self[key] for key in self.keys() if key.startswith(head)}

    @property
    def units(self) -> dict[str, npt.NDArray[np.float64]]:
        """The draws in the unit interval [N] by label, whose quantiles the parameters are; empty for an own sample."""
        head = "instance/unit/"
        return {key.removeprefix(head): self[key] for key in self.keys() if key.startswith(head)}

    def to_xarray(self) -> Any:
        """The file as an xarray DataTree, as of `sarrus.open`."""
        from .results import tree_open

        return tree_open(self._source(), self.path or "the result")

    def __repr__(self) -> str:
        own = self.summary
        place = self.path if self.path is not None else "in memory"
        state = "" if own["is_complete"] else ", stopped"
        counts = f"{own['n_instances']} instances, {own['n_failed']} failed"
        return f"<sarrus.Result of {counts}, to t = {own['t_end']:g} s{state}; {place}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{key}</td><td>{html.escape(str(value))}</td></tr>" for key, value in self.summary.items())
        return f"<b>{html.escape(repr(self))}</b><table>{rows}</table>"


def _identity_of(path: str) -> tuple[int, int, int] | None:
    """What tells a file from another one of its name; None: it is not there. A run writes a new file and renames it, but its number
    may be that of one before, so time and size count too. The device's number does not: mounting anew may change it."""
    try:
        about = Path(path).stat()
    except OSError:
        return None
    return about.st_ino, about.st_mtime_ns, about.st_size


class _Bar:
    """tqdm, made when the first word of the run comes."""

    def __init__(self) -> None:
        self.bar: Any = None

    def tell(self, done: int, total: int, time: float, t_end: float, n_failed: int) -> None:
        if self.bar is None:
            from tqdm.auto import tqdm

            self.bar = tqdm(total=total, unit="step", unit_scale=True, desc="sarrus", leave=False)
        self.bar.total = total
        self.bar.n = done
        self.bar.set_postfix_str(f"t = {time:.3g} of {t_end:.3g} s" + (f", {n_failed} failed" if n_failed else ""), refresh=True)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def run(
    scenario: Scenario,
    output: str | os.PathLike[str] | None = None,
    *,
    instances: int | None = None,
    seed: int | None = None,
    samples: Samples | None = None,
    threads: int | None = None,
    backend: str = "auto",
    specialize: str = "auto",
    settings: Mapping[str, object] | None = None,
    no_clobber: bool = False,
    resume: bool = False,
    retry_failed: str | os.PathLike[str] | None = None,
    parts: int | None = None,
    memory: int | str | None = None,
    progress: bool | None = None,
) -> Result:
    """Draws the parameters, assembles every instance and integrates to t_end, as `sarrus run`.

    output: the result file; None: the result is in memory
    instances, seed: None means the scenario's; with a design `instances` are its points or trajectories
    samples: own values instead of draws: [instances, parameters] in SI units, columns as `Model.parameters`, or a dict by label;
        of a scenario that draws nothing a dict by names of parameters and paths of any of its numbers. Or the path of a file of
        them: a .csv with a line of names, a .npy, or a result
    resume: go on where an earlier run of the same to `output` has stood when it was stopped or killed; without one it begins anew,
        and of a complete result nothing is run (`result.summary["resumed_at"]`, s of motion, or None)
    retry_failed: the path of a complete result of this study, whose failed instances are run again as they were drawn, with the
        integrator, dynamics and limits that the scenario has now; the result is a copy of it with their new rows. It may be
        `output` itself
    parts: run the study in so many parts, below OUTPUT.parts; whoever calls it again goes on with what is not complete, and several
        processes may share the work
    memory: bytes, or a text as "4G": take no more, by running the study in parts. Parts are run by the program that the package
        brings, without a bar
    progress: True shows a bar, None shows one on a terminal

    Instances that fail are counted in `result.summary` and keep their rows; that is no exception. Ctrl-C stops the run after what
    is done has been written, and raises KeyboardInterrupt. Raises `ScenarioError`, `FileError`, `BackendError`, `ArgumentError`.
    """
    n_instances = 0 if instances is None else count_check("instances", instances, 1)
    samples = sample_of(samples)
    model = sampled_model(scenario, settings, samples, n_instances)
    is_in_parts = parts is not None or memory is not None
    if retry_failed is not None:
        _retry_check(model, samples=samples, instances=instances, seed=seed, resume=resume or None, parts=parts, memory=memory)
    if is_in_parts and output is None:
        raise ArgumentError("parts or memory without an output; parts are files beside it")
    if resume and output is None:
        raise ArgumentError("resume=True without an output; a result in memory ends with the program")
    options = batch_options(backend, threads, specialize) | {
        "no_clobber": bool(no_clobber),
        "resumes": bool(resume),
        "checkpoint_seconds": -1.0 if output is None else 0.0,
    }
    sample = None if samples is None else sample_table(model, samples)
    if sample is not None and n_instances not in (0, len(sample)):
        raise ArgumentError(f"samples has {len(sample)} rows for instances={n_instances}")
    if model.is_mixed and (n_instances or sample is not None):
        raise ArgumentError("instances and samples are those of one scenario, and the document is a list of several")
    if seed is not None:
        seed = seed_check(seed)
    path = "" if output is None else _output_path(output)
    model.warnings_tell(n_instances if sample is None else len(sample))
    if is_in_parts:
        own = Parts(
            parts=None if parts is None else count_check("parts", parts, 1),
            memory=None if memory is None else memory_check(memory),
            instances=n_instances or None,
            seed=seed,
            threads=threads,
            backend=backend,
            specialize=specialize,
            no_clobber=bool(no_clobber),
            resume=bool(resume),
        )
        return Result(parts_run(model, path, own, sample), path, None)
    bar = _Bar()
    shows = sys.stderr.isatty() if progress is None else progress

    def core_run(path: str) -> dict[str, Any]:
        try:
            if retry_failed is not None:
                before = text_check("retry_failed", os.fspath(retry_failed))
                return _core.retry(model._core, before, path, options, bar.tell if shows else None)
            return _core.run(model._core, path, options, n_instances, seed, sample, bar.tell if shows else None)
        finally:
            bar.close()

    if output is not None:
        return Result(core_run(path), path, None)
    with tempfile.TemporaryDirectory(prefix="sarrus-", ignore_cleanup_errors=True) as folder:
        path = f"{folder}/result.h5"
        return Result(core_run(path), None, Path(path).read_bytes())


def _retry_check(model: Model, **others: object) -> None:
    """Who fails again has its number and its parameters."""
    if model.is_mixed:
        raise ArgumentError("retry_failed of a document of several scenarios; expected one")
    for name, value in others.items():
        if value is not None:
            raise ArgumentError(f"{name} together with retry_failed; failed instances are run as they were drawn")


def _output_path(output: str | os.PathLike[str]) -> str:
    """Absolute, so that the result is found wherever the program goes."""
    if not isinstance(output, str | os.PathLike) or not os.fspath(output):
        raise ArgumentError(f"output={output!r}; expected the path of a file")
    return text_check("output", str(Path(output).absolute()))


def status_words(status: npt.ArrayLike) -> npt.NDArray[np.str_]:
    """The words of status numbers, as "constraint_violated"."""
    numbers = np.asarray(status)
    if numbers.dtype.kind not in "iu" or np.any((numbers < 0) | (numbers >= len(STATUS_WORDS))):
        raise ArgumentError(f"no status: {status!r}; expected numbers from 0 to {len(STATUS_WORDS) - 1}")
    return np.array(STATUS_WORDS)[numbers]

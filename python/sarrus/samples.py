"""Own samples and other numbers of a user, as the library takes them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .errors import ArgumentError, Error, ScenarioError
from .models import Model, Scenario
from .sample_files import FileSample, Floats

# As a user gives them: numbers, or the path of a file of them.
Samples = npt.ArrayLike | Mapping[str, npt.ArrayLike] | str | os.PathLike[str]


def floats_of(name: str, values: npt.ArrayLike) -> Floats:
    """Numbers as doubles; masked ones would come with what is hidden."""
    try:
        given = np.asarray(values)
        if given.dtype.kind in "biuf" and not np.ma.isMaskedArray(values):
            return given.astype(np.float64, copy=False)
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{name}: {error}; expected numbers") from None
    raise ArgumentError(f"{name} are real numbers, unmasked; got {type(values).__name__} of {given.dtype}")


def sampled_model(
    scenario: Scenario,
    settings: Mapping[str, object] | None,
    samples: npt.ArrayLike | Mapping[str, npt.ArrayLike] | None,
    n_instances: int = 0,
    most: int | None = None,
) -> Model:
    """The scenario's model or, when it draws nothing and the sample has names, one that draws these, each between its least and its
    largest number. Whether it draws is asked of the scenario without its sensitivity, which is refused where nothing is drawn.
    Without a sample `n_instances` and `most` are as of `_counted_model`.
    """
    if samples is None:
        return _counted_model(scenario, settings, n_instances, most)
    if not isinstance(samples, Mapping) or not samples or not isinstance(settings or {}, Mapping):
        return Model(scenario, settings)
    is_read = isinstance(scenario, Model)
    model = Model(scenario, settings if is_read else {**(settings or {}), "output.sensitivity": []})
    if model.is_mixed or model.parameters:
        return model if is_read else Model(scenario, settings)
    entries: list[dict[str, object]] = []
    for label, values in samples.items():
        numbers = floats_of(label, values)
        if numbers.size == 0 or not np.isfinite(numbers).all():
            raise ArgumentError(f"samples of {label!r} are no finite numbers")
        low, high = float(numbers.min()), float(numbers.max())
        one = {"distribution": "normal", "mean": low, "sd": 0.0}
        entries.append({"path": label} | (one if low == high else {"distribution": "uniform", "low": low, "high": high}))
    drawn = {"batch.parameters": entries}
    return Model(model.resolved, drawn) if is_read else Model(scenario, {**(settings or {}), **drawn})


def _counted_model(scenario: Scenario, settings: Mapping[str, object] | None, n_instances: int, most: int | None) -> Model:
    """The scenario's model. One whose own number of instances a grid or a design does not have is read with the one that is asked
    for (0: none is), as the program does; `most`: instances that it may have then."""
    try:
        return Model(scenario, settings)
    except ScenarioError:
        if not n_instances:
            raise
        try:
            model = Model(scenario, {**(settings or {}), "batch.instances": n_instances})
        except Error:
            model = None
        if model is not None and (most is None or model.n_instances <= most):
            return model
        raise  # what the scenario says by itself is what the caller knows


def sample_table(model: Model, samples: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> Floats:
    """An own sample as [instances, parameters], its columns in the model's order."""
    labels: Sequence[str] = model.parameters
    if not labels:
        raise ArgumentError("the scenario draws nothing, and samples of no parameter are none")
    if isinstance(samples, FileSample):
        return samples.table_for(model)
    if isinstance(samples, Mapping):
        if set(samples) != set(labels):
            raise ArgumentError(f"samples are of {list(samples)}; expected each of {list(labels)} once")
        try:
            columns = np.broadcast_arrays(*(floats_of(label, samples[label]) for label in labels))
        except ValueError:
            lengths = {label: np.shape(samples[label]) for label in labels}
            raise ArgumentError(f"the columns of samples have different shapes: {lengths}") from None
        if columns and (columns[0].ndim > 1 or columns[0].size == 0):
            raise ArgumentError(f"the columns of samples are rows of numbers; got the shape {columns[0].shape}")
        return np.ascontiguousarray(np.stack([np.atleast_1d(column) for column in columns], axis=-1))
    table = np.ascontiguousarray(floats_of("samples", samples))
    if table.ndim != 2 or table.shape[1] != len(labels) or len(table) == 0:
        raise ArgumentError(f"samples are [instances, {len(labels)}], columns {list(labels)}; got the shape {table.shape}")
    return table

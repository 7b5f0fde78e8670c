"""Scenarios: read, checked, described."""

from __future__ import annotations

import html
import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

import numpy as np

from . import _core
from .choices import text_check
from .errors import ArgumentError, FileError, SarrusWarning, ScenarioError, UnsupportedError

MOST_ENTRIES = 1_000_000  # of a scenario

Scenario = Union[str, os.PathLike[str], Mapping[str, Any], "Model"]


def _plain(value: object) -> object:
    """What json does not know of itself: NumPy's numbers and arrays, paths."""
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise ArgumentError(f"a scenario cannot hold a {type(value).__name__}: {value!r}")


def _keys_written(tree: object, n_left: list[int]) -> object:
    """The tree with pairs that are keys, as those of a correlation, as text: JSON has no others. What is shared is counted wherever
    it stands, since it is written there."""
    n_left[0] -= 1
    if n_left[0] < 0:
        raise ValueError(f"more than {MOST_ENTRIES:,} entries")
    if isinstance(tree, Mapping):
        words = ((f"[{', '.join(map(str, k))}]" if isinstance(k, tuple) else k, v) for k, v in tree.items())
        return {word: _keys_written(value, n_left) for word, value in words}
    return [_keys_written(item, n_left) for item in tree] if isinstance(tree, list | tuple) else tree


def _text_of(tree: object) -> str:
    """JSON, which is YAML: a finding's line is one of this text. What is not finite stands there as well, to be refused."""
    try:
        text = json.dumps(_keys_written(tree, [MOST_ENTRIES]), indent=1, default=_plain, ensure_ascii=False)
        text.encode()  # half a character, as JSON may have it, is none
        return text
    except (ValueError, TypeError, RecursionError) as error:
        raise ArgumentError(f"the scenario cannot be written as text: {error}") from None


def _settings_of(settings: Mapping[str, object] | None) -> list[tuple[str, str]]:
    pairs = []
    if settings is not None and not isinstance(settings, Mapping):
        raise ArgumentError(f"settings are a dict of paths and values; got {settings!r}")
    for path, value in (settings or {}).items():
        if not isinstance(path, str):
            raise ArgumentError(f"settings has the key {path!r}; expected a path as 'integrator.dt'")
        text_check("settings", path)
        pairs.append((path, text_check(path, value) if isinstance(value, str) else _text_of(value)))
    return pairs


_MODEL_ATTRIBUTES = ("_core", "path", "_pairs", "_place")


def _model_restored(kind: type[Model], text: str, path: str | None, pairs: list[tuple[str, str]]) -> Model:
    model = kind.__new__(kind)
    Model.__init__(model, text if "\n" in text else text + "\n")
    model.path, model._pairs = path, pairs
    return model


def _list_restored(kind: type[Model], text: str, path: str, place: str, pairs: list[tuple[str, str]]) -> Model:
    """Of several scenarios: `place` is where the list stands, whose names are relative to its folder."""
    model = kind.__new__(kind)
    Model.__init__(model, place, dict(pairs))
    model.path = path
    if model.resolved != text:
        raise FileError(f"{place} is no longer the list of scenarios that was read; expected the file as it was")
    return model


class Model:
    """A scenario that has been read and found good, with its plan; immutable.

    `source` is a path, a dict of what a scenario file says, or the file's text (a string with a line break). `settings` are what
    `--set` takes: paths and the values that stand there, as `{"integrator.dt": 1e-3}`. Raises `ScenarioError`, `FileError`.
    """

    def __init__(self, source: Scenario, settings: Mapping[str, object] | None = None) -> None:
        if isinstance(source, Model):
            if settings:
                raise ArgumentError("settings together with a Model; expected them where the model is read")
            self._core, self.path, self._pairs, self._place = source._core, source.path, source._pairs, source._place
            return
        self._pairs = pairs = _settings_of(settings)
        self.path: str | None = None
        self._place = ""
        if isinstance(source, Mapping):
            self._core = _core.Model("<dict>", _text_of(source), pairs)
        elif isinstance(source, str) and "\n" in source:
            try:
                source.encode()
            except UnicodeEncodeError as error:
                raise ArgumentError(f"the scenario's text is none of UTF-8: {error}") from None
            self._core = _core.Model("<text>", source, pairs)
        else:
            if not isinstance(source, str | os.PathLike):
                raise ArgumentError(f"a scenario is a path, a dict, a text or a Model; got {source!r}")
            self.path = os.fspath(source)
            if not isinstance(self.path, str):
                raise ArgumentError(f"the path of a scenario is a text; got {source!r}")
            text_check("the path of a scenario", self.path)
            self._core = _core.Model(self.path, None, pairs)
            self._place = str(Path(self.path).absolute())

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: the scenario as it is run, whatever has become of its file. A list of several is read anew from where it
        stands, because the names in it are relative to its folder; one that has changed is refused."""
        more = {key: value for key, value in self.__dict__.items() if key not in _MODEL_ATTRIBUTES}
        if self.is_mixed and self.path is not None:
            return _list_restored, (type(self), self.resolved, self.path, self._place, self._pairs), more
        return _model_restored, (type(self), self.resolved, self.path, self._pairs), more

    @property
    def name(self) -> str:
        """The scenario's `name`, "" without one."""
        return self._core.name

    @property
    def is_mixed(self) -> bool:
        """Whether it is a list of several scenarios, which `run` takes and `Batch` does not."""
        return self._core.is_mixed

    @property
    def resolved(self) -> str:
        """The scenario as it is run, YAML."""
        return self._core.resolved

    @property
    def n_instances(self) -> int:
        """The number of instances that it asks for."""
        return sum(self._core.n_instances(i) for i in range(self._core.n_groups))

    @property
    def seed(self) -> int:
        """Of its draws."""
        return self._core.seed(0)

    @property
    def sizes(self) -> dict[str, int]:
        """n_bodies, n_joints, n, m, rank, n_dof, … (sarrus_plan_sizes)."""
        return self._core.sizes(0)

    @property
    def coordinates(self) -> list[str]:
        """Names of the columns of q, as "crank_a.theta"."""
        return self._core.coordinates(0)

    @property
    def speeds(self) -> list[str]:
        """Names of the columns of v."""
        return self._core.speeds(0)

    @property
    def joints(self) -> list[str]:
        """Names of the joints, in the order of the reactions."""
        return self._core.joints(0)

    @property
    def joint_bodies(self) -> list[tuple[int, int]]:
        """(parent, child) of each joint: numbers of bodies in the order of the coordinates, −1 ground."""
        return self._core.joint_bodies(0)

    @property
    def is_spatial(self) -> bool:
        """Whether it is a mechanism in space: seven coordinates a body, else three."""
        return self.sizes["n_coordinates"] != self.sizes["n"]

    @property
    def joint_coordinates(self) -> list[tuple[int, int]]:
        """(free coordinates, driven ones among them) of each joint, in the order of `joints`."""
        return self._core.joint_coordinates(0)

    @property
    def parameters(self) -> list[str]:
        """Labels of what is drawn, the columns of an own sample."""
        return self._core.parameters(0)

    @property
    def card(self) -> str:
        """The model card, as `sarrus check` prints it, without its warnings."""
        return self._core.card(0)

    def warnings_tell(self, n_instances: int = 0) -> None:
        """Repeats as `SarrusWarning` what `sarrus check` warns of and what may spoil a result."""
        for i in range(self._core.n_groups):
            for _, matters, _, text in self._core.warnings(i, n_instances):
                if matters:
                    warnings.warn(text, SarrusWarning, stacklevel=3)

    def __repr__(self) -> str:
        return f"<sarrus.Model {self.name or self.path or 'without a name'}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.card)}</pre>"


def load(source: Scenario, settings: Mapping[str, object] | None = None) -> Model:
    """Reads a scenario: `Model(source, settings)`."""
    return Model(source, settings)


class Card(dict[str, Any]):
    """What `sarrus check --json` says of a scenario, as a dict; `text` is the card for people, warnings first."""

    @property
    def text(self) -> str:
        """Warnings, if there are any, and the card; of several scenarios one after the other."""
        return "\n".join(_card_text(group) for group in self.get("groups", [self]))

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def _card_text(group: Mapping[str, Any]) -> str:
    told = [f"  - {own['text']}\n" for own in group["warnings"]]
    return "".join(["Warnings\n", *told, "\n"] if told else []) + group["card"]


def program_path() -> Path:
    """The program `sarrus` that came with the package."""
    return Path(__file__).parent / "bin" / "sarrus"


def check(source: Scenario, settings: Mapping[str, object] | None = None) -> Card:
    """The model card: graph, tree, cut joints, n, m, rank, freedoms, redundant constraints by name, uniqueness, plan, warnings.

    A dict with the keys of `sarrus check --json`; `str()` of it is the text. Raises `ScenarioError`, `FileError`.
    """
    model = Model(source, settings)
    for i in range(model._core.n_groups):
        model._core.card(i)  # raises what cannot be planned, with its place
    if model.is_mixed and model.path is None:
        raise UnsupportedError("a list of scenarios is checked by its path: the names in it are relative to its folder")
    with tempfile.TemporaryDirectory(prefix="sarrus-") as folder:
        file, pairs = model._place, model._pairs
        if not model.is_mixed:  # as it was read, whatever has become of the file
            file, pairs = f"{folder}/scenario.yaml", []
            Path(file).write_text(model.resolved, encoding="utf-8")
        options = [text for path, value in pairs for text in ("--set", f"{path}={value}")]
        command = [str(program_path()), "check", "--json", *options, "--", file]
        done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        kind = {2: ScenarioError, 3: FileError}.get(done.returncode, UnsupportedError)
        raise kind(done.stderr.decode(errors="replace").strip() or f"the program ended with {done.returncode}")
    card = Card(json.loads(done.stdout))
    card["scenario"] = model.path or ""
    return card

"""The random parameters of a study: what each is drawn from, in which unit, and its number in the scenario."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence

from ..batches import Batch
from ..errors import Error
from .charts import escaped
from .contents import Column, Study
from .html_parts import data, folded, note, section, table
from .numbers import short_text

MAX_ROWS = 40  # before the table is folded
MAX_PATHS = 3  # of a draw for several numbers, before the others are counted


def draws_of(scenario: str) -> list[dict[str, str]]:
    """The entries of `batch.parameters` in the text of a scenario as results hold it: keys, and values as they stand there."""
    batch = re.search(r'^"?batch"?:\n((?:[ ].*\n?)*)', scenario, re.M)
    listed = re.search(r'^  "?parameters"?:\n((?:    .*\n?)*)', batch[1], re.M) if batch else None
    entries: list[dict[str, str]] = []
    key = ""
    for line in listed[1].splitlines() if listed else ():
        found = re.match(r'^    (- |  )"?([a-z_]+)"?:\s*(.*)$', line)
        item = re.match(r"^        ?- (.*)$", line)
        if found:
            if found[1] == "- ":
                entries.append({})
            key = found[2]
            entries[-1][key] = found[3]
        elif item and entries and key:
            entries[-1][key] = ", ".join(filter(None, (entries[-1][key].strip("[]"), item[1])))
    return entries


def _words(value: str) -> list[str]:
    return [word.strip().strip("\"'") for word in value.strip().strip("[]").split(",") if word.strip()]


def _paths_of(entry: dict[str, str]) -> list[str]:
    return _words(entry.get("path", entry.get("name", "")))


def _distribution_of(entry: dict[str, str]) -> str:
    """The word and its numbers, as "normal: mean 1.0, sd 0.05"."""
    told = []
    for key, value in entry.items():
        if key not in ("path", "name", "label", "distribution"):
            words = _words(value)
            told.append(f"{key} {words[0] if len(words) == 1 else ' '.join(words[:8]) + (' …' if len(words) > 8 else '')}")
    return ": ".join(filter(None, (entry.get("distribution", "").strip("\"'"), ", ".join(told))))


def _nominal_of(study: Study) -> dict[str, float]:
    """The numbers that the scenario itself gives to the parameters; none of one that this version makes no batch of."""
    model = study.model
    if model is None:
        return {}
    with contextlib.suppress(Error):
        values = Batch(model, 1, draw=False, specialize="off", backend="cpu").parameters[0].tolist()
        return dict(zip(model.parameters, values, strict=True))
    return {}


def parameters_section(study: Study, parameters: Sequence[Column], prefix: str) -> str:
    if not parameters:
        return ""
    entries = {paths[0]: (entry, paths) for entry in draws_of(study.scenario) if (paths := _paths_of(entry))}
    nominal = study.tried("the scenario's own numbers", lambda: _nominal_of(study)) or {}
    is_drawn = "instance/unit" in study.group
    rows = []
    for own in parameters:
        entry, paths = entries.get(own.name, ({}, [own.name]))
        more = len(paths) - 1 - MAX_PATHS
        others = ", ".join(paths[1 : 1 + MAX_PATHS]) + (f" and {more} more" if more > 0 else "")
        name = f"<b>{escaped(own.name)}</b>" + (f'<br><span class="unit">and {escaped(others)}</span>' if others else "")
        value = data(nominal[own.name], short_text(nominal[own.name], 6)) if own.name in nominal else "–"
        drawn = _distribution_of(entry) if is_drawn else "own sample"
        rows.append([name, escaped(drawn or "–"), escaped(own.unit or "–"), value])
    made = table(["parameter", "distribution", "unit", "in the scenario"], rows, kinds="wwwn", name="parameters")
    told = "Drawn for every instance." if is_drawn else "Numbers of an own sample."
    told += " The last column is the number that the scenario itself gives, with which its plan is made."
    made = folded(f"All {len(rows)} parameters", made) if len(rows) > MAX_ROWS else made
    return section("Random parameters", note(told) + made, f"{prefix}parameters")

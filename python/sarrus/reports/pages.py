"""The page of a report: one HTML document that needs nothing else."""

from __future__ import annotations

import html
import os
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..choices import count_check
from ..errors import ArgumentError, Error, SarrusWarning
from ..motions import opened
from ..own_files import page_write
from ..studies import Result
from .charts import escaped
from .contents import Study, studies_of, text_of
from .head import banner, card_of, endings_section, facts_of, limits_of, troubles_of, verdicts_section
from .html_parts import folded, note, section
from .moving import instances_chosen, picture_of
from .over_time import n_times
from .parameters import parameters_section
from .spread import correlations_section, influence_section, quantities_section, sensitivity_section, table_of
from .timelines import errors_section, time_section

MAX_NAMES = 4  # of scenarios in the title of a page


class Report:
    """A page about the result of a study, as `sarrus.report` makes it. `troubles`: what is wrong with the file."""

    def __init__(self, title: str, page: str, troubles: list[str]) -> None:
        self.title, self.page, self.troubles = title, page, troubles

    def save(self, output: str | os.PathLike[str]) -> None:
        """Writes the page (.html). What stood there before stays until the new one is complete; a page that is not of this
        package is not replaced (ArgumentError)."""
        page_write(_suffix_check(Path(output)), self.page)

    def __repr__(self) -> str:
        return f"<sarrus.Report of {self.title}: {len(self.page)} characters>"

    def _repr_html_(self) -> str:
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:800px;border:0"></iframe>'


@dataclass(frozen=True)
class _Wish:
    """What a caller has chosen."""

    quantities: list[str] | None
    instances: list[int] | None
    channels: list[str] | None
    source: str | os.PathLike[str] | Result


def report(
    source: str | os.PathLike[str] | Result,
    output: str | os.PathLike[str] | None = None,
    *,
    quantities: Iterable[str] | str | None = None,
    instances: Iterable[int] | int | None = None,
    channels: Iterable[str] | str | None = None,
    title: str | None = None,
    group: int | None = None,
) -> Report:
    """One page about the result of a study, written to `output` (.html) or, with None, for a notebook.

    source: the path of a result file, or a `Result`
    quantities: names of those to be told of, in this order; None: all
    instances: numbers of those in the moving picture; None: in the middle and at the ends of the first quantity, and a failed one
    channels: what is drawn over time: paths as "state/v", "reactions" or names as "crank.x"; None: points, joints, drives,
        energy and coordinates
    title: instead of the scenario's name, or the names of several
    group: of a file of several scenarios, the number of one; None: a part of the page for each

    Tells how the instances ended, the quantities with their histograms, the parameters that they go with, sensitivity indices where
    the run has computed them, envelopes over time and errors, and shows the mechanism as it moves: each only where the file has it.
    A file that is not complete, or damaged, makes a page that says so, and a `SarrusWarning`. Raises `FileError`, `ArgumentError`.
    """
    path = None if output is None else _suffix_check(Path(output))
    wish = _Wish(
        _words("quantities", quantities),
        None if instances is None else _numbers("instances", instances),
        _words("channels", channels),
        source,
    )
    number = None if group is None else count_check("group", group)
    if isinstance(source, Result | str | os.PathLike):
        with opened(source) as (file, place):
            if path is not None and path.exists() and Path(place).exists() and path.samefile(place):
                raise ArgumentError(f"{path} is the result itself; expected another name for the page")
            made = _report_make(file, place, wish, number, title)
    else:
        raise ArgumentError(f"a report is of the path of a result file, or a Result; got {source!r}")
    for trouble in made.troubles:
        warnings.warn(trouble, SarrusWarning, stacklevel=2)
    if path is not None:
        made.save(path)
    return made


def _suffix_check(path: Path) -> Path:
    if path.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{path} has the suffix {path.suffix!r}; expected .html")
    return path


def _words(name: str, given: Iterable[str] | str | None) -> list[str] | None:
    if given is None:
        return None
    own = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else []
    if not own or not all(isinstance(word, str) and word for word in own):
        raise ArgumentError(f"{name}={given!r}; expected names")
    return own


def _numbers(name: str, given: Iterable[int] | int) -> list[int]:
    own = [given] if isinstance(given, int | np.integer) else list(given) if isinstance(given, Iterable) else []
    if not own:
        raise ArgumentError(f"{name}={given!r}; expected at least one whole number")
    return list(dict.fromkeys(count_check(name, number) for number in own))


# -- the page


def _report_make(file: Any, place: str, wish: _Wish, group: int | None, title: str | None) -> Report:
    studies = studies_of(file, place, group)
    is_one = len(studies) == 1
    is_whole = int(file.attrs.get("complete", 0)) == 1 or not is_one
    parts, links, troubles = [], [], []
    for study in studies:
        prefix = "" if is_one else f"g{study.number}-"
        inner, told = _study_page(study, wish, prefix, is_whole)
        name = study.name
        if is_one:
            parts.append(inner)
        else:
            heading = f"<h2>{escaped(name)}</h2>" + note(escaped(f"group /{study.number}: {study.file_name}"))
            parts.append(f'<div class="study" id="g{study.number}">{heading}{inner}</div>')
            links.append(f'<a href="#g{study.number}">{escaped(name)}</a>')
        troubles += [text if is_one else f"{name}: {text}" for text in told]
    title = title or _title_of(list(dict.fromkeys(study.name for study in studies)))
    if is_one:
        links = [
            f'<a href="#{found[0]}">{found[1]}</a>' for found in re.findall(r'<section id="([^"]+)"><h2>([^<]*)</h2>', parts[0])
        ]
    head = f"<header><h1>{escaped(title)}</h1><nav>{''.join(links)}</nav></header>"
    scenario = ""
    if not is_one and "scenario" in file:
        scenario = section("Document", folded("The document as it was run", _pre(text_of(file["scenario"][()]))), "document")
    template = (Path(__file__).parent / "report.html").read_text(encoding="utf-8")
    texts = {"TITLE": escaped(title), "BODY": head + "".join(parts) + scenario}
    page = re.sub(r"\{\{(TITLE|BODY)\}\}", lambda found: texts[found[1]], template)
    return Report(title, page, troubles)


def _title_of(names: list[str]) -> str:
    """Of the scenarios of a document, or of the one."""
    return ", ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")


def _study_page(study: Study, wish: _Wish, prefix: str, is_whole: bool) -> tuple[str, list[str]]:
    """Everything about one scenario, and what is wrong with its file. The head is made last: it knows what could not be read."""
    quantities, parameters = study.quantities(wish.quantities), study.parameters()
    model_card = card_of(study)
    table = table_of(study, parameters, quantities)
    makers = (
        ("the ends of the instances", lambda: endings_section(study, prefix)),
        ("the parameters", lambda: parameters_section(study, parameters, prefix)),
        ("the quantities", lambda: quantities_section(study, quantities, prefix)),
        ("sensitivities", lambda: sensitivity_section(study, quantities, prefix)),
        ("influence", lambda: influence_section(study, table, prefix)),
        ("correlations", lambda: correlations_section(table, prefix)),
        ("the moving picture", lambda: _picture_section(study, wish, prefix)),
        ("channels over time", lambda: time_section(study, wish.channels, prefix)),
        ("errors over time", lambda: errors_section(study, prefix)),
        ("verdicts", lambda: verdicts_section(study, limits_of(model_card), prefix)),
        ("the scenario", lambda: _scenario_section(study, model_card, prefix)),
    )
    sections = [study.tried(what, make) or "" for what, make in makers]
    troubles = troubles_of(study, is_whole)
    return banner(troubles) + section("The study", facts_of(study, model_card), f"{prefix}study") + "".join(sections), troubles


def _pre(text: str) -> str:
    return f"<pre>{escaped(text)}</pre>"


def _scenario_section(study: Study, model_card: str, prefix: str) -> str:
    made = folded("The scenario as it was run", _pre(study.scenario)) if study.scenario else ""
    for name in sorted(study.child("retries") or (), key=lambda name: (len(name), name)):
        text = study.tried(f"/retries/{name}", lambda name=name: text_of(study.group[f"retries/{name}/scenario"][()]))
        made += folded(f"Retry {name}: the scenario of instances that were run again", _pre(text)) if text else ""
    made += folded("The model card", _pre(model_card)) if model_card else ""
    return section("Scenario", made, f"{prefix}scenario")


def _picture_section(study: Study, wish: _Wish, prefix: str) -> str:
    if wish.instances is not None and ("state/q" not in study.group or study.model is None):
        expected = "expected output.channels with state, and output.instances not none"
        raise ArgumentError(f"{study.place} holds no states to show; {expected}")
    n = n_times(study)
    if study.model is None or n == 0:
        return ""
    try:
        chosen = dict.fromkeys(wish.instances or (), "") or instances_chosen(study, study.quantities(wish.quantities))
        if not chosen:
            return ""
        made, told = picture_of(study, wish.source, chosen, float(study.group["time"][n - 1]))
    except (Error, OSError) as error:
        if wish.instances is not None:
            raise
        return section("The motion", note(escaped(f"There is no moving picture: {error}")), f"{prefix}motion")
    page = html.escape(made.page, quote=True)
    frame = f'<iframe class="player" title="the mechanism as it moves" srcdoc="{page}" sandbox="allow-scripts"></iframe>'
    inner = note(escaped(_picture_words(study, chosen, made.motion.speed))) + frame
    inner += "".join(note(escaped(text)) for text in told if "has no pose" in text)
    return section("The motion", inner, f"{prefix}motion")


def _picture_words(study: Study, chosen: dict[int, str], speed: float) -> str:
    words = [f"instance {number}" + (f" ({why})" if why else "") for number, why in chosen.items()]
    told = f"In colours: {', '.join(words)}. "
    told += "In grey: others of the study. " if study.n > len(chosen) else ""
    return told + (f"A second of the picture is {speed:g} s of motion. " if speed != 1.0 else "")

"""The beginning of a report: what the file is, whether it is whole, how the instances ended, and what they had to keep to."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import numpy as np

from .charts import escaped, histogram_chart
from .contents import VERDICTS, Study
from .html_parts import card, data, facts, figure, note, section, table
from .numbers import bins_by_decades, bins_of, count_text, number_text, share_text, short_text, summary_of
from .over_time import n_times

_VERDICT_TITLES = {
    "max_violation": ("Open loops", "largest norm of the constraints at any step, relative to the mechanism's size", "violation"),
    "energy_mismatch": ("Energy that is missing or too much", "|E − E₀ − W|, relative to max T + max V − min V", "energy"),
    "step_error": ("Error of the steps", "sum of the estimated errors of fixed steps, relative to the motion", "error"),
    "nearest_change_point": ("Nearest change point", "smallest distance to a change point, 1 being ordinary", ""),
}


def card_of(study: Study) -> str:
    """The model card, "" where the scenario cannot be planned by this version."""
    return (study.tried("the model card", lambda: study.model.card) or "") if study.model is not None else ""


def card_line(text: str, word: str) -> str:
    """What stands behind a word of the card, its further lines too."""
    found = re.search(rf"^  {re.escape(word)}  +(.*(?:\n   +.*)*)", text, re.M)
    return re.sub(r"\s*\n\s*", " ", found[1]) if found else ""


def limits_of(text: str) -> dict[str, float]:
    """The limits of the verdicts that are numbers, by their words in the scenario."""
    pairs = re.findall(r"(violation|energy|error) ([0-9.e+-]+)(?=,|$)", card_line(text, "limits"))
    return {word: float(number) for word, number in pairs}


# -- whether it is whole


def troubles_of(study: Study, is_whole: bool) -> list[str]:
    """What a reader has to know before anything else, as sentences."""
    told = []
    planned, written = len(study.group["time"]), n_times(study)
    if not study.is_complete or not is_whole:
        reach = f"{count_text(written)} of {count_text(planned)} output times are on file"
        told.append(f"The result is not complete: the run was stopped, was killed or is still going on. {reach}.")
    if study.missing_parts:
        names = ", ".join(study.missing_parts[:5]) + (", …" if len(study.missing_parts) > 5 else "")
        n = study.n - study.n_there
        told.append(
            f"{len(study.missing_parts)} of the parts that this file was merged from are missing ({names}). Their {count_text(n)} "
            "instances are left out of everything below."
        )
    if study.damage:
        told.append("The file is damaged; what could not be read is left out: " + "; ".join(dict.fromkeys(study.damage)))
    if study.n_there == 0:
        told.append("There is no instance to tell of.")
    elif study.n_failed == study.n_there:
        told.append("All instances failed.")
    return told


def banner(troubles: list[str]) -> str:
    if not troubles:
        return ""
    return f'<div class="banner" role="alert">{"".join(f"<p>{escaped(text)}</p>" for text in troubles)}</div>'


# -- facts


def facts_of(study: Study, model_card: str) -> str:
    own = study.attribute
    n, n_study = study.n, int(study.group.attrs.get("n_study_instances", study.n))
    rows: list[tuple[str, str]] = []
    root = study.group.file.attrs
    version = own("sarrus_version") or str(root.get("sarrus_version", ""))
    written = own("created") or str(root.get("created", ""))
    rows.append(("written", f"{escaped(written.replace('T', ' ').replace('Z', ' UTC'))} by Sarrus {escaped(version)}"))
    rows.append(("computed by", escaped(f"{own('backend')} ({own('device')})")))
    count = data(n, count_text(n)) + (f" of {count_text(n_study)} in the study" if n_study != n else "")
    kept = int(study.group.attrs.get("n_trajectories", n))
    count += f", {count_text(kept) if kept else 'none'} with trajectories" if kept != n else ""
    rows.append(("instances", count))
    if study.has_own_sample:
        rows.append(("sample", "numbers brought along, not drawn"))
    else:
        rows.append(("seed, design", escaped(f"{own('seed')}, {study.design}")))
    written_times, planned = n_times(study), len(study.group["time"])
    if written_times:
        first, last = float(study.group["time"][0]), float(study.group["time"][written_times - 1])
        reach = f"{short_text(first)} to {data(last, short_text(last, 6))} s"
        of = f"{count_text(written_times)} of {count_text(planned)}" if written_times != planned else count_text(planned)
        rows.append(("output times", f"{of}, {reach}"))
    state = "complete" if study.is_complete else "NOT complete"
    state += ", parts of it missing" if study.missing_parts else ""
    state += ", DAMAGED" if study.damage else ""
    size = f", {_bytes(study.place)}" if os.access(study.place, os.R_OK) else ""
    rows.append(("file", escaped(f"{Path(study.place).name}, {state}{size}")))
    if study.model is not None:
        sizes = study.tried("the plan", lambda: study.model.sizes) or {}
        if sizes:
            space = "in space" if sizes["n_coordinates"] != sizes["n"] else "in the plane"
            redundant = sizes["m"] - sizes["rank"]
            text = f"{_counted(sizes['n_bodies'], 'body', 'bodies')}, {_counted(sizes['n_joints'], 'joint', 'joints')} {space}, "
            text += f"degrees of freedom {sizes['n_dof']}"
            rows.append(("mechanism", f"{text}, rank {sizes['rank']} of {sizes['m']} constraints, redundant {redundant}"))
    for word in ("formulation", "integrator", "limits"):
        line = card_line(model_card, word)
        if line:
            rows.append((word, escaped(line)))
    rows += _rank_facts(study) + _retry_facts(study)
    return facts(rows)


def _counted(n: int, one: str, several: str) -> str:
    return f"{count_text(n)} {one if n == 1 else several}"


def _bytes(place: str) -> str:
    size = float(Path(place).stat().st_size)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000.0 or unit == "GB":
            break
        size /= 1000.0
    return f"{size:.3g} {unit}"


def _rank_facts(study: Study) -> list[tuple[str, str]]:
    changes = study.tried("/instance/rank_changes", lambda: study.group["instance/rank_changes"][:][study.is_there])
    if changes is None or len(changes) == 0:
        return []
    n, total = int(np.count_nonzero(changes)), int(changes.sum())
    text = f"{count_text(total)} in {_counted(n, 'instance', 'instances')}" if total else "none"
    if total and "events/rank/after" in study.group:
        table = [
            study.tried("/events/rank", lambda name=name: study.group[f"events/rank/{name}"][:]) for name in ("before", "after")
        ]
        seen = np.concatenate([column for column in table if column is not None] or [np.empty(0)])
        text += f", between rank {int(seen.min())} and {int(seen.max())}" if len(seen) else ""
    return [("changes of rank", text)]


def _retry_facts(study: Study) -> list[tuple[str, str]]:
    """Instances whose rows are those of a later run with other settings."""
    if "instance/retried" not in study.group:
        return []
    retried = study.tried("/instance/retried", lambda: study.group["instance/retried"][:][study.is_there])
    if retried is None:
        return []
    n, ok = int(np.count_nonzero(retried)), int(np.count_nonzero((retried > 0) & (study.status[study.is_there] == 0)))
    text = f"{_counted(n, 'instance', 'instances')} that had failed, {count_text(ok)} of them ok now"
    return [("run again", f"{text}; integrator and limits above are those of the study")]


# -- how the instances ended


def endings_section(study: Study, prefix: str) -> str:
    endings = study.endings()
    rows = []
    for own in endings:
        is_good = own.word == "ok"
        time = "" if is_good else data(own.time, f"{number_text(own.time)} s") if math.isfinite(own.time) else "–"
        first = "" if is_good else data(own.first, str(own.first))
        reason = "" if is_good else escaped(own.reason)
        word = f'<span class="dot {"good" if is_good else "bad"}"></span>{escaped(own.word)}'
        rows.append([word, data(own.n, count_text(own.n)), share_text(own.n, study.n_there), first, time, reason])
    made = _shares_bar(study)
    head, kinds = ["status", "instances", "share", "first failed", "at t", "its reason"], "wnnnnw"
    n_columns = 6 if study.n_failed else 3
    made += table(head[:n_columns], [row[:n_columns] for row in rows], kinds=kinds[:n_columns], name="endings")
    if study.n_failed:
        made += note("A failed instance can be run again alone, step by step: <code>sarrus run FILE --instance I</code>.")
    made += _failure_times(study)
    title = "How the instances ended" if study.is_complete else "How the instances stand so far"
    return section(title, made, f"{prefix}status")


def _shares_bar(study: Study) -> str:
    """The good and the failed ones as a bar; a failed one is seen however few there are."""
    n = study.n_there
    if n == 0:
        return ""
    share = 100.0 * study.n_failed / n
    share = min(99.0, max(0.4, share)) if 0 < study.n_failed < n else share
    label = f"{count_text(n - study.n_failed)} ok, {count_text(study.n_failed)} failed"
    parts = f'<i class="good" style="width:{100.0 - share:.2f}%"></i><i class="bad" style="width:{share:.2f}%"></i>'
    return f'<div class="shares" role="img" aria-label="{label}">{parts}</div>'


def _failure_times(study: Study) -> str:
    failed = (study.status != 0) & study.is_there
    if np.count_nonzero(failed) < 5:
        return ""
    times = study.tried(
        "/instance/failed_time", lambda: np.asarray(study.group["instance/failed_time"][:], dtype=np.float64)[failed]
    )
    bins = None if times is None else bins_of(times)
    if bins is None:
        return ""
    return f'<div class="grid">{card("When they failed", figure(histogram_chart(bins, "t in s", "times of failure")))}</div>'


def verdicts_section(study: Study, limits: dict[str, float], prefix: str) -> str:
    """How near the instances came to the limits, one histogram a verdict."""
    cards = []
    for word in VERDICTS:
        own = study.column(f"instance/{word}", word)
        values = None if own is None else study.values(own)
        if values is None:
            continue
        summary, title = summary_of(values), _VERDICT_TITLES[word]
        if summary.n == 0:
            continue
        limit = limits.get(title[2], math.nan)
        is_log = word != "nearest_change_point"
        bins = bins_by_decades(values, limit) if is_log else bins_of(values)
        body = ""
        if bins is not None:
            marks = [(limit, "bad", "limit")] if math.isfinite(limit) else []
            body += figure(histogram_chart(bins, "", title[0], marks=marks, is_log=is_log))
        rows = [("median", data(summary.median, number_text(summary.median, 3)))]
        extreme = ("least", summary.minimum) if word == "nearest_change_point" else ("largest", summary.maximum)
        rows.append((extreme[0], data(extreme[1], number_text(extreme[1], 3))))
        if math.isfinite(limit):
            rows.append(("limit", data(limit, short_text(limit, 3))))
        if is_log and bins is not None and bins.n_below:
            rows.append(("exactly 0", count_text(bins.n_below)))
        cards.append(card(title[0], body + facts(rows), subtitle=escaped(title[1])))
    if not cards:
        return ""
    return section("What the runs have kept to", f'<div class="grid">{"".join(cards)}</div>', f"{prefix}verdicts")

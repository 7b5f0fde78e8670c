"""What a report draws over time: envelopes of channels, ways of points, errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .charts import Curves, curves_chart, escaped, paths_chart
from .contents import Study
from .html_parts import card, data, facts, figure, folded, note, section
from .numbers import count_text, short_text
from .over_time import STILL, Channel, Spread, channels_chosen, energy_error_of, n_times, rows_drawn, spread_of

MAX_CHARTS = 48  # of them MAX_OPEN at once
MAX_OPEN = 12
READING = '<output class="reading"></output>'


def time_section(study: Study, wanted: Sequence[str] | None, prefix: str) -> str:
    """Envelopes of the channels chosen; positions of points as ways."""
    ways, charts, still, n_left, sources = [], [], [], 0, []
    for channel in channels_chosen(study, wanted):
        spread = study.tried(f"/{channel.path}", lambda channel=channel: spread_of(study, channel))
        if spread is None:
            continue
        sources.append(spread)
        if wanted is None and channel.path.startswith("points/") and channel.path.endswith("/position"):
            ways += _ways_of(channel, spread)
            continue
        for i, name in enumerate(channel.names):
            column = _column_of(study, channel, spread, i)
            if not spread.varies(column):
                still.append(name)
            elif len(charts) < MAX_CHARTS:
                charts.append(_chart_of(channel, name, channel.units[i], spread, column))
            else:
                n_left += 1
    if not ways and not charts and not still:
        return ""
    made = note(_what_is_drawn(study, sources))
    if ways or charts:
        made += f'<div class="grid">{"".join([*ways, *charts[:MAX_OPEN]])}</div>'
    if len(charts) > MAX_OPEN:
        made += folded(f"{len(charts) - MAX_OPEN} more", f'<div class="grid">{"".join(charts[MAX_OPEN:])}</div>')
    if still:
        names = ", ".join(still[:40]) + (", …" if len(still) > 40 else "")
        made += note(escaped(f"The same to {short_text(STILL)} at all times and in all instances: {names}."))
    if n_left:
        made += note(f"{n_left} more are not drawn; --channels (channels= in Python) chooses.")
    return section("Over time", made, f"{prefix}time")


def _column_of(study: Study, channel: Channel, spread: Spread, i: int) -> int:
    """Of a channel of which one component was asked for, the place of that in the dataset."""
    if spread.middle.shape[1] == len(channel.names):
        return i
    from .over_time import channels_of

    whole = next(own for own in channels_of(study) if own.path == channel.path)
    return whole.names.index(channel.names[i])


def _what_is_drawn(study: Study, sources: Sequence[Spread]) -> str:
    drawn, written = len(rows_drawn(study)), n_times(study)
    named = sorted({own.names for own in sources if own.n_instances != 1})
    told = "; ".join(f"the line is the {middle}, the band goes from {low} to {high}" for middle, low, high in named)
    told = f"{told[:1].upper()}{told[1:]}, thin lines are the extremes. " if told else ""
    counts = sorted({own.n_instances for own in sources})
    n = counts[-1] if counts else 0
    if any(own.is_recorded for own in sources):
        told += "Statistics are those that the run has made over the instances that were good at the time"
        counts_then = study.group["statistics/n"][: n_times(study)]
        first, last = (count_text(int(counts_then[i])) for i in (0, -1))
        told += f": {first} at the beginning, {last} at the end. " if first != last else f": {first}. "
    if any(not own.is_recorded for own in sources) and n > 1:
        told += f"At each time over the kept trajectories that had not failed, {count_text(n)} at the beginning. "
        kept = int(study.group.attrs.get("n_trajectories", study.n))
        if any(not own.is_recorded and own.n_instances < kept for own in sources) and study.is_there.all():
            told += f"Of {count_text(kept)} trajectories an even selection was read. "
    if n == 1:
        told += "Lines are of the one instance. "
    if drawn < written:
        told += f"{count_text(drawn)} of {count_text(written)} output times are drawn."
    return escaped(told)


def _chart_of(channel: Channel, name: str, unit: str, spread: Spread, i: int) -> str:
    picture = curves_chart(spread.curves(i), unit, f"{name} over time")
    what = channel.what if channel.path != "state/q" else ""
    return card(name, figure(picture, READING) + _widest(spread, unit, i), subtitle=escaped(what))


def _widest(spread: Spread, unit: str, i: int) -> str:
    """Where the band is widest: on the axis of a large motion it may be thinner than the line."""
    if spread.n_instances == 1:
        return ""
    width = spread.high[:, i] - spread.low[:, i]
    if not np.isfinite(width).any():
        return ""
    row = int(np.nanargmax(width))
    words = f"{short_text(float(width[row]), 3)} {unit} at t = {short_text(float(spread.time[row]))} s"
    return facts([("widest band", data(float(width[row]), words))])


def _ways_of(channel: Channel, spread: Spread) -> list[str]:
    """In the plane one picture; of space as seen from above and from the side."""
    name = channel.path.split("/")[1]
    axes = [label.rpartition(".")[2] for label in channel.names]
    made = []
    for a, b in [(0, 1)] if len(axes) == 2 else [(0, 1), (0, 2)]:
        pair = [a, b]
        is_one = spread.n_instances == 1
        low, high = (None, None) if is_one else (spread.low[:, pair], spread.high[:, pair])
        picture = paths_chart(spread.middle[:, pair], low, high, (axes[a], axes[b]), f"way of {name}")
        if picture:
            title = f"Way of {name}" if len(axes) == 2 else f"Way of {name}, {axes[a]} and {axes[b]}"
            caption = "" if is_one else f"Shaded: {spread.names[1]} to {spread.names[2]} in each direction, at the times drawn."
            made.append(card(title, figure(picture, caption)))
    return made


# -- errors


def errors_section(study: Study, prefix: str) -> str:
    """Constraint errors and the balance of energy at output times, on logarithmic axes."""
    cards = []
    for path, title in (("diagnostics/position_error", "Position error ‖Φ‖"), ("diagnostics/velocity_error", "Velocity error ‖Φ̇‖")):
        if path in study.group or f"statistics/{path}/mean" in study.group:
            dataset = study.group[path] if path in study.group else study.group[f"statistics/{path}/mean"]
            unit = dataset.attrs.get("units", "")
            unit = unit.decode() if isinstance(unit, bytes) else str(unit)
            channel = Channel(path, [title], [unit], "", False)
            spread = study.tried(f"/{path}", lambda channel=channel: spread_of(study, channel))
            cards.append(_log_card(title, unit, spread.curves(0), "") if spread is not None else "")
    energy = study.tried("/diagnostics/energy", lambda: energy_error_of(study))
    if energy is not None:
        spread, has_work = energy
        title = "Balance of energy |E − E₀ − W|" if has_work else "Change of energy |E − E₀|"
        told = "" if has_work else "with the work of whatever drives or damps it: the channel work was not asked for"
        cards.append(_log_card(title, "J", spread.curves(0), told))
    if not any(cards):
        return ""
    told = "At output times; 0 stands at the lower edge. What the verdicts are made from is looked at in every step."
    return section("Errors over time", note(told) + f'<div class="grid">{"".join(cards)}</div>', f"{prefix}errors")


def _log_card(title: str, unit: str, curves: Curves, told: str) -> str:
    positive = np.concatenate([column[np.isfinite(column)] for column in curves.columns().values()])
    if not (positive > 0.0).any():
        return card(title, '<p class="empty">0 at all output times.</p>' if len(positive) else '<p class="empty">No numbers.</p>')
    shown = Curves(curves.time, curves.middle, curves.low, curves.high, None, curves.most, curves.names)
    picture = curves_chart(shown, unit, title, is_log=True)
    return card(title, figure(picture, READING), subtitle=escaped(told))

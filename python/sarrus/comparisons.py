"""Formulations of the equations of motion and pseudoinverses on the same states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from . import _core
from .choices import count_check, seed_check
from .errors import ArgumentError
from .models import Model, Scenario

MOST_STATES = 100_000


@dataclass(frozen=True)
class ComparedRow:
    """One formulation with one pseudoinverse and rank rule.

    Differences are relative, the largest over the consistent states, from the most accurate row: of a, of J'λ, of the multipliers
    that are unique (NaN: none is), and of a on states moved off the constraints by 1e-6. `flops` and `nanoseconds` are of one
    acceleration; NaN: not counted. `verdict` is "ok", "refused" or "failed", and `reason` says why.
    """

    formulation: str
    pinv: str
    rank: str
    verdict: str
    reason: str
    acceleration: float
    force: float
    reaction: float
    inconsistent: float
    flops: float
    nanoseconds: float
    n_states: int
    n_wrong: int


class Comparison(Sequence[ComparedRow]):
    """What `sarrus.compare` found: a sequence of rows, by formulation, pseudoinverse and rank rule.

    `states`: what is known of the states, as n, m, rank_least, n_unique_a, condition_most. `reference`: the row that differences
    are from, None when no row is right everywhere. `table()` is the table of `sarrus compare` as text. `s5`: the operations that S5
    counts for its equations at this m and n, by formulation: "equation", "table_1", "tables_2_to_5".
    """

    def __init__(
        self, states: dict[str, float], rows: list[ComparedRow], reference: int, s5: dict[str, dict[str, str | float]]
    ) -> None:
        self.states, self._rows, self.s5 = states, rows, s5
        self.reference = rows[reference] if reference >= 0 else None

    @overload
    def __getitem__(self, index: int) -> ComparedRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[ComparedRow]: ...
    def __getitem__(self, index: int | slice) -> ComparedRow | list[ComparedRow]:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ComparedRow]:
        return iter(self._rows)

    def find(self, formulation: str, pinv: str = "auto", rank: str = "auto") -> ComparedRow:
        """The row of this combination; KeyError when there is none."""
        for row in self._rows:
            if (row.formulation, row.pinv, row.rank) == (formulation, pinv, rank):
                return row
        raise KeyError((formulation, pinv, rank))

    def table(self) -> str:
        """The rows that were not refused as text, with the automatic rank rule."""
        lines = [f"{'formulation':19} {'pinv':11} {'verdict':7} {'a':>7} {'force':>7} {'flops':>10} {'ns':>10}"]
        for row in self._rows:
            if row.rank != "auto" or row.verdict == "refused":
                continue
            numbers = [(row.acceleration, ".0e", 7), (row.force, ".0e", 7), (row.flops, ".0f", 10), (row.nanoseconds, ".0f", 10)]
            shown = " ".join(f"{x:{width}{how}}" if math.isfinite(x) else f"{'-':>{width}}" for x, how, width in numbers)
            lines.append(f"{row.formulation:19} {row.pinv:11} {row.verdict:7} {shown}  {row.reason}".rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        n_ok = sum(row.verdict == "ok" for row in self._rows)
        n_failed = sum(row.verdict == "failed" for row in self._rows)
        return f"<sarrus.Comparison: {n_ok} rows ok, {n_failed} failed, {len(self) - n_ok - n_failed} refused>"


def compare(
    scenario: Scenario, *, states: int | None = None, seed: int | None = None, ranks: bool = True, seconds: float = 0.02
) -> Comparison:
    """Every formulation with every pseudoinverse on the same states of a scenario.

    `states` of each kind (along the nominal motion, random and assembled, and these off the constraints; default 64), `seed` of the
    random ones (default: the scenario's), `ranks`: with every rank rule, `seconds` that a row is timed for. On the CPU, by one
    thread. Raises `ScenarioError`, `UnsupportedError` (no constraints; too large), `ArgumentError`.
    """
    n_states = 0 if states is None else count_check("states", states, 1, MOST_STATES)
    if not isinstance(seconds, (int, float)) or not (0 < float(seconds) < 3600):
        raise ArgumentError(f"seconds is {seconds!r}; expected a positive number")
    model = scenario if isinstance(scenario, Model) else Model(scenario)
    own_seed = model.seed if seed is None else seed_check(seed)
    found, rows, reference, s5 = _core.compare(model._core, n_states, own_seed, bool(ranks), float(seconds))
    return Comparison(found, [ComparedRow(**row) for row in rows], reference, s5)

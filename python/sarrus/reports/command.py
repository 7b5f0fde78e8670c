"""`sarrus report` on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..confined import command_run
from ..errors import ArgumentError
from .pages import report


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sarrus report",
        description="One page about the result of a study: how the instances ended, quantities, influence of the parameters, "
        "envelopes over time, errors, the mechanism as it moves. It needs no network.",
    )
    parser.add_argument("file", metavar="OUT.h5")
    parser.add_argument("-o", "--output", required=True, metavar="R.html", help="the page; an older one of that name is replaced")
    several = "between commas; may be repeated"
    parser.add_argument("--quantities", action="append", metavar="A,B", help=f"these, in this order, {several} (default: all)")
    parser.add_argument(
        "--instances",
        action="append",
        metavar="I,J",
        help=f"in the moving picture, {several} (default: in the middle and at the ends of the first quantity, and a failed one)",
    )
    parser.add_argument(
        "--channels",
        action="append",
        metavar="A,B",
        help=f"over time, {several}: paths as state/v, names as crank.x (default: points, joints, drives, energy, coordinates)",
    )
    parser.add_argument("--title", metavar="TEXT", help="instead of the scenario's name")
    parser.add_argument("--group", type=int, metavar="G", help="of a file of several scenarios, the number of one (default: all)")
    return parser


def _listed(given: Sequence[str] | None) -> list[str] | None:
    """Of an option that takes several words between commas, and may come several times."""
    return None if given is None else [word.strip() for text in given for word in text.split(",") if word.strip()]


def _numbers(given: Sequence[str] | None) -> list[int] | None:
    words = _listed(given)
    try:
        return None if words is None else [int(word) for word in words]
    except ValueError:
        raise ArgumentError(f"--instances: {', '.join(words or [])}; expected whole numbers") from None


def command(arguments: Sequence[str]) -> int:
    """`sarrus report`: the exit code, 2 for bad usage or input, 3 for what cannot be read or written."""
    try:
        own = _parser().parse_args(arguments)
    except SystemExit as done:
        return int(done.code or 0)

    def work() -> str:
        made = report(
            own.file,
            own.output,
            quantities=_listed(own.quantities),
            instances=_numbers(own.instances),
            channels=_listed(own.channels),
            title=own.title,
            group=own.group,
        )
        return f"{own.output}: {len(made.page.encode()) / 1e6:.2f} MB"

    return command_run("report", own.file, work)

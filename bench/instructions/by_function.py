#!/usr/bin/env python3
"""Sums the instructions of one step by function and by source line.

    sarrus bench instructions --addresses step.txt
    python3 bench/instructions/by_function.py SARRUS step.txt

SARRUS is the program that wrote the file, built with -g; addr2line (binutils) finds the lines. Inlined arithmetic of the lane
vocabulary is counted with the function that uses it.
"""

import argparse
import collections
import subprocess
from pathlib import Path

N_STEPS = 2
LANE_PREFIXES = ("lane_", "real_", "mask_", "_mm")


def read_addresses(path: Path) -> tuple[collections.Counter, collections.Counter]:
    """Executions by address, and those of scalar instructions."""
    executed, scalar = collections.Counter(), collections.Counter()
    for line in path.read_text().splitlines():
        address, is_scalar = line.split()
        executed[address] += 1
        scalar[address] += int(is_scalar)
    return executed, scalar


def find_places(program: str, addresses: list[str]) -> dict[str, tuple[str, str]]:
    """Function and file:line of each address: the innermost that is not of the lane vocabulary."""
    command = ["addr2line", "--functions", "--inlines", "--addresses", "--exe", program]
    done = subprocess.run(command, input="\n".join(addresses), capture_output=True, text=True, check=True)
    places: dict[str, tuple[str, str]] = {}
    address, stack = "", []

    def close() -> None:
        if address:
            known = [frame for frame in stack if not frame[0].startswith(LANE_PREFIXES)]
            places[address] = known[0] if known else stack[-1]

    lines = iter(done.stdout.splitlines())
    for line in lines:
        if line.startswith("0x"):
            close()
            address, stack = f"{int(line, 16):x}", []
        else:
            source = next(lines).split(" ")[0]
            stack.append((line if line != "??" else "(libraries)", source.rpartition("/")[2]))
    close()
    return places


def main() -> None:
    parser = argparse.ArgumentParser(description="instructions of one step by function and by source line")
    parser.add_argument("program")
    parser.add_argument("addresses", type=Path)
    parser.add_argument("--top", type=int, default=25, help="lines of each table")
    arguments = parser.parse_args()
    executed, scalar = read_addresses(arguments.addresses)
    places = find_places(arguments.program, sorted(executed))
    for title, part in (("function", slice(0, 1)), ("line", slice(0, 2))):
        total, of_scalar = collections.Counter(), collections.Counter()
        for address, count in executed.items():
            key = " ".join(places[address][part])
            total[key] += count
            of_scalar[key] += scalar[address]
        print(f"{'executed':>10} {'scalar':>10}  by {title}")
        for key, count in total.most_common(arguments.top):
            print(f"{count / N_STEPS:10.0f} {of_scalar[key] / N_STEPS:10.0f}  {key}")
        print()


if __name__ == "__main__":
    main()

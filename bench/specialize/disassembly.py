#!/usr/bin/env python3
"""Counts the instructions of specialised kernels by function, and the least cycles that each resource of the core needs for them.

    XDG_CACHE_HOME=DIR sarrus run five_bar.yaml --specialize on     (DIR exists)
    python3 bench/specialize/disassembly.py DIR/sarrus/*.so

The counts are those of the text, each instruction once: what a call executes when the function has no loop (column `loops`: jumps
backward). objdump (binutils) does the disassembling. The core is that of `sarrus bench instructions`: two 512-bit (three
narrower) arithmetic instructions, two loads, one 512-bit (two narrower) store and six instructions a cycle; a divider.
"""

import argparse
import collections
import json
import re
import subprocess

HEAD = re.compile(r"^([0-9a-f]+) <(.+)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(?:(?:bnd|rep|repz|notrack|lock)\s+)*(\S+)\s*(.*)$")
MEMORY = re.compile(r"\(%(\w+)|\(,%|\(%rip")
FLOAT = re.compile(r"^v?(fn?m(?:add|sub)\d*|add|sub|mul|div|sqrt)([ps]d)$")
ARITHMETIC = ["fma", "add", "multiply", "divide", "sqrt"]
COLUMNS = ["instructions", *ARITHMETIC, "other", "load", "store", "stack_load", "stack_store", "loops", "bytes", "flops"]


def kind_of(mnemonic: str) -> str | None:
    """The class of a floating-point instruction on doubles."""
    match = FLOAT.match(mnemonic)
    if match is None:
        return None
    word = match[1]
    return "fma" if word.startswith("f") else {"add": "add", "sub": "add", "mul": "multiply", "div": "divide", "sqrt": "sqrt"}[word]


def lanes_of(mnemonic: str, operands: str) -> int:
    if mnemonic.endswith("sd"):
        return 1
    return 8 if "%zmm" in operands else 4 if "%ymm" in operands else 2


def is_store(mnemonic: str, operands: str) -> bool:
    return operands.rstrip().endswith(")") and not mnemonic.startswith(("cmp", "test", "vucom", "vcom", "ucom", "com", "nop", "j"))


def count_line(counts: collections.Counter, address: int, mnemonic: str, operands: str, frame: set[str]) -> None:
    counts["instructions"] += 1
    operands = operands.split("#")[0].split("<")[0].rstrip()
    if mnemonic.startswith("j"):
        target = operands.split()[0] if operands else ""
        counts["loops"] += bool(re.fullmatch(r"[0-9a-f]+", target)) and int(target, 16) <= address
        return
    is_vector = "%xmm" in operands or "%ymm" in operands or "%zmm" in operands
    if mnemonic == "mov" and operands == "%rsp,%rbp":
        frame.add("rbp")
    if not is_vector:
        return
    kind = kind_of(mnemonic)
    memory = MEMORY.search(operands)
    if kind is not None:
        lanes = lanes_of(mnemonic, operands)
        counts[kind] += 1
        counts["flops"] += lanes * {"fma": 2, "add": 1, "multiply": 1}.get(kind, 0)
        counts["divider"] += lanes * {"divide": 2, "sqrt": 3}.get(kind, 0)
        counts["is_wide"] |= "%zmm" in operands
    elif memory is None or ("mov" not in mnemonic and "broadcast" not in mnemonic):
        counts["other"] += 1
    if memory is not None:
        word = "store" if is_store(mnemonic, operands) else "load"
        counts[word] += 1
        counts["stack_" + word] += memory[1] in frame


def count_functions(path: str) -> dict[str, collections.Counter]:
    command = ["objdump", "--disassemble", "--no-show-raw-insn", "--wide", path]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    functions: dict[str, collections.Counter] = {}
    counts, frame, begin = collections.Counter(), {"rsp"}, 0
    for line in text.splitlines():
        if head := HEAD.match(line):
            counts, frame, begin = collections.Counter(), {"rsp"}, int(head[1], 16)
            functions[head[2]] = counts
        elif match := LINE.match(line):
            count_line(counts, int(match[1], 16), match[2], match[3], frame)
            counts["bytes"] = int(match[1], 16) - begin  # to the last instruction, which is a return or padding
    return functions


def bounds(counts: collections.Counter) -> dict[str, float]:
    """Least cycles of one pass through the text, by resource."""
    flops = counts["fma"] + counts["add"] + counts["multiply"]
    is_wide = counts["is_wide"]
    return {
        "arithmetic": (flops + counts["other"]) / (2 if is_wide else 3),
        "of which flops": flops / 2,
        "loads": counts["load"] / 2,
        "stores": counts["store"] / (1 if is_wide else 2),
        "front end": counts["instructions"] / 6,
        "divider": float(counts["divider"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="instructions of specialised kernels by function, and what bounds them")
    parser.add_argument("objects", nargs="+")
    parser.add_argument("--least", type=int, default=50, help="leave out functions with fewer floating-point instructions")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    report = []
    for path in arguments.objects:
        for name, counts in count_functions(path).items():
            if sum(counts[kind] for kind in ("fma", "add", "multiply")) >= arguments.least:
                row = {"object": path, "function": name} | {column: counts[column] for column in COLUMNS}
                report.append(row | {"least_cycles": bounds(counts)})
    report.sort(key=lambda row: (row["object"], -row["instructions"]))
    if arguments.json:
        print(json.dumps(report, indent=1))
        return
    for path in arguments.objects:
        print(path)
        print(f"  {'function':34}" + "".join(f"{column:>13}" for column in COLUMNS))
        rows = [row for row in report if row["object"] == path]
        for row in rows:
            print(f"  {row['function'][:33]:34}" + "".join(f"{row[column]:13}" for column in COLUMNS))
        print("  least cycles of one pass, by resource; the largest bounds the function unless latency does")
        for row in rows:
            least = row["least_cycles"]
            shown = "".join(f"{name} {cycles:.0f}, " for name, cycles in least.items())
            largest = max((name for name in least if name != "of which flops"), key=least.__getitem__)
            print(f"  {row['function'][:33]:34} {shown}bound: {largest}")


if __name__ == "__main__":
    main()

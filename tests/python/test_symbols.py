"""Global names of the static libraries: each is defined once, and begins with sarrus_.

A linker takes from an archive the members alone that it still misses a name of. Where another one defines that name too, and is
asked for nothing else, it stays out without a word, and its callers get the function that was not meant. The shared library of the
tests holds all members, and would not link; a program does. Exit code 77 (skipped) without nm or the libraries."""

import collections
import pathlib
import shutil
import subprocess
import sys

import program

LIBRARIES = ("libsarrus.a", "libsarrus_edge.a")
# As nm has them: text, data, zeroed data, constants, common ones; not what C++ defines in every object that uses it (V, W).
DEFINITIONS = frozenset("TDBRGSC")


# What nvcc names where kernels are linked on the device: a hash of the unit is in it.
OF_NVCC = ("__cudaRegisterLinkedBinary_", "__fatbinwrap_")


def definitions(libraries):
    """Of each global name the members that define it, as libsarrus.a:inertia.c.o."""
    command = ["nm", "--print-file-name", "--extern-only", "--defined-only", *map(str, libraries)]
    found = collections.defaultdict(list)
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        place, kind, name = [*line.rsplit(maxsplit=2), "", "", ""][:3]
        if kind in DEFINITIONS:
            found[name].append(place.rpartition(":")[0].rpartition("/")[2])
    return found


def faults(found):
    for name, members in sorted(found.items()):
        if len(members) > 1:
            yield f"{name} is defined {len(members)} times: {', '.join(members)}"
        if not name.startswith(("sarrus_", *OF_NVCC)):
            yield f"{name} in {members[0]} does not begin with sarrus_"


def main():
    place = program.place()
    libraries = [pathlib.Path(place).with_name(name) for name in LIBRARIES] if place else []
    if not place or not shutil.which("nm") or not all(library.exists() for library in libraries):
        print("skipped: no nm, or no static libraries beside the program")
        return 77
    found = definitions(libraries)
    assert len(found) > 500 and "sarrus_batch_create" in found, f"nm tells of {len(found)} names only"
    wrong = list(faults(found))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

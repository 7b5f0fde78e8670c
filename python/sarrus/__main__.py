"""`python -m sarrus`, and the command `sarrus` of an installed package: the program that came with it."""

import os
import sys

from .models import program_path


def main() -> None:
    program = str(program_path())
    os.execv(program, ["sarrus", *sys.argv[1:]])


if __name__ == "__main__":
    main()

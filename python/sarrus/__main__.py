"""`python -m sarrus`, and the command `sarrus` of an installed package: the program that came with it, `sarrus animate` and
`sarrus report`."""

import os
import sys

from .models import program_path


def main() -> None:
    if sys.argv[1:2] == ["animate"]:
        from .animation import command

        sys.exit(command(sys.argv[2:]))
    if sys.argv[1:2] == ["report"]:
        from .reports.command import command

        sys.exit(command(sys.argv[2:]))
    program = str(program_path())
    os.execv(program, ["sarrus", *sys.argv[1:]])


if __name__ == "__main__":
    main()

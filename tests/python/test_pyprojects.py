"""`pip install .` and `pip install ./python` install the same: the two pyproject.toml say so."""

import sys
import tomllib

from program import SOURCE


def main():
    top, own = (tomllib.loads((SOURCE / place / "pyproject.toml").read_text(encoding="utf-8")) for place in (".", "python"))
    for name in ("readme", "license"):  # which lie above that folder
        del top["project"][name]
    assert top["project"] == own["project"]
    assert top["build-system"] == own["build-system"]
    theirs, ours = top["tool"]["scikit-build"], own["tool"]["scikit-build"]
    for name in ("build", "install", "minimum-version"):
        assert theirs[name] == ours[name], name
    assert theirs["cmake"]["define"] == ours["cmake"]["define"]
    assert theirs["metadata"]["version"]["regex"] == ours["metadata"]["version"]["regex"]
    return 0


if __name__ == "__main__":
    sys.exit(main())

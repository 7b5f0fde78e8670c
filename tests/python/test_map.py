"""docs/map.md names files that are there, and in each of them a name that stands in it."""

import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("SARRUS_SOURCE_DIR", Path(__file__).resolve().parents[2]))
ROW = re.compile(r"^\| .+? \| .*?`([^`]+)`.*? \| `([^`]+)` \|$")


class Map(unittest.TestCase):
    def setUp(self) -> None:
        self.lines = (ROOT / "docs/map.md").read_text(encoding="utf-8").splitlines()
        self.rows = [ROW.match(line) for line in self.lines if line.startswith("| ")][2:]

    def test_every_line_names_a_file_and_a_name_in_it(self) -> None:
        self.assertGreaterEqual(len(self.rows), 25)
        for row in self.rows:
            self.assertIsNotNone(row)
            path, name = row.groups()
            with self.subTest(path=path, name=name):
                self.assertTrue((ROOT / path).is_file(), f"docs/map.md: there is no {path}")
                text = (ROOT / path).read_text(encoding="utf-8")
                self.assertRegex(text, rf"\b{re.escape(name)}\b", f"docs/map.md: {path} does not name {name}")

    def test_every_path_in_it_is_there(self) -> None:
        for path in re.findall(r"`([a-z]+/[^`]+)`", "\n".join(self.lines)):
            with self.subTest(path=path):
                self.assertTrue((ROOT / path).exists(), f"docs/map.md: there is no {path}")


if __name__ == "__main__":
    unittest.main()

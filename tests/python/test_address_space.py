"""A few limits of address space, of those that tests/endure/address_space.py tries."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "endure"))
import address_space


class AddressSpace(unittest.TestCase):
    def test_there_is_always_an_answer(self):
        """Six sizes; 143 and 277 MB never came back as long as a linear algebra library took its buffers at any price."""
        self.assertEqual(address_space.main(["--n", "6", "--from", "76", "--to", "411", "--seconds", "30", "--pinv", "lapack"]), 0)


if __name__ == "__main__":
    unittest.main()

"""scripts/bundle: what it makes runs without anything of the machine that made it, and is small enough to carry."""

import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("SARRUS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("SARRUS_PROGRAM", ROOT / "build" / "release" / "sarrus")).parent
# Bytes: of the archive, and unpacked. What carries files often takes no more than 64 MiB.
MAX_PACKED, MAX_UNPACKED = 30 << 20, 60 << 20
# The system's own, which a bundle must not bring: another glibc than the running one does not load.
OF_HOST = ("libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "ld-linux", "libcuda.so")


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=250, **options)


class Bundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.archive = cls.folder / "a bundle.tar.gz"
        cls.said = run([ROOT / "scripts" / "bundle", "--build", BUILD, "-o", cls.archive])
        assert cls.said.returncode == 0, cls.said.stdout + cls.said.stderr
        with tarfile.open(cls.archive) as archive:
            archive.extractall(cls.folder)
        cls.root = next(path for path in cls.folder.iterdir() if path.is_dir())

    def test_tests_itself(self):
        self.assertIn("bundle: the self-test passed", self.said.stdout)
        self.assertRegex(self.said.stdout, r"needs glibc 2\.\d+ or newer")
        newest = max(int(line.split("GLIBC_2.")[1]) for line in self.said.stdout.splitlines() if " from GLIBC_2." in line)
        self.assertEqual((self.root / "lib" / "needs_glibc").read_text(encoding="utf-8").strip(), f"2.{newest}")

    def test_size(self):
        self.assertLess(self.archive.stat().st_size, MAX_PACKED)
        unpacked = sum(path.lstat().st_size for path in self.root.rglob("*") if path.is_file() and not path.is_symlink())
        self.assertLess(unpacked, MAX_UNPACKED)

    def test_brings_no_system_library(self):
        names = [path.name for path in (self.root / "lib").iterdir()]
        self.assertFalse([name for name in names if name.startswith(OF_HOST)])
        for name in ("libhdf5", "libgfortran", "libmuparser", "libfyaml", "libdeflate"):
            self.assertTrue(any(other.startswith(name) for other in names), name)

    def test_brings_no_linear_algebra_with_threads(self):
        """The dozen functions of LAPACK that are called are in the programs' own library."""
        self.assertFalse([path.name for path in (self.root / "lib").iterdir() if "blas" in path.name or "lapack" in path.name])

    def test_compiler_libraries_are_a_fallback(self):
        """The system's libstdc++ is used; the builder's only where there is none."""
        self.assertTrue((self.root / "lib" / "cxx" / "libstdc++.so.6").exists())
        tools = self.folder / "tools"
        tools.mkdir()
        for text, expected in (("libc.so.6 (libc6) => /lib/libc.so.6", True), ("libstdc++.so.6 => /lib/libstdc++.so.6", False)):
            (tools / "ldconfig").write_text(f"#!/bin/sh\necho '{text}'\n", encoding="utf-8")
            (tools / "ldconfig").chmod(0o755)
            environment = {"PATH": f"{tools}:{os.environ['PATH']}", "SARRUS_BUNDLE": str(self.root)}
            said = run(["sh", "-c", '. "$SARRUS_BUNDLE/bin/env.sh" && echo "$LD_LIBRARY_PATH"'], env=environment)
            self.assertEqual("lib/cxx" in said.stdout, expected, said.stdout + said.stderr)

    def test_lists_its_tests(self):
        names = run([self.root / "bin" / "run_tests", "--list"]).stdout.split()
        self.assertGreater(len(names), 60)
        self.assertIn("physics.five_bar", names)
        self.assertNotIn("python.check_rooms", names)
        said = run([self.root / "bin" / "run_tests", "-R", "^no such test$"])
        self.assertEqual(said.returncode, 1, said.stdout)

    def test_runs_through_a_link(self):
        """The launcher finds its bundle from any folder, also when it is started through a link on the PATH."""
        link = self.folder / "sarrus"
        link.symlink_to(self.root / "bin" / "sarrus")
        said = run([link, "--version"], cwd="/")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertTrue(said.stdout.startswith("sarrus "))

    def test_finds_cuda(self):
        """Folders with CUDA's libraries come behind those that the user named."""
        wheel = self.folder / "venv" / "lib" / "python3.12" / "site-packages" / "nvidia" / "cuda_nvrtc" / "lib"
        wheel.mkdir(parents=True)
        (wheel / "libnvrtc.so.13").touch()
        toolkit = self.folder / "cuda with blanks"
        (toolkit / "lib64").mkdir(parents=True)
        (toolkit / "lib64" / "libcusolver.so.12").touch()
        environment = {"PATH": os.environ["PATH"], "VIRTUAL_ENV": str(self.folder / "venv"), "CUDA_HOME": str(toolkit),
                       "LD_LIBRARY_PATH": "/mine", "SARRUS_BUNDLE": str(self.root)}  # fmt: skip
        said = run(["sh", "-c", '. "$SARRUS_BUNDLE/bin/env.sh" && echo "$LD_LIBRARY_PATH"'], env=environment)
        folders = said.stdout.strip().split(":")
        self.assertEqual(folders[:2], ["/mine", str(toolkit / "lib64")])
        self.assertIn(str(wheel), folders)

    def test_refuses_to_overwrite(self):
        """A folder that is no bundle is not replaced."""
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "work.txt").touch()
        said = run([ROOT / "scripts" / "bundle", "--build", BUILD, "-o", mine, "--no-self-test"])
        self.assertEqual(said.returncode, 2, said.stderr)
        self.assertTrue((mine / "work.txt").exists())


if __name__ == "__main__":
    unittest.main()

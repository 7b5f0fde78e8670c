"""`sarrus pinv` against numpy.linalg.pinv, and what it does with files that are not what it expects. Exit code 77 (skipped) without
a program.

What results may be off. X of the stable methods is within c max(m, n) eps kappa |A+| of A+, kappa = s1 / sr, with c = 10
(docs/pinv.md; a pseudoinverse of a matrix that is off by d|A| moves by kappa d |A+| to first order); NumPy's, by LAPACK's SVD, too:
c = 20. Methods that lose orthogonality with the condition to the power p are allowed kappa^p of that (tests/support/pinv_traits.h).
A+ b is off by |b| times that, and where b is not in the range by kappa times as much (Wedin).
"""

import hashlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
from program import place

PROGRAM = place()
EPS = np.finfo(float).eps
# The power of the condition that a method loses beside the one that the problem has.
POWER = {"auto": 0, "svd": 0, "lapack": 0, "jacobi": 0, "varga": 0, "householder": 0, "mgs2": 0, "truncated": 0}
POWER |= {"mgs": 1, "greville": 2, "normal": 2, "cholesky": 2}
N_STACK = 7


def spectrum(random, m, n, sigma):
    """A stack of m x n matrices with these singular values."""
    k = len(sigma)
    left = np.linalg.qr(random.normal(size=(N_STACK, m, m)))[0][..., :k]
    right = np.linalg.qr(random.normal(size=(N_STACK, n, n)))[0][..., :k]
    return left * np.asarray(sigma) @ right.swapaxes(-1, -2)


def cases():
    """Name, stack, rank, kappa: full rank, deficient, wide, tall, rows, columns, graded."""
    random = np.random.default_rng(1)
    for m, n in [(5, 5), (3, 8), (8, 3), (1, 9), (9, 1), (1, 1), (12, 12), (20, 33)]:
        k = min(m, n)
        yield f"{m}x{n}", spectrum(random, m, n, np.geomspace(1, 1e-2, k)), k, 1e2 if k > 1 else 1.0
        if k > 2:
            yield f"{m}x{n} deficient", spectrum(random, m, n, np.geomspace(1, 1e-1, k - 2)), k - 2, 10.0
    graded = np.geomspace(1, 1e-6, 8)
    yield "graded values", spectrum(random, 8, 8, graded), 8, 1e6
    full = spectrum(random, 10, 10, np.ones(10)) * 1e150
    yield "large numbers", full, 10, 1.0
    yield "zeros", np.zeros((N_STACK, 4, 3)), 0, 1.0


def error_bound(shape, kappa, power):
    return 20 * max(shape[-2:]) * EPS * kappa ** (1 + power)


def norms(x):
    """Of each matrix of a stack, without overflow."""
    return np.linalg.norm(x, 2, axis=(-2, -1))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_pinv(self, *arguments, code=0, **options):
        said = subprocess.run(
            [PROGRAM, "pinv", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False, **options
        )
        self.assertEqual(said.returncode, code, f"{arguments}: {said.stderr}")
        return said

    def pinv(self, a, *arguments, code=0):
        """The result of a stack, and what --json says of it."""
        np.save(self.folder / "a.npy", a)
        said = self.run_pinv("a.npy", "-o", "x.npy", "--json", *arguments, code=code)
        return np.load(self.folder / "x.npy", allow_pickle=False), json.loads(said.stdout)


class Numbers(Case):
    def test_every_method_agrees_with_numpy(self):
        for name, a, rank, kappa in cases():
            expected = np.linalg.pinv(a / np.abs(a).max(initial=1e-300), rcond=1e-9) / np.abs(a).max(initial=1e-300)
            for method, power in POWER.items():
                if power > 0 and kappa > 1e3:  # nothing is left of 16 digits
                    continue
                if method == "truncated" and rank == 0:
                    continue
                told = ["--max-rank", rank] if method == "truncated" else []
                with self.subTest(case=name, method=method):
                    # A Gram matrix knows a singular value to sqrt(max(m, n) eps) of the largest: its zeros are cut off above that.
                    rule = ["--rank", "relative", "--tolerance", "1e-5"] if power == 2 else []
                    x, report = self.pinv(a, "--method", method, *told, *rule)
                    self.assertEqual(report["ranks"], [{"rank": rank, "n_matrices": N_STACK}])
                    off = norms(x - expected) / np.maximum(norms(expected), 1e-300)
                    self.assertLessEqual(off.max(), error_bound(a.shape, kappa, power))
                    if power == 0:
                        self.assertEqual(report["n_beyond_bound"], 0)

    def test_right_sides(self):
        random = np.random.default_rng(2)
        for name, a, _, kappa in cases():
            m = a.shape[-2]
            expected = np.linalg.pinv(a / np.abs(a).max(initial=1e-300), rcond=1e-9) / np.abs(a).max(initial=1e-300)
            for method in ("auto", "svd", "lapack"):
                for shape in ((N_STACK, m, 3), (m, 2), (N_STACK, m, 1)):
                    b = random.normal(size=shape)
                    np.save(self.folder / "b.npy", b)
                    with self.subTest(case=name, method=method, shape=shape):
                        x, report = self.pinv(a, "--rhs", "b.npy", "--method", method)
                        self.assertEqual(x.shape, (N_STACK, a.shape[-1], shape[-1]))
                        most = (
                            error_bound(a.shape, kappa, 1) * norms(expected) * norms(np.broadcast_to(b, (N_STACK, *b.shape[-2:])))
                        )
                        self.assertTrue((norms(x - expected @ b) <= most).all())
                        self.assertEqual((report["n_beyond_bound"], report["n_rhs"]), (0, shape[-1]))

    def test_tikhonov_is_its_formula(self):
        """s / (s^2 + t^2) moves by at most ds / t^2, and NumPy's s as ours by 10 max(m, n) eps s1."""
        random = np.random.default_rng(3)
        a = spectrum(random, 9, 6, [1, 0.5, 0.1, 1e-3, 1e-9, 0])
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        for t in (1e-1, 1e-3, 1e-5):
            expected = (vt.swapaxes(-1, -2) * (s / (s**2 + t**2))[:, None, :]) @ u.swapaxes(-1, -2)
            for rule in ("auto", "relative", "absolute", "tracked"):
                x, report = self.pinv(a, "--method", "tikhonov", "--rank", rule, "--tolerance", t)
                self.assertLessEqual(norms(x - expected).max(), 2 * 10 * 9 * EPS / t**2)
                self.assertIsNone(report["residual_bound"])

    def test_rank_rules(self):
        a = spectrum(np.random.default_rng(4), 7, 6, [4, 2, 1e-3, 5e-4, 1e-7, 0])
        for rank, rule in [
            (2, ["--rank", "relative", "--tolerance", "1e-2"]),
            (4, ["--rank", "absolute", "--tolerance", "1e-5"]),
            (2, ["--rank", "gap", "--tolerance", "1e-2"]),
            (3, ["--rank", "tracked", "--tolerance", "1e-6", "--max-rank", "3"]),
            (5, []),
            (1, ["--max-rank", "1"]),
            (4, ["--max-rank", "4", "--method", "truncated"]),
        ]:
            with self.subTest(rule=rule):
                x, report = self.pinv(a, *(["--method", "svd"] if "--method" not in rule else []), *rule)
                self.assertEqual(report["ranks"], [{"rank": rank, "n_matrices": N_STACK}])
                sizes = [4, 2, 1e-3, 5e-4, 1e-7, 0]
                # Singular values are found to 10 max(m, n) eps s1.
                self.assertLess(abs(report["smallest_kept"] - sizes[rank - 1]), 70 * EPS * 4)
                self.assertLess(abs(report["largest_dropped"] - sizes[rank]), 70 * EPS * 4)
                self.assertEqual(report["n_beyond_bound"], 0)
                s = np.linalg.svd(x, compute_uv=False)[:, 0]
                self.assertTrue(np.allclose(s, 1 / sizes[rank - 1], rtol=70 * EPS * 4 / sizes[rank - 1]))

    def test_residuals_are_those_of_the_result(self):
        """Where they are large, of methods that lose digits or with a part of A left out, they are the same when NumPy
        evaluates them: to the rounding of either evaluation, max(m, n) eps."""
        tall = spectrum(np.random.default_rng(5), 9, 7, np.geomspace(1, 1e-5, 7))
        large = set()
        rule = ["--rank", "relative", "--tolerance", "1e-7"]
        asked = [["--method", method, *rule] for method in ("normal", "mgs", "greville")] + [["--max-rank", "6"]]
        for a in (tall, tall.swapaxes(1, 2)):
            for arguments in asked:
                x, report = self.pinv(a, *arguments)
                norm_a, norm_x = np.linalg.norm(a, axis=(1, 2)), np.linalg.norm(x, axis=(1, 2))
                ax, xa = a @ x, x @ a
                own = {
                    "axa": np.linalg.norm(ax @ a - a, axis=(1, 2)) / norm_a**2 / norm_x,
                    "xax": np.linalg.norm(xa @ x - x, axis=(1, 2)) / norm_a / norm_x**2,
                    "ax": np.linalg.norm(ax - ax.swapaxes(1, 2), axis=(1, 2)) / norm_a / norm_x,
                    "xa": np.linalg.norm(xa - xa.swapaxes(1, 2), axis=(1, 2)) / norm_a / norm_x,
                }
                large |= {key for key, value in own.items() if value.max() > 1000 * 9 * EPS}
                for key, value in own.items():
                    self.assertLess(abs(report["residuals"][key]["largest"] - value.max()), 2 * 9 * EPS)
                worst = max(own, key=lambda key: own[key].max())
                self.assertEqual(report["residuals"][worst]["matrix"], int(own[worst].argmax()))
                self.assertEqual(report["residual_unit"], 9 * EPS)
        self.assertEqual(large, {"axa", "xax", "ax", "xa"}, "not every condition was put to the test")

    def test_a_wrong_result_is_beyond_the_bound(self):
        """The bound says something: with the rank held below what the rule would count, what is missing is allowed for, no more."""
        a = spectrum(np.random.default_rng(6), 6, 6, [1, 1, 1, 1, 1, 1e-3])
        _, report = self.pinv(a, "--max-rank", "5", "--method", "svd")
        self.assertEqual(report["n_beyond_bound"], 0)
        self.assertGreater(report["residuals"]["axa"]["largest"], report["residual_bound"])

    def test_a_nan_is_of_its_matrix(self):
        a = spectrum(np.random.default_rng(7), 4, 5, [3, 2, 1, 0.5])
        clean, _ = self.pinv(a)
        a[2, 1, 1], a[5, 0, 0] = np.nan, -np.inf
        x, report = self.pinv(a, code=1)
        bad = np.array([2, 5])
        self.assertTrue(np.isnan(x[bad]).all())
        self.assertEqual(np.delete(x, bad, axis=0).tobytes(), np.delete(clean, bad, axis=0).tobytes())
        self.assertEqual((report["n_failed"], report["n_not_finite"], report["first_failed"]), (2, 2, 2))
        self.assertEqual(report["ranks"], [{"rank": 4, "n_matrices": N_STACK - 2}])
        tiny = np.array([np.eye(2) * 1e-310, np.eye(2)])
        x, report = self.pinv(tiny, code=1)
        self.assertEqual((report["n_not_computed"], report["first_failed"]), (1, 0))
        self.assertTrue(np.isinf(x[0].diagonal()).all() and (x[1] == np.eye(2)).all())

    def test_blocks_and_threads_do_not_show(self):
        """A stack of several blocks (64 MiB each), with one B for all: the bits of each matrix alone."""
        random = np.random.default_rng(8)
        a, b = random.normal(size=(40000, 12, 12)), random.normal(size=(12, 1))
        a[39000, 0, 0] = np.nan
        np.save(self.folder / "b.npy", b)
        x, report = self.pinv(a, "--threads", "2", code=1)
        self.assertEqual((report["n_matrices"], report["first_failed"]), (40000, 39000))
        z, _ = self.pinv(a, "--rhs", "b.npy", "--threads", "1", code=1)
        picked = [0, 1, 27000, 28000, 38999, 39999]
        self.assertEqual(self.pinv(a[picked], "--threads", "1")[0].tobytes(), x[picked].tobytes())
        self.assertEqual(self.pinv(a[picked], "--rhs", "b.npy")[0].tobytes(), z[picked].tobytes())
        worst = report["residuals"]["ax"]["matrix"]
        self.assertEqual(self.pinv(a[worst])[1]["residuals"]["ax"]["largest"], report["residuals"]["ax"]["largest"])


class Files(Case):
    def test_types_orders_and_shapes(self):
        random = np.random.default_rng(9)
        for shape in [(3, 4), (6, 4, 3), (2, 3, 2, 4, 5)]:
            for kind in ("<f8", ">f8", "<f4", ">f4", "i1", ">i4", "u8", "?"):
                for order in "CF":
                    a = np.asarray((5 * random.normal(size=shape)).astype("i1").astype(kind), order=order)
                    with self.subTest(shape=shape, kind=kind, order=order):
                        x, _ = self.pinv(a)
                        plain, _ = self.pinv(np.ascontiguousarray(a.astype(float)))
                        self.assertEqual((x.shape, x.tobytes()), (plain.shape, plain.tobytes()))
                        self.assertEqual(x.shape, (*shape[:-2], shape[-1], shape[-2]))

    def test_single_numbers_tell_no_more_than_they_know(self):
        random = np.random.default_rng(12)
        a = random.normal(size=(4, 9, 5)) @ random.normal(size=(4, 5, 7))
        ranks = {}
        for name, kind, more in (("f4", "<f4", ()), ("f8", "<f8", ()), ("own", "<f4", ("--tolerance", "1e-12"))):
            ranks[name] = [own["rank"] for own in self.pinv(a.astype(np.float32).astype(kind), *more)[1]["ranks"]]
        self.assertEqual(ranks, {"f4": [5], "f8": [7], "own": [7]})

    def test_versions_and_right_sides_in_fortran_order(self):
        a = np.random.default_rng(10).normal(size=(2, 3, 4, 5))
        b = np.random.default_rng(11).normal(size=(2, 3, 4, 2))
        np.save(self.folder / "b.npy", b)
        expected, _ = self.pinv(a, "--rhs", "b.npy")
        np.save(self.folder / "b.npy", np.asfortranarray(b))
        for version in ((1, 0), (2, 0), (3, 0)):
            with (self.folder / "a.npy").open("wb") as file:
                np.lib.format.write_array(file, a, version=version)
            self.run_pinv("a.npy", "-o", "x.npy", "--rhs", "b.npy")
            self.assertEqual(np.load(self.folder / "x.npy").tobytes(), expected.tobytes())

    def test_no_matrices_give_none(self):
        for order in "CF":
            x, report = self.pinv(np.ones((0, 3, 2), order=order))
            self.assertEqual((x.shape, report["n_matrices"], report["residuals"]["ax"]["largest"]), ((0, 2, 3), 0, None))

    def test_the_result_is_a_file_like_numpys(self):
        np.save(self.folder / "a.npy", np.eye(3))
        (self.folder / "link.npy").symlink_to("real.npy")
        (self.folder / "real.npy").touch(mode=0o640)
        (self.folder / "real.npy").chmod(0o640)
        said = self.run_pinv("a.npy", "-o", "link.npy")
        self.assertTrue(said.stdout.startswith("link.npy: A+ of 1 matrix of 3x3"))
        self.assertTrue((self.folder / "link.npy").is_symlink())
        self.assertEqual((self.folder / "real.npy").stat().st_mode & 0o777, 0o640)
        np.save(self.folder / "numpys.npy", np.eye(3))
        self.assertEqual((self.folder / "real.npy").read_bytes(), (self.folder / "numpys.npy").read_bytes())
        self.assertEqual(self.run_pinv("a.npy", "-o", "link.npy", "--quiet").stdout, "")
        table = self.run_pinv("a.npy", "-o", "link.npy", "--report").stdout
        for word in ("householder (auto)", "rank 3", "1 matrix", "smallest kept 1", "AXA-A", "at most", "flops", "matrices/s"):
            self.assertIn(word, table)


class Misuse(Case):
    """Each case: what is said, the exit code, and nothing written."""

    def setUp(self):
        super().setUp()
        np.save(self.folder / "a.npy", np.eye(3)[None].repeat(2, axis=0))
        np.save(self.folder / "wide.npy", np.ones((2, 65)))
        np.save(self.folder / "huge.npy", np.ones((1, 4097)))
        np.save(self.folder / "vector.npy", np.ones(3))
        np.save(self.folder / "b4.npy", np.ones((2, 4, 1)))
        np.save(self.folder / "b5.npy", np.ones((5, 3, 1)))
        np.save(self.folder / "none.npy", np.ones((2, 0, 3)))
        np.save(self.folder / "objects.npy", np.array([[object()]]), allow_pickle=True)
        np.savez(self.folder / "archive.npz", np.eye(3))
        good = (self.folder / "a.npy").read_bytes()
        (self.folder / "cut.npy").write_bytes(good[:-1])
        (self.folder / "head.npy").write_bytes(good[:40])
        (self.folder / "long.npy").write_bytes(good + b"\n")
        (self.folder / "rubbish.npy").write_bytes(good.replace(b"shape", b"sharp"))
        (self.folder / "overflow.npy").write_bytes(
            good.replace(b"(2, 3, 3), }" + b" " * 40, b"(99999999999, 99999999999), }" + b" " * 23)
        )
        (self.folder / "empty.npy").touch()
        (self.folder / "text.txt").write_text("1 2 3\n")
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "same.npy").hardlink_to(self.folder / "a.npy")
        (self.folder / "loop.npy").symlink_to("loop.npy")

    def tree(self):
        """What stands in the folder: names, and digests of files."""
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None for path in self.folder.iterdir()
        }

    def test_what_is_refused(self):
        table = [
            ([], 2, "no name for the result; expected -o X.npy"),
            (["-o", "x.npy"], 2, "no file named; a .npy file of matrices was expected"),
            (["a.npy", "b4.npy", "-o", "x.npy"], 2, "too many files"),
            (["a.npy", "-o", ""], 2, "--output needs the name of a file"),
            (["a.npy", "-o", "x.npy", "--method", "svdd"], 2, "did you mean 'svd'?"),
            (["a.npy", "-o", "x.npy", "--method", "zzzzzzzzz"], 2, "'sarrus list pinv' names them"),
            (["a.npy", "-o", "x.npy", "--method", "cusolver-svd"], 2, "'cusolver-svd' is for scenarios on the CUDA backend"),
            (["a.npy", "-o", "x.npy", "--rank", "relativ"], 2, "did you mean 'relative'?"),
            (["a.npy", "-o", "x.npy", "--rank", "violation"], 2, "no constraints to be violated"),
            (["a.npy", "-o", "x.npy", "--tolerance", "-1e-3"], 2, "--tolerance needs a number above 0"),
            (["a.npy", "-o", "x.npy", "--tolerance", "0"], 2, "--tolerance needs a number above 0"),
            (["a.npy", "-o", "x.npy", "--tolerance", "nan"], 2, "--tolerance needs a number above 0"),
            (["a.npy", "-o", "x.npy", "--tolerance", "1e-3x"], 2, "--tolerance needs a number above 0"),
            (["a.npy", "-o", "x.npy", "--tolerance", "1e999"], 2, "--tolerance needs a number above 0"),
            (["a.npy", "-o", "x.npy", "--tolerance", "1"], 2, "nothing would count"),
            (["a.npy", "-o", "x.npy", "--max-rank", "0"], 2, "--max-rank needs a whole number from 1 to 4096"),
            (["a.npy", "-o", "x.npy", "--max-rank", "2", "--rank", "gap"], 2, "--max-rank goes with"),
            (["a.npy", "-o", "x.npy", "--threads", "0"], 2, "--threads needs a whole number from 1"),
            (["a.npy", "-o", "x.npy", "--backend", "gpu"], 2, "--backend is auto, cpu or cuda"),
            (["a.npy", "-o", "x.npy", "--reprot"], 2, "did you mean '--report'?"),
            (["a.npy", "-o", "x.npy", "--method", "truncated"], 2, "expected --max-rank K"),
            (["a.npy", "-o", "x.npy", "--method", "truncated", "--max-rank", "4"], 2, "3 at most was expected"),
            (["a.npy", "-o", "x.npy", "--method", "truncated", "--max-rank", "2", "--tolerance", "1e-3"], 2, "expected neither"),
            (["a.npy", "-o", "x.npy", "--method", "tikhonov"], 2, "1e-5 is a good one"),
            (["a.npy", "-o", "x.npy", "--method", "tikhonov", "--tolerance", "1e-12"], 2, "that makes it 2.6e-08"),
            (["a.npy", "-o", "x.npy", "--method", "tikhonov", "--rank", "absolute"], 2, "here 'absolute' with 0"),
            (["a.npy", "-o", "x.npy", "--method", "tikhonov", "--rank", "gap", "--tolerance", "1e-3"], 2, "'gap' has none"),
            (["wide.npy", "-o", "x.npy", "--method", "svd"], 2, "2x65 is too large for the method 'svd'"),
            (["huge.npy", "-o", "x.npy"], 2, "the matrices are of 1x4097; expected at most 4096"),
            (["vector.npy", "-o", "x.npy"], 2, "the array has 1 dimension; expected two"),
            (["none.npy", "-o", "x.npy"], 2, "the matrices are of 0x3; expected at least one row"),
            (["objects.npy", "-o", "x.npy"], 2, "Python objects"),
            (["archive.npz", "-o", "x.npy"], 2, "a ZIP archive, such as a .npz"),
            (["rubbish.npy", "-o", "x.npy"], 2, "the key 'sharp'; expected descr, fortran_order and shape"),
            (["overflow.npy", "-o", "x.npy"], 2, "more numbers than any file"),
            (["empty.npy", "-o", "x.npy"], 2, "it is empty; expected one as numpy.save writes it"),
            (["text.txt", "-o", "x.npy"], 2, "not a .npy file; expected one"),
            (["cut.npy", "-o", "x.npy"], 3, "this .npy file has 271 bytes; its head says 272: it is cut off"),
            (["head.npy", "-o", "x.npy"], 3, "ends within its head"),
            (["long.npy", "-o", "x.npy"], 3, "its head says 272: it is damaged, or holds more than one array"),
            (["nothing.npy", "-o", "x.npy"], 3, "nothing.npy: error: cannot be read: No such file or directory"),
            (["folder", "-o", "x.npy"], 3, "cannot be read: Is a directory"),
            (["pipe", "-o", "x.npy"], 3, "cannot be read: not a regular file"),
            (["loop.npy", "-o", "x.npy"], 3, "cannot be read: Too many levels"),
            (["a.npy", "-o", "x.npy", "--rhs", "nothing.npy"], 3, "nothing.npy: error: cannot be read"),
            (["a.npy", "-o", "x.npy", "--rhs", "vector.npy"], 2, "vector.npy: error: the array has 1 dimension"),
            (["a.npy", "-o", "x.npy", "--rhs", "b4.npy"], 2, "the right sides have 4 rows; expected 3"),
            (["a.npy", "-o", "x.npy", "--rhs", "b5.npy"], 2, "other leading dimensions"),
            (["a.npy", "-o", "a.npy"], 2, "a.npy: error: this is an input"),
            (["a.npy", "-o", "same.npy"], 2, "this is an input"),
            (["b4.npy", "-o", "wide.npy", "--rhs", "wide.npy"], 2, "expected 4"),
            (["a.npy", "-o", "text.txt"], 2, "this file is no .npy file, and would be replaced"),
            (["a.npy", "-o", "folder"], 3, "cannot be written: Is a directory"),
            (["a.npy", "-o", "pipe"], 3, "cannot be written: not a regular file"),
            (["a.npy", "-o", "loop.npy"], 3, "cannot be written: Too many levels"),
            (["a.npy", "-o", "no/such/x.npy"], 3, "cannot be written: No such file or directory"),
            (["a.npy", "-o", "/dev/full"], 3, "cannot be written: not a regular file"),
        ]
        before = self.tree()
        for arguments, code, expected in table:
            with self.subTest(arguments=arguments):
                said = self.run_pinv(*arguments, code=code)
                self.assertIn(expected, said.stderr)
                self.assertEqual(said.stdout, "")
                self.assertEqual(self.tree(), before)

    def test_the_backend_that_was_asked_for_or_none(self):
        listed = subprocess.run([PROGRAM, "list", "backends"], capture_output=True, text=True, check=True).stdout
        if "usable here" in listed and "no device is usable" not in listed:
            self.skipTest("a device is here")
        self.assertIn("'cuda'", self.run_pinv("a.npy", "-o", "x.npy", "--backend", "cuda", code=4).stderr)
        self.assertFalse((self.folder / "x.npy").exists())

    def test_a_disk_that_is_too_full(self):
        """By a limit of file sizes; the older result stays."""
        a = np.random.default_rng(12).normal(size=(2000, 8, 8))
        np.save(self.folder / "large.npy", a)
        np.save(self.folder / "x.npy", np.eye(2))
        before = self.tree()
        for limit in (0, 100, 128, 4096, a.nbytes):

            def limit_set(limit=limit):
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            with self.subTest(limit=limit):
                # what is said goes through a pipe, which has no size
                said = self.run_pinv("large.npy", "-o", "x.npy", code=3, preexec_fn=limit_set)
                self.assertIn("x.npy: error: cannot be written: File too large", said.stderr)
                self.assertEqual(self.tree(), before)

    def test_a_signal_leaves_nothing(self):
        np.save(self.folder / "many.npy", np.random.default_rng(13).normal(size=(60000, 12, 12)))
        np.save(self.folder / "x.npy", np.eye(2))
        before = self.tree()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            command = [PROGRAM, "pinv", "many.npy", "-o", "x.npy", "--method", "lapack", "--threads", "1"]
            with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                end = time.monotonic() + 60
                while not list(self.folder.glob(".x.npy.new.*")) and run.poll() is None and time.monotonic() < end:
                    time.sleep(0.01)
                run.send_signal(number)
                out, err = run.communicate()
            with self.subTest(signal=number):
                self.assertEqual((run.returncode, out), (128 + number, ""))
                self.assertIn("stopped; nothing was written", err)
                self.assertEqual(self.tree(), before)


if __name__ == "__main__":
    if PROGRAM is None:
        sys.exit(77)
    unittest.main()

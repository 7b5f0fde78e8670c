"""`sarrus bench pinv --json` read as a program would, and the picture made of it. Exit code 77 (skipped) without a program."""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

GATED = {"svd", "jacobi", "householder", "varga"}
# Their loss grows with the square of the condition (or, mgs, with the condition), which is 1e8 in these classes.
LOSERS = {"normal", "cholesky", "mgs"}


def check_class(one, bound):
    rows = one["rows"]
    assert len({row["method"] for row in rows}) == 12, one["name"]
    assert len(rows) == 24, one["name"]
    assert one["n_matrices"] > 0
    for row in rows:
        parts = [row[name] for name in ("axa", "xax", "ax", "xa")]
        if None not in parts:
            assert row["residual"] == max(parts), row
        is_gated = one["rank_is_defined"] and row["method"] in GATED
        assert row["gate"] == ("ok" if is_gated else "none"), (one["name"], row)
        if is_gated:
            assert row["residual"] <= bound, (one["name"], row)
            assert row["n_wrong_ranks"] == 0, (one["name"], row)
            # What is as good as backward stable is off by some n eps kappa.
            assert row["forward_in_eps_kappa"] <= 10 * bound, (one["name"], row)


def check_losses(classes):
    """The measure has teeth: a method that loses digits is seen to."""
    for name in ("graded values", "Lauchli 1e-8"):
        rows = [row for row in classes[name]["rows"] if row["method"] in LOSERS and row["form"] == "explicit"]
        for row in rows:
            assert row["residual"] is None or row["residual"] > 1e3, (name, row)


def main():
    program, source = os.environ.get("SARRUS_PROGRAM"), pathlib.Path(os.environ.get("SARRUS_SOURCE_DIR", "."))
    if not program:
        print("skipped: SARRUS_PROGRAM is not set")
        return 77
    run = subprocess.run([program, "bench", "pinv", "--quick", "--accuracy", "--json"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    classes = {one["name"]: one for one in report["accuracy"]}
    assert len(classes) == 22
    for one in classes.values():
        check_class(one, report["residual_bound"])
    check_losses(classes)
    # The 11 directions of the five-bar and the two ways in which its Jacobian is near a lower rank.
    assert classes["five-bar, assembled"]["kappa"] < 100
    assert math.log10(classes["five-bar near 90 deg"]["kappa"]) > 7
    with tempfile.TemporaryDirectory() as folder:
        path, picture = pathlib.Path(folder) / "pinv.json", pathlib.Path(folder) / "pinv.png"
        path.write_text(run.stdout, encoding="utf-8")
        plot = [sys.executable, str(source / "python" / "plot_pinv.py"), str(path), "-o", str(picture)]
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            print("no picture: matplotlib is not installed")
            return 0
        subprocess.run(plot, check=True, capture_output=True)
        assert picture.read_bytes()[:4] == b"\x89PNG"
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Steps a second in single and in double precision, in turn, without outputs: medians of their ratios.

    .venv/bin/python3 bench/python/precision.py [--program build/release/sarrus] [--repetitions 3] [--threads 1] [-o OUT.json]
"""

import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LATE = {"five_bar_monte_carlo": "2", "andrews": "0.01", "spatial_four_bar": "0.5"}

# Scenario, kernels, instances, further settings.
CASES = (
    ("five_bar_monte_carlo", "on", 32768, ["integrator.t_end=4"]),
    ("five_bar_monte_carlo", "on", 32768, ["integrator.t_end=4", "dynamics.projection=every_step"]),
    ("five_bar_monte_carlo", "off", 8192, ["integrator.t_end=4"]),
    ("andrews", "on", 4096, []),
    ("andrews", "off", 1024, []),
    ("spatial_four_bar", "on", 2048, ["integrator.t_end=0.5"]),
    ("spatial_four_bar", "off", 1024, ["integrator.t_end=0.5"]),
)


def rate(options, case, precision, folder):
    """Instance-steps a second of one run."""
    name, kernels, n_instances, settings = case
    scenario, out = ROOT / "scenarios" / f"{name}.yaml", pathlib.Path(folder) / "out.h5"
    command = [options.program, "run", str(scenario), "-o", str(out), "--json", "--backend", "cpu"]
    command += ["--threads", str(options.threads), "--specialize", kernels, "--instances", str(n_instances)]
    fixed = ["output.channels=[]", f"output.interval={LATE[name]}", "dynamics.formulation=relative"]
    for setting in [*fixed, f"integrator.precision={precision}", *settings]:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["instance_steps_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "sarrus"))
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("-o", "--output", help="the table as JSON")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            few = (*case[:2], 64, case[3])
            for precision in ("double", "single"):  # kernels for the plan are compiled and kept
                rate(options, few, precision, folder)
            pairs = [[rate(options, case, p, folder) for p in ("double", "single")] for _ in range(options.repetitions)]
            double, single = (statistics.median(column) for column in zip(*pairs, strict=True))
            ratio = statistics.median(s / d for d, s in pairs)
            rows.append({"scenario": case[0], "specialize": case[1], "settings": case[3]})
            rows[-1].update(double=double, single=single, ratio=ratio)
            print(f"{case[0]:22} {case[1]:4} {' '.join(case[3]):48} {double:9.3g} {single:9.3g} {ratio:6.2f}", flush=True)
    if options.output:
        table = {"machine": platform.processor() or platform.machine(), "threads": options.threads, "rows": rows}
        pathlib.Path(options.output).write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

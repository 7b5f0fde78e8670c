"""The bits of planar motions, against a table that was made before the kernels were rebuilt (planar_bits.txt beside this file): the
shipped scenarios, and every pseudoinverse, integrator and stabilization on some of them, on each instruction set that the processor
has. Whoever changes bits on purpose writes the table anew and says why. Exit code 77 (skipped) without a program or without h5py.

    test_planar_bits.py [--write]
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

from program import SOURCE, place

try:
    import h5py
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

TABLE = pathlib.Path(__file__).with_name("planar_bits.txt")
ISAS = ("avx512", "avx2", "baseline")

# How a scenario is shortened; what has no batch runs one instance.
SHORT = {
    "andrews": "integrator={method: rk4, dt: 4.0e-6, t_end: 4.0e-3}",
    "n_four_bar_40": "integrator={method: rk4, dt: 1.0e-3, t_end: 0.1}",
    "five_bar_monte_carlo": "integrator.t_end=0.3",
}
INTEGRATORS = {
    "rk4": "{method: rk4, dt: 2.0e-3, t_end: 1}",
    "rk4 bare": "{method: rk4, dt: 2.0e-3, t_end: 1, substeps: off}",
    "semi-implicit": "{method: semi-implicit, dt: 1.0e-3, t_end: 1}",
    "dopri5": "{method: dopri5, rtol: 1.0e-8, atol: 1.0e-8, t_end: 1}",
    "verner65": "{method: verner65, rtol: 1.0e-10, atol: 1.0e-10, t_end: 1}",
    "adams-moulton": "{method: adams-moulton, rtol: 1.0e-8, atol: 1.0e-8, t_end: 1}",
}
STABILIZATIONS = {
    "every step": "{projection: every_step}",
    "none": "{projection: none}",
    "tolerance": "{projection: {tolerance: 1.0e-6}}",
    "gains": "{projection: none, baumgarte: {alpha: 10, beta: 10}}",
    "step": "{projection: none, baumgarte: {rule: step}}",
}
METHODS = [
    "svd",
    "lapack",
    "jacobi",
    "varga",
    "greville",
    "householder",
    "mgs",
    "mgs2",
    "normal",
    "cholesky",
    "tikhonov",
    "truncated",
]
RULES = ["relative", "absolute", "gap", "tracked", "violation"]
BODIES = "udwadia-kalaba"
CHANNELS = "output={interval: 0.1, channels: [state, energy, constraint, rank, reactions, work]}"


def is_planar(path):
    """Whether a file holds one planar scenario. What several give together is what they give alone (test_mixed.py)."""
    return "\nspace: planar\n" in path.read_text(encoding="utf-8")


def cases():
    """(name, scenario, formulation, settings) of each motion: over bodies, and some over trees."""
    for path in sorted(filter(is_planar, (SOURCE / "scenarios").glob("*.yaml"))):
        yield path.stem, path.stem, BODIES, [SHORT.get(path.stem, "integrator.t_end=1")]
    for name in ("five_bar_monte_carlo", "driven_crank", "change_point"):
        for integrator, text in INTEGRATORS.items():
            yield f"{name}, {integrator}", name, BODIES, [f"integrator={text}", CHANNELS]
    for stabilization, text in STABILIZATIONS.items():
        for integrator in ("rk4", "dopri5"):
            settings = [f"integrator={INTEGRATORS[integrator]}", f"dynamics={text}", CHANNELS]
            yield f"slider_crank, {integrator}, {stabilization}", "slider_crank", BODIES, settings
    for method in METHODS:
        settings = [f"dynamics.pinv={method}", "integrator={method: rk4, dt: 2.0e-3, t_end: 0.1}", CHANNELS]
        yield f"five_bar_monte_carlo, {method}", "five_bar_monte_carlo", BODIES, settings
    for rule in RULES:
        rank = f"{{method: {rule}, tol: 1.0e-8}}" if rule != "tracked" else "{method: tracked}"
        settings = [f"dynamics.rank={rank}", "dynamics.pinv=svd", "integrator={method: rk4, dt: 2.0e-3, t_end: 0.1}", CHANNELS]
        yield f"five_bar_monte_carlo, svd, {rule}", "five_bar_monte_carlo", BODIES, settings
    for name in ("five_bar", "double_pendulum", "scotch_yoke"):
        for integrator in ("rk4", "dopri5"):
            yield f"{name}, {integrator}, tree", name, "relative", [f"integrator={INTEGRATORS[integrator]}", CHANNELS]


def hash_of(path):
    """All datasets but the scenario's text, and the draws in the unit interval, which came later: names, shapes, bytes. The times
    of changes of rank go by the name that they had then."""
    found = {}

    def take(name, item):
        if not isinstance(item, h5py.Dataset) or name == "scenario" or name.startswith("instance/unit/"):
            return
        data = item[()]
        text = b"\0".join(data.ravel().tolist()) if item.dtype.hasobject else data.tobytes()
        name = name.replace("event_time", "time")
        found[tuple(name.split("/"))] = f"{name} {item.shape} {item.dtype.kind}\n".encode() + text

    with h5py.File(path) as file:
        file.visititems(take)
    return hashlib.sha256(b"".join(found[name] for name in sorted(found))).hexdigest()[:16]


def measured(program, isa, folder):
    """{case: hash}; None when the processor lacks the instruction set."""
    # The C library's functions see the same processor everywhere: the given coordinates of a scenario come from them.
    environment = {**os.environ, "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX", "SARRUS_FORCE_ISA": isa}
    result = pathlib.Path(folder) / "bits.h5"
    hashes = {}
    for name, scenario, formulation, settings in cases():
        command = [program, "run", str(SOURCE / "scenarios" / f"{scenario}.yaml"), "--quiet", "-o", str(result)]
        command += ["--backend", "cpu", "--specialize", "off", "--instances", "11"]
        for setting in [*settings, f"dynamics.formulation={formulation}"]:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode == 4:
            return None
        if done.returncode > 1:
            hashes[name] = f"exit {done.returncode}: {done.stderr.splitlines()[0] if done.stderr else ''}"
            continue
        hashes[name] = hash_of(result)
    return hashes


def main():
    program = place()
    if program is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        found = {isa: measured(program, isa, folder) for isa in ISAS}
    lines = [f"{isa:8} {value} {name}" for isa in ISAS for name, value in (found[isa] or {}).items()]
    if "--write" in sys.argv[1:]:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{len(lines)} hashes written")
        return 0
    known = TABLE.read_text(encoding="utf-8").splitlines()
    known = [line for line in known if found[line.split()[0]] is not None]
    wrong = sorted(set(lines).symmetric_difference(known), key=lambda line: line.split(maxsplit=2)[2])
    print("\n".join(wrong))
    missing = [isa for isa in ISAS if found[isa] is None]
    print(f"{len(lines)} hashes, {len(wrong)} lines differ" + (f"; not here: {', '.join(missing)}" if missing else ""))
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main())

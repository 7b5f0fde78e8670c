"""Where memory is short `auto` holds fewer rows apart than there are (src/backend/cpu/cpu.c). An instance that has more in doubt
at a time, here 400 four-bars in a row that all pass their change points together, ends and says so: it must not go on with wrong
rows. Exit code 77 (skipped) without a program, h5py or the instruction set whose width the limit is made for.
"""

import importlib.util
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from program import SOURCE, place

try:
    import h5py
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

N_LOOPS, LIMIT = 400, 144 << 20


def scenario():
    spec = importlib.util.spec_from_file_location("make_n_four_bar", SOURCE / "scenarios" / "make_n_four_bar.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.scenario(N_LOOPS)


def main():
    program = place()
    if program is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path, result = pathlib.Path(folder) / "row.yaml", pathlib.Path(folder) / "row.h5"
        path.write_text(scenario(), encoding="utf-8")
        command = [program, "run", str(path), "-o", str(result), "--quiet", "--specialize", "off", "--threads", "1"]
        command += ["--backend", "cpu", "--set", "integrator={method: rk4, dt: 1.0e-2, t_end: 1}"]
        command += ["--set", "output={interval: 0.5, channels: [state]}"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env={**os.environ, "SARRUS_FORCE_ISA": "avx2"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)),
        )
        if done.returncode == 4:
            print("skipped: no AVX2 here")
            return 77
        print(done.stderr)
        assert "there is memory for" in done.stderr
        assert done.returncode == 1, done.returncode
        with h5py.File(result) as file:
            assert file["instance/status"][0] == 4, file["instance/status"][0]  # diverged
            assert 0.5 < file["instance/failed_time"][0] < 1.0
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""scripts/gpu_check on a GPU that is not there: stages, time limits, what is kept, and the exit codes."""

import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(os.environ.get("SARRUS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))

SMI = """#!/bin/sh
case "$1" in
    --query-gpu=*) echo 'NVIDIA H100 80GB HBM3, 580.1, 81559 MiB, 9.0, 1980 MHz, 700.00 W' ;;
    *) echo 'a table' ;;
esac
"""
# Runs what it is given, but for racecheck finds something.
SANITIZER = """#!/bin/sh
tool=$2
shift 6
[ "$tool" = racecheck ] && { echo '========= hazard'; exit 99; }
exec "$@"
"""
# One benchmark hangs, one run fails, all else prints its JSON.
PROGRAM = """#!/bin/sh
case "$*" in
    'bench pinv --backend cuda'*) sleep 60 ;;
    *cusolver-syev*) echo 'sarrus: no cuSOLVER' >&2; exit 4 ;;
    run*) echo '{"instance_steps_per_second": 3.0e8, "wall_seconds": 1.5, "output_share": 0.1, "specialization": RUN_KERNELS}' ;;
    list*) echo cuda ;;
    'bench step --backend cuda'*)
        echo '{"rows": [{"path": "fused", "kernels": "BENCH_KERNELS"}, {"path": "generic", "kernels": "off"}]}' ;;
    *) echo '{"rows": []}' ;;
esac
"""
NO_COMPILER = "CUDA's run-time compiler cannot be loaded: no libnvrtc.so.13"


def program(run_kernels=("ready", ""), step_share=1.0, bench_kernels="ready"):
    """The program, and what it says of kernels for a mechanism."""
    told = json.dumps({"state": run_kernels[0], "step_share": step_share, "note": run_kernels[1]}).replace("'", "'\\''")
    return PROGRAM.replace("RUN_KERNELS", told).replace("BENCH_KERNELS", bench_kernels.replace("'", "'\\''"))


# A CMake that configures where a compiler is, and builds the program; packages come over a network.
CMAKE = """#!/bin/sh
echo "cmake $*" >>"FOLDER/calls"
case "$1" in
    --build) mkdir -p build/release && cp FOLDER/program build/release/sarrus; exit ;;
esac
[ -e FOLDER/has_packages ] && exit
printf 'CMake Error at CMakeLists.txt:33 (message):\\n  Sarrus needs what was not found:\\n  HDF5.\\n\\n\\n-- Incomplete\\n' >&2
exit 1
"""
INSTALL = """#!/bin/sh
echo install >>"FOLDER/calls"
[ -e FOLDER/has_network ] && touch FOLDER/has_packages && exit
echo 'install_dependencies: apt-get failed (above)' >&2
exit 1
"""
TESTS = {"device.good": ("cuda", 0), "device.skipped": ("backend,cuda", 77), "host.good": ("core", 0), "host.bad": ("core", 1)}


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def make_bundle(root):
    shutil.copytree(ROOT / "scripts" / "launch", root / "bin")
    shutil.copy(ROOT / "scripts" / "gpu_check", root / "bin")
    script(root / "programs" / "sarrus", program())
    lines = []
    for name, (labels, code) in TESTS.items():
        script(root / "programs" / name, f"#!/bin/sh\nexit {code}\n")
        lines.append(f"{name}\t20\t77\t{labels}\t-\tprograms/{name}\n")
    (root / "tests").mkdir()
    (root / "tests" / "list").write_text("".join(lines), encoding="utf-8")
    (root / "lib").mkdir()
    (root / "lib" / "cxx").mkdir()
    (root / "lib" / "cxx" / "needs_glibc").write_text("9.99\n", encoding="utf-8")
    (root / "lib" / "needs_glibc").write_text("2.17\n", encoding="utf-8")
    (root / "lib" / "needs_machine").write_text(os.uname().machine + "\n", encoding="utf-8")
    (root / "manifest.txt").write_text("a bundle for a test\n", encoding="utf-8")


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


class Trial(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.bundle, self.out, self.tools = self.folder / "bundle", self.folder / "out", self.folder / "tools"
        make_bundle(self.bundle)
        script(self.tools / "nvidia-smi", SMI)
        script(self.tools / "compute-sanitizer", SANITIZER)
        self.check = self.bundle / "bin" / "gpu_check"

    def start(self, *options):
        command = [sys.executable, self.check, "--quick", "--out", self.out, "--instances", "100", *options]
        environment = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}"}
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def run_check(self, *options):
        process = self.start(*options)
        stdout, stderr = process.communicate(timeout=120)
        return process.returncode, stdout, stderr

    def read(self, what):
        return json.loads((self.out / f"gpu_h100_80gb_hbm3_{what}.json").read_text(encoding="utf-8"))

    def verdicts(self):
        return {name: one["verdict"] for name, one in self.read("check")["verdicts"].items()}


class Bundle(Trial):
    """All stages, in a bundle."""

    def test_no_gpu(self):
        if has_driver():
            self.skipTest("this machine has a driver")
        script(self.tools / "nvidia-smi", "#!/bin/sh\necho 'NVIDIA-SMI has failed' >&2\nexit 9\n")
        code, _, stderr = self.run_check()
        self.assertEqual(code, 4)
        self.assertIn("no NVIDIA GPU", stderr)
        self.assertFalse(self.out.exists())

    def test_all_stages(self):
        code, stdout, stderr = self.run_check("--stage-limit", "6")
        self.assertEqual(code, 1, stderr)
        verdicts = self.verdicts()
        expected = {"device": "ok", "build": "left out", "tests-cuda": "ok", "step": "ok", "pinv": "failed", "main-job": "failed",
                    "memcheck": "ok", "racecheck": "failed", "initcheck": "ok", "tests": "failed"}  # fmt: skip
        self.assertEqual({name: verdicts[name] for name in expected}, expected, stdout)
        state = self.read("check")
        self.assertEqual(state["device"]["name"], "NVIDIA H100 80GB HBM3")
        self.assertEqual(state["tests_host"]["failed"], ["host.bad"])
        self.assertIn("1 of them skipped", state["verdicts"]["memcheck"]["note"])
        self.assertEqual([one["why"] for one in state["racecheck"]["found"]], ["exit code 99"] * 2)
        # What hung was cut, and what came behind it was still measured.
        hung, cpu = self.read("pinv")["runs"]
        self.assertIsNone(hung["exit_code"])
        self.assertEqual(cpu["report"], {"rows": []})
        self.assertEqual(len(self.read("step")["runs"]), 6)
        self.assertEqual([row.get("error") for row in self.read("step")["runs"]], [None] * 6)
        runs = {row["name"]: row for row in self.read("main_job")["runs"]}
        self.assertEqual(runs["staged, cusolver-syev"]["error"], "sarrus: no cuSOLVER")
        self.assertEqual(runs["fused, specialized"]["report"]["instance_steps_per_second"], 3.0e8)
        self.assertGreater(runs["disk"]["report"]["bytes_per_second"], 0)
        summary = (self.out / "gpu_h100_80gb_hbm3_summary.md").read_text(encoding="utf-8")
        self.assertIn("| fused, specialized | 3e+08 |", summary)
        self.assertIn("| racecheck | failed |", summary)

    def test_not_specialized(self):
        """A run that asks for kernels for its mechanism and goes on without them fails its stage, with the program's reason."""
        (self.tools / "cc").symlink_to("/bin/true")
        script(self.bundle / "programs" / "sarrus", program(("failed", NO_COMPILER), 0.0, f"failed: {NO_COMPILER}"))
        code, stdout, _ = self.run_check("--stage", "step", "--stage", "main-job")
        self.assertEqual(code, 1)
        told = f"not specialized: failed: {NO_COMPILER}"
        verdicts = self.read("check")["verdicts"]
        self.assertEqual(verdicts["step"]["verdict"], "failed")
        self.assertEqual(verdicts["step"]["note"], f"five_bar, cuda, andrews, cuda, four_bar, cuda: {told}")
        self.assertIn(
            f"fused, specialized, fused, a tenth of the instances, cpu, specialized: {told}", verdicts["main-job"]["note"]
        )
        self.assertIn(told, stdout)
        runs = {row["name"]: row for row in self.read("main_job")["runs"]}
        self.assertEqual(runs["fused, specialized"]["error"], told)
        self.assertNotIn("error", runs["fused, generic"])
        self.assertNotIn("error", runs["no output"])

    def test_specialized_in_name_only(self):
        """Kernels that were there and made no step; a mechanism that is too large for them, which is no fault."""
        script(self.bundle / "programs" / "sarrus", program(step_share=0.0, bench_kernels="unsupported: too large"))
        code, _, _ = self.run_check("--stage", "step", "--stage", "main-job")
        self.assertEqual(code, 1)
        self.assertEqual(self.verdicts(), {"step": "ok", "main-job": "failed"})
        self.assertIn("not specialized: ready", self.read("check")["verdicts"]["main-job"]["note"])

    def test_stages_add_up(self):
        code, _, stderr = self.run_check("--stage", "device", "--stage", "tests-cuda")
        self.assertEqual(code, 0, stderr)
        self.assertEqual(set(self.verdicts()), {"device", "tests-cuda"})
        began = self.read("check")["verdicts"]["device"]["date"]
        (self.bundle / "programs" / "host.bad").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        code, stdout, _ = self.run_check("--resume", "--stage", "device", "--stage", "tests")
        self.assertEqual(code, 0)
        self.assertNotIn("---- device", stdout)
        self.assertEqual(self.verdicts(), {"device": "ok", "tests-cuda": "ok", "tests": "ok"})
        self.assertEqual(self.read("check")["verdicts"]["device"]["date"], began)

    def test_whole_limit(self):
        code, _, _ = self.run_check("--limit", "3", "--stage", "pinv", "--stage", "tests-cuda")
        self.assertEqual(code, 1)
        self.assertEqual(self.verdicts(), {"pinv": "failed", "tests-cuda": "left out"})

    def test_device_of_no_use(self):
        """A GPU that nvidia-smi shows and the programs cannot use is not taken for a success."""
        script(self.bundle / "programs" / "device.good", "#!/bin/sh\nexit 77\n")
        code, _, _ = self.run_check("--stage", "tests-cuda", "--stage", "memcheck")
        self.assertEqual(code, 1)
        self.assertEqual(self.verdicts(), {"tests-cuda": "failed", "memcheck": "left out"})

    def test_stopped(self):
        process = self.start("--stage", "device", "--stage", "pinv")
        deadline = time.monotonic() + 60
        while "---- pinv" not in process.stdout.readline():
            self.assertLess(time.monotonic(), deadline)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertEqual(self.verdicts(), {"device": "ok", "pinv": "left out"})

    def test_old_system(self):
        """A system older than the bundle is told so, in words."""
        (self.bundle / "lib" / "needs_glibc").write_text("9.99\n", encoding="utf-8")
        said = subprocess.run([self.bundle / "bin" / "sarrus", "--version"], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 126)
        self.assertIn("needs glibc 9.99 or newer, and this system has", said.stderr)
        said = subprocess.run([self.bundle / "bin" / "run_tests"], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 126)
        self.assertIn("needs glibc 9.99", said.stderr)
        script(self.tools / "uname", "#!/bin/sh\necho sparc64\n")
        environment = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}"}
        said = subprocess.run([self.bundle / "bin" / "sarrus"], capture_output=True, text=True, env=environment, check=False)
        self.assertEqual(said.returncode, 126)
        self.assertIn("this machine is sparc64", said.stderr)


class Checkout(Trial):
    """The build of a checkout, with and without what it needs."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "checkout"
        (self.root / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "scripts" / "gpu_check", self.root / "scripts")
        script(self.root / "scripts" / "install_dependencies", INSTALL.replace("FOLDER", str(self.folder)))
        script(self.folder / "program", program())
        script(self.tools / "cmake", CMAKE.replace("FOLDER", str(self.folder)))
        script(self.tools / "ninja", "#!/bin/sh\n")
        self.check = self.root / "scripts" / "gpu_check"

    def calls(self):
        path = self.folder / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def note(self):
        return self.read("check")["verdicts"]["build"]["note"]

    def test_nothing_to_install(self):
        (self.folder / "has_packages").touch()
        code, stdout, stderr = self.run_check("--stage", "build", "--stage", "step")
        self.assertEqual(code, 0, stdout + stderr)
        self.assertEqual(self.calls(), ["cmake --preset release -DSARRUS_CUDA=ON", "cmake --build --preset release"])

    def test_packages_installed(self):
        (self.folder / "has_network").touch()
        code, stdout, _ = self.run_check("--stage", "build")
        self.assertEqual(code, 0, stdout)
        self.assertEqual([call.split()[0] for call in self.calls()], ["cmake", "install", "cmake", "cmake"])

    def test_no_network(self):
        code, _, _ = self.run_check("--stage", "build", "--stage", "step")
        self.assertEqual(code, 1)
        self.assertEqual(self.verdicts(), {"build": "failed", "step": "failed"})
        self.assertIn("cmake: Sarrus needs what was not found: HDF5.; scripts/install_dependencies: ", self.note())
        self.assertIn("apt-get failed (above); without a network: scripts/bundle on a machine with one", self.note())
        self.assertIn("scripts/gpu_check --bundle FILE", self.note())
        self.assertNotIn("--no-build", self.note())
        self.assertIn("build/release/sarrus is not there", self.read("check")["verdicts"]["step"]["note"])

    def test_install_hangs(self):
        script(self.root / "scripts" / "install_dependencies", "#!/bin/sh\nsleep 60\n")
        began = time.monotonic()
        code, _, _ = self.run_check("--stage", "build", "--stage-limit", "3")
        self.assertEqual(code, 1)
        self.assertLess(time.monotonic() - began, 30)
        self.assertIn("cut off after", self.note())
        self.assertIn("--bundle FILE", self.note())

    def test_as_it_is(self):
        script(self.root / "build" / "release" / "sarrus", program())
        code, stdout, _ = self.run_check("--no-build", "--stage", "build", "--stage", "step")
        self.assertEqual(code, 0, stdout)
        self.assertEqual(self.verdicts(), {"build": "left out", "step": "ok"})
        self.assertEqual(self.calls(), [])
        code, _, _ = self.run_check("--stage", "build")
        self.assertEqual(code, 1)
        self.assertIn("--no-build checks build/release as it is", self.note())


if __name__ == "__main__":
    unittest.main()

"""scripts/check_rooms finds each kind of fault it is there for, and lets good code pass."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("SARRUS_SOURCE_DIR", Path(__file__).resolve().parents[2]))

# A file in every room there has to be.
ROOMS = {
    f"{room}/room.h": "int room;\n"
    for room in [
        *["src/core", "src/model", "src/scenario", "src/plan", "src/kinematics", "src/jit"],
        *["src/backend/cpu", "src/backend/cuda", "src/pinv"],
        *["src/batch", "src/sink", "src/study", "src/edge", "src/cli"],
        *["kernels/lane", "kernels/space", "kernels/body", "kernels/pinv", "kernels/formulation", "kernels/step"],
        *["kernels/cpu", "kernels/cuda"],
    ]
}

GOOD = ROOMS | {
    "include/sarrus/a.h": '#include <stdint.h>\n#include "sarrus/b.h"\n',
    "src/batch/a.c": '#include <stdio.h>\n#include "batch/a.h"\n#include "core/report.h"\n#include "kernels/step/rk4.h"\n',
    "src/sink/a.c": '/* printf( and exit( in a comment are fine */\nconst char *text = "getenv(";\n',
    "src/cli/main.c": '#include "scenario/read.h"\nint main(void) {\n    puts("hello");\n    return 0;\n}\n',
    "src/edge/a.c": 'void f(void) {\n    puts(getenv("TERM"));\n}\n',
    "bench/step/a.c": '#include "bench/step/a.h"\n#include "edge/json.h"\n#include "kernels/step/rk4.h"\n',
    "kernels/body/a.h": '#ifndef A_H\n#include <stdint.h>\n#include "sarrus/status.h"\nconst double *t; /* plan */\n#endif\n',
    "kernels/cpu/avx2.c": '#include "kernels/body/a.h"\n#ifdef __AVX2__\n#endif\n',
    "src/backend/pace.h": '#include "core/report.h"\n',
    "src/backend/cpu/cpu.c": '#include "backend/cpu/cpu.h"\n#include "backend/pace.h"\n',
    "src/backend/cuda/cuda.c": '#include "backend/cuda/cuda.h"\n#include "backend/pace.h"\n',
    "tests/plan/fixture.h": '#include <cmocka.h>\n#include "plan/plan.h"\n#include "kernels/step/rk4.h"\n',
    "tests/plan/test_a.c": '#include "fixture.h"\n#include "tests/cli/program.h"\n#include "bench/multiprecision.h"\n',
    "tests/support/a.c": '#include "tests/support/a.h"\n#include "tests/tolerances.h"\n',
    "bench/a.c": '#include "bench/a.h"\n#include "plan/plan.h"\n#include "kernels/step/rk4.h"\n#include "sarrus/plan.h"\n',
    # A module's own header makes no circle, and neither do two that include a third.
    "src/plan/a.h": '#include "plan/b.h"\n#include "plan/c.h"\n',
    "src/plan/a.c": '#include "plan/a.h"\n',
    "src/plan/b.h": '#include "plan/c.h"\n',
    "src/plan/c.h": "int c;\n",
}

# File, its text, line of the fault, a part of the message.
BAD = [
    ("src/core/a.c", '#include "model/model.h"\n', 1, "to its right"),
    ("src/study/a.c", '\n#include "cli/a.h"\n', 2, "to its right"),
    ("src/edge/a.c", '#include "cli/a.h"\n', 1, "to its right"),
    ("src/cli/a.c", '#include "bench/a.h"\n', 1, "is in no room"),
    ("bench/step/a.c", '#include "cli/a.h"\n', 1, "is in src/edge"),
    ("src/sink/a.c", '#include "kernels/lane/lane.h"\n', 1, "may not include kernels/"),
    ("src/model/a.c", '#include "model.h"\n', 1, "names no room"),
    ("src/extra/a.c", "int a;\n", 1, "is not a room"),
    ("src/plan/a.c", 'void f(void) {\n    printf("x");\n}\n', 2, "'printf' in the library"),
    ("src/plan/a.c", 'char *f(void) {\n    return getenv("X");\n}\n', 2, "'getenv' in the library"),
    ("include/sarrus/a.h", '#include "core/report.h"\n', 1, "public header"),
    ("kernels/lane/a.h", '#include "kernels/body/a.h"\n', 1, "kernels/lane may include"),
    ("kernels/body/a.h", '#include "kernels/cpu/a.h"\n', 1, "which expands it"),
    ("kernels/pinv/a.h", '#include "sarrus/plan.h"\n', 1, "include those of words only"),
    ("kernels/step/a.h", '#include "plan/plan.h"\n', 1, '"kernels/..." only'),
    ("kernels/step/a.h", "#include <math.h>\n", 1, "<math.h> in kernels/step"),
    ("kernels/body/a.h", "#ifdef __CUDACC__\n#endif\n", 1, "condition on the target"),
    ("kernels/formulation/a.h", "#if defined(__AVX2__)\n#endif\n", 1, "condition on the target"),
    ("kernels/body/a.h", "\n\nstatic double x;\n", 3, "plain floating-point type"),
    ("kernels/body/a.h", "void f(void) {\n    malloc(1);\n}\n", 2, "'malloc' in a kernel body"),
    ("src/core/a.c", "#if 0\n#endif\n", 1, "#if 0"),
    ("src/core/utils.c", "int a;\n", 1, "says nothing"),
    ("src/core/a.c", "int a;\n" * 601, 601, "601 lines"),
    ("src/core/a.c", "/* " + "a" * 140 + " */\n", 1, "columns"),
    ("src/model/a.cpp", "/* " + "a" * 140 + " */\n", 1, "columns"),
    ("src/backend/cpu/a.c", '#include "backend/cuda/gpu.h"\n', 1, "what both need stands in src/backend"),
    ("src/backend/cuda/a.c", '#include "backend/cpu/cpu.h"\n', 1, "what both need stands in src/backend"),
    ("tests/plan/test_b.c", '\n#include "stranger.h"\n', 2, "neither beside this file nor in a room"),
    ("tests/plan/test_b.c", '#include "extra/a.h"\n', 1, "neither beside this file nor in a room"),
    ("tests/support/b.c", '#include "tests/plan/fixture.h"\n', 1, "tests/support, which knows no test"),
    ("bench/b.c", '#include "tests/plan/fixture.h"\n', 1, "may not include tests"),
    ("bench/b.c", '#include "stranger.h"\n', 1, "neither beside this file nor in a room"),
]

# Files that include one another in a circle; where that is said, and how.
CIRCLES = [
    (
        {
            "src/plan/x.c": '#include "plan/x.h"\n\n#include "plan/y.h"\n',
            "src/plan/x.h": "int x;\n",
            "src/plan/y.h": '#include "plan/x.h"\n',
        },
        "src/plan/x.c:3: error: a circle of modules: src/plan/x -> src/plan/y -> src/plan/x",
    ),
    (
        {
            "kernels/cuda/x.cu": '#include "kernels/cuda/y.cuh"\n',
            "kernels/cuda/y.cuh": '#include "kernels/cuda/z.h"\n',
            "kernels/cuda/z.h": '#include "kernels/cuda/x.cuh"\n',
            "kernels/cuda/x.cuh": "int x;\n",
        },
        "kernels/cuda/x.cu:1: error: a circle of modules: kernels/cuda/x -> kernels/cuda/y -> kernels/cuda/z -> kernels/cuda/x",
    ),
    (
        {"tests/plan/x.h": '#include "y.h"\n', "tests/plan/y.cpp": '#include "tests/plan/x.h"\n', "tests/plan/y.h": "int y;\n"},
        "tests/plan/x.h:1: error: a circle of modules: tests/plan/x -> tests/plan/y -> tests/plan/x",
    ),
]


def run_check(files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        command = [sys.executable, str(ROOT / "scripts/check_rooms"), folder]
        return subprocess.run(command, capture_output=True, text=True, check=False)


class CheckRooms(unittest.TestCase):
    def test_good_tree_passes(self) -> None:
        result = run_check(GOOD)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "check_rooms: 0 errors, 0 warnings\n")

    def test_each_fault_is_found_at_its_line(self) -> None:
        for name, text, line, message in BAD:
            with self.subTest(file=name, message=message):
                result = run_check(GOOD | {name: text})
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                found = [row for row in result.stdout.splitlines() if row.startswith(f"{name}:{line}: error: ")]
                self.assertTrue(any(message in row for row in found), result.stdout)

    def test_circles_of_modules_are_found(self) -> None:
        for files, message in CIRCLES:
            with self.subTest(message=message):
                result = run_check(GOOD | files)
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertEqual(result.stdout.splitlines(), [message, "check_rooms: 1 errors, 0 warnings"])

    def test_rooms_that_are_listed_are_there(self) -> None:
        for room in ("src/jit", "src/backend/cuda", "kernels/step"):
            with self.subTest(room=room):
                result = run_check({name: text for name, text in GOOD.items() if not name.startswith(room + "/")})
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertIn(f"{room}:1: error: no such room", result.stdout)

    def test_long_function_is_a_warning(self) -> None:
        result = run_check(ROOMS | {"src/core/a.c": "int f(void);\nint f(void) {\n" + "    g();\n" * 60 + "}\n"})
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("src/core/a.c:2: warning: the function has 62 lines", result.stdout)


if __name__ == "__main__":
    unittest.main()

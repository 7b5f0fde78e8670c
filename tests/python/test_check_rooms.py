"""scripts/check_rooms finds each kind of fault it is there for, and lets good code pass."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("SARRUS_SOURCE_DIR", Path(__file__).resolve().parents[2]))

GOOD = {
    "include/sarrus/a.h": '#include <stdint.h>\n#include "sarrus/b.h"\n',
    "src/batch/a.c": '#include <stdio.h>\n#include "batch/a.h"\n#include "core/report.h"\n#include "kernels/step/rk4.h"\n',
    "src/sink/a.c": '/* printf( and exit( in a comment are fine */\nconst char *text = "getenv(";\n',
    "src/cli/main.c": '#include "scenario/read.h"\nint main(void) {\n    puts("hello");\n    return 0;\n}\n',
    "src/edge/a.c": 'void f(void) {\n    puts(getenv("TERM"));\n}\n',
    "bench/step/a.c": '#include "bench/step/a.h"\n#include "edge/json.h"\n#include "kernels/step/rk4.h"\n',
    "kernels/body/a.h": '#ifndef A_H\n#include <stdint.h>\n#include "sarrus/status.h"\nconst double *t; /* plan */\n#endif\n',
    "kernels/cpu/avx2.c": '#include "kernels/body/a.h"\n#ifdef __AVX2__\n#endif\n',
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

    def test_long_function_is_a_warning(self) -> None:
        result = run_check({"src/core/a.c": "int f(void);\nint f(void) {\n" + "    g();\n" * 60 + "}\n"})
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("src/core/a.c:2: warning: the function has 62 lines", result.stdout)


if __name__ == "__main__":
    unittest.main()

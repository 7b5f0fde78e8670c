"""What is installed, as those see it who link it: libraries, headers, what finds them, documents.

The build beside the program is installed, and the prefix then moved, so that nothing in it may know where it was made. The printed
examples of docs/api.md are built and run as C and as C++, with the shared and the static library, by pkg-config and by CMake. Exit
code 77 (skipped) without a compiler, nm, readelf or pkg-config."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("SARRUS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("SARRUS_PROGRAM", SOURCE / "build" / "release" / "sarrus")).parent
HERE = SOURCE / "tests" / "install"
PAGE = SOURCE / "docs" / "api.md"
NEEDED = ("cc", "c++", "nm", "readelf", "pkg-config", "cmake")
# Of the printed examples; C++17 has no designated initializers.
STANDARDS = {"c": ["cc", "-std=gnu11", "-x", "c"], "cpp": ["c++", "-std=c++20", "-x", "c++"]}


def run(*command, cwd=None, env=None, code=0):
    """Standard output of a command, which is to end with `code`."""
    said = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=120, cwd=cwd,
                          env=os.environ | (env or {}))  # fmt: skip
    assert said.returncode == code, f"{' '.join(map(str, command))}: {said.returncode}\n{said.stdout}{said.stderr}"
    return said.stdout


def printed(language):
    """The blocks of that language in docs/api.md."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def printed_program():
    return next(block for block in printed("c") if "int main(" in block)


def examples():
    """tests/install/examples.c.in with the printed examples, each of which it has to have a place for."""
    left = [block for block in printed("c") if "int main(" not in block]

    def example(mark):
        found = [block for block in left if mark[1] in block]
        assert len(found) == 1, f"docs/api.md: {len(found)} examples with '{mark[1]}'; tests/install/examples.c.in expects one"
        left.remove(found[0])
        return found[0]

    text = re.sub(r"@example (\S+)@", example, (HERE / "examples.c.in").read_text(encoding="utf-8").partition("*/")[2])
    assert not left, f"docs/api.md: no place in tests/install/examples.c.in for this example:\n{left[0]}"
    return text


def declared_functions():
    """Of each public header the functions that it declares."""
    found = {}
    for header in sorted((SOURCE / "include" / "sarrus").glob("*.h")):
        text = re.sub(r"/\*.*?\*/|^#.*?[^\\]$", "", header.read_text(encoding="utf-8"), flags=re.S | re.M)
        statements = re.split(r"[;{}]", text)
        names = [re.search(r"\b(\w+)\([^()]*(?:\([^()]*\)[^()]*)*\)\s*$", s) for s in statements if "typedef" not in s]
        found[header.name] = [match[1] for match in names if match]
    return found


class Prefix:
    """An installed tree, all of it or some components, that was moved after it was installed."""

    def __init__(self, folder, name, components=()):
        first = folder / f"{name} before"
        for component in components or (None,):
            run("cmake", "--install", BUILD, "--prefix", first, *(["--component", component] if component else []))
        self.root = folder / name
        first.rename(self.root)
        self.pc = next(self.root.rglob("sarrus.pc")).parent
        self.lib = self.pc.parent
        # `alone`: modules of this prefix and no others.
        self.env = {"PKG_CONFIG_PATH": str(self.pc), "LD_LIBRARY_PATH": str(self.lib)}
        self.alone = self.env | {"PKG_CONFIG_LIBDIR": str(self.pc)}

    def flags(self, *arguments, env=None):
        return run("pkg-config", "--cflags", "--libs", *arguments, env=env or self.env).split()


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.all = Prefix(cls.folder, "all")
        cls.static = Prefix(cls.folder, "static", ("static", "development"))
        for name in ("linkage.yaml", "mixed.yaml"):
            shutil.copy(HERE / name, cls.folder)
        (cls.folder / "own.c").write_text(printed_program(), encoding="utf-8")
        (cls.folder / "own.cpp").write_text(printed_program(), encoding="utf-8")
        (cls.folder / "examples.c").write_text(examples(), encoding="utf-8")

    def built_with(self, program, shared):
        """Whether the program asks for libsarrus.so of this version is as expected."""
        needed = re.findall(r"NEEDED.*\[(libsarrus\S*)\]", run("readelf", "-d", program))
        version = run("pkg-config", "--modversion", "sarrus", env=self.all.env).strip()
        major, minor, _ = version.split(".")
        soname = f"libsarrus.so.{major}.{minor}" if major == "0" else f"libsarrus.so.{major}"
        self.assertEqual(needed, [soname] if shared else [])

    def run_own(self, program, prefix):
        scenario = SOURCE / "scenarios" / "pendulum.yaml"
        said = run(program, scenario, cwd=self.folder, env=prefix.env)
        self.assertRegex(said, r"^pendulum: t = 10 s, energy within \d\.\de-\d+\n$")

    def test_exports_are_what_the_headers_declare(self):
        """And their version is that of the SONAME; nothing of ours inside, of LAPACK or of C++ is seen."""
        functions = {name for names in declared_functions().values() for name in names}
        self.assertGreater(len(functions), 90)
        exported = [line.split() for line in run("nm", "-D", "--defined-only", self.all.lib / "libsarrus.so").splitlines()]
        nodes = {name for _, kind, name in exported if kind == "A"}
        names = [name.partition("@@") for _, kind, name in exported if kind != "A"]
        self.assertEqual({name for name, _, _ in names}, functions)
        self.assertEqual({node for _, _, node in names}, nodes)
        soname = re.search(r"SONAME.*\[libsarrus\.so\.(\S+)\]", run("readelf", "-d", self.all.lib / "libsarrus.so"))[1]
        self.assertEqual(nodes, {f"SARRUS_{soname}"})
        self.assertTrue((self.all.lib / f"libsarrus.so.{soname}").exists())

    def test_headers_alone(self):
        """Each by itself, without a warning, in C and in C++; all of their functions are found by a program of C++."""
        folder, tree = self.all.root / "include" / "sarrus", SOURCE / "include" / "sarrus"
        self.assertEqual({path.name for path in folder.iterdir()}, {path.name for path in tree.iterdir()})
        compilers = [["cc", "-std=c11", "-x", "c"], ["c++", "-std=c++17", "-x", "c++"]]
        if shutil.which("clang++"):
            compilers += [["clang", *compilers[0][1:]], ["clang++", *compilers[1][1:]]]
        for header, functions in declared_functions().items():
            source = self.folder / "alone.c"
            source.write_text(f'#include "sarrus/{header}"\n', encoding="utf-8")
            for compiler in compilers:
                with self.subTest(header=header, compiler=compiler):
                    run(*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{folder.parent}", "-fsyntax-only", source)
            if header != "sarrus.h" and functions:
                self.assertIn('extern "C" {', (folder / header).read_text(encoding="utf-8"), header)
        names = [name for names in declared_functions().values() for name in names]
        source.write_text('#include "sarrus/sarrus.h"\nvoid (*const functions[])() = {\n'
                          + "".join(f"    reinterpret_cast<void (*)()>(&{name}),\n" for name in names)
                          + "};\nint main() {\n    return functions[0] == nullptr;\n}\n", encoding="utf-8")  # fmt: skip
        run("c++", "-std=c++11", "-x", "c++", source, "-o", self.folder / "all_functions", *self.all.flags("sarrus"))
        run(self.folder / "all_functions", env=self.all.env)

    def test_printed_commands(self):
        """pkg-config and the shared library, where no other module is known to pkg-config."""
        commands = next(block for block in printed("sh") if "pkg-config" in block)
        self.assertEqual(len(commands.splitlines()), 2)
        for command in commands.splitlines():
            with self.subTest(command=command):
                run("sh", "-c", command, cwd=self.folder, env=self.all.alone)
                self.built_with(self.folder / "own", shared=True)
                self.run_own(self.folder / "own", self.all)

    def test_examples(self):
        """The examples as C and as C++, shared and static, by pkg-config."""
        for language, compiler in STANDARDS.items():
            for prefix, module in ((self.all, ["sarrus"]), (self.all, ["sarrus-static"]), (self.static, ["--static", "sarrus"])):
                with self.subTest(language=language, module=module):
                    program = self.folder / "examples"
                    run(*compiler, "-Wall", "-Wno-unused-result", "-Werror", "examples.c", "-x", "none", "-o", program,
                        *prefix.flags(*module), "-lm", cwd=self.folder)  # fmt: skip
                    self.built_with(program, shared=module == ["sarrus"])
                    run(program, cwd=self.folder, env=prefix.env)

    def test_shipped_example(self):
        """The complete program that the page quotes."""
        source = SOURCE / "tests" / "api" / "test_example_step_batch.c"
        for language, compiler in STANDARDS.items():
            with self.subTest(language=language):
                program = self.folder / "step_batch"
                run(*compiler, source, "-x", "none", "-o", program, *self.all.flags("sarrus"), "-lm")
                run(program, env=self.all.env)

    def configure(self, name, prefix, languages, text, code=0):
        folder = self.folder / name
        folder.mkdir()
        for source in ("own.c", "own.cpp", "examples.c"):
            shutil.copy(self.folder / source, folder)
        text = f"cmake_minimum_required(VERSION 3.25)\nproject(own LANGUAGES {languages})\n{text}"
        (folder / "CMakeLists.txt").write_text(text, encoding="utf-8")
        command = ("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix.root}")
        run(*command, cwd=folder, env={"PKG_CONFIG_PATH": ""}, code=code)
        if code == 0:
            run("cmake", "--build", folder / "build")
        return folder / "build"

    def test_find_package_shared(self):
        """As printed; of C, and of C++."""
        (text,) = printed("cmake")
        for language, suffix in (("C", "c"), ("CXX", "cpp")):
            with self.subTest(language=language):
                build = self.configure(f"shared_{suffix}", self.all, language, text.replace("own.c", f"own.{suffix}"))
                self.built_with(build / "own", shared=True)
                self.run_own(build / "own", self.all)

    def test_find_package_static(self):
        """With both libraries there, asked for by name; and where nothing but the static one is installed."""
        text = printed("cmake")[0]
        both = text.replace("REQUIRED", "REQUIRED COMPONENTS static").replace("sarrus::sarrus", "sarrus::sarrus_static")
        both += "add_executable(own_cpp own.cpp)\ntarget_link_libraries(own_cpp PRIVATE sarrus::sarrus_static)\n"
        build = self.configure("static_both", self.all, "C CXX", both)
        for program in ("own", "own_cpp"):
            self.built_with(build / program, shared=False)
            self.run_own(build / program, self.static)
        for language, suffix in (("C", "c"), ("CXX", "cpp")):
            build = self.configure(f"static_{suffix}", self.static, language, text.replace("own.c", f"own.{suffix}"))
            self.built_with(build / "own", shared=False)
            self.run_own(build / "own", self.static)

    def test_find_package_refuses(self):
        """What is not there: the shared library in the static prefix, a version to come, an unknown component."""
        for i, (prefix, wanted) in enumerate(((self.static, "REQUIRED COMPONENTS shared"), (self.all, "99.0 REQUIRED"),
                                              (self.all, "REQUIRED COMPONENTS python"))):  # fmt: skip
            with self.subTest(wanted=wanted):
                self.configure(f"refused_{i}", prefix, "C", f"find_package(sarrus {wanted})\n", code=1)

    def test_knows_nothing_of_its_build(self):
        """No folder of the build or of the sources is in what finds the libraries, nor in what the loader looks at."""
        texts = [*self.all.root.rglob("*.pc"), *self.all.root.rglob("*.cmake")]
        self.assertGreaterEqual(len(texts), 8)
        for path in texts:
            text = path.read_text(encoding="utf-8")
            self.assertFalse([place for place in (SOURCE, BUILD, self.folder) if str(place) in text], path)
        for binary in (self.all.root / "bin" / "sarrus", self.all.lib / "libsarrus.so"):
            self.assertNotRegex(run("readelf", "-d", binary), r"\((RPATH|RUNPATH|TEXTREL)\)")

    def test_documents(self):
        """Pages, scenarios and the license; a scenario that was installed runs by the program that was."""
        share = self.all.root / "share"
        for name in ("README.md", "CHANGELOG.md", "LICENSE", "docs/api.md", "docs/scenario.md", "docs/decisions/README.md"):
            self.assertTrue((share / "doc" / "sarrus" / name).is_file(), name)
        names = {path.name for path in (SOURCE / "scenarios").glob("*.yaml")}
        self.assertEqual({path.name for path in (share / "sarrus" / "scenarios").iterdir()}, names)
        program = self.all.root / "bin" / "sarrus"
        self.assertIn("degrees of freedom      1", run(program, "check", share / "sarrus" / "scenarios" / "four_bar.yaml"))

    def test_man_page(self):
        """Tells of every command and option that --help tells of, and of no others."""
        program = self.all.root / "bin" / "sarrus"
        page = (self.all.root / "share" / "man" / "man1" / "sarrus.1").read_text(encoding="utf-8")
        usage = run(program, "--help")
        commands = re.findall(r"^  (\w+) ", usage, re.M)
        self.assertIn("run", commands)
        self.assertEqual(re.findall(r"^\.It Cm (\w+) Ar", page, re.M), commands)
        helps = usage + "".join(run(program, command, "--help") for command in commands)
        options = set(re.findall(r"--([a-z-]+)", helps)) | set(re.findall(r"^  -(\w),", helps, re.M))
        spoken = set(re.findall(r"Fl (-?[\w-]+)", page)) - {"-"}
        self.assertEqual({option.removeprefix("-") for option in spoken} - {"V"}, options)
        if shutil.which("mandoc"):
            run("mandoc", "-T", "lint", "-W", "error", self.all.root / "share" / "man" / "man1" / "sarrus.1")


if __name__ == "__main__":
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing or not BUILD.is_dir():
        print(f"skipped: there is no {', '.join(missing) or BUILD}")
        sys.exit(77)
    unittest.main()

"""Claim: a run of several scenarios gives each instance the bits that it has when its scenario is run alone, in a group that is
laid out as a file of that run; its instances are replayed by the command that it prints; and a run that is stopped, or whose disk
is full, leaves what was committed of every group.

The example of scenarios/ is among them. Exit code 77 (skipped) without a program or without h5py."""

import json
import os
import pathlib
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from program import SOURCE, place

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

# Springs that push: some instances diverge, each at a time of its own.
PUSHED = """\
sarrus: 1
name: pushed
space: planar
gravity: [0, -9.81]
parameters: {k: 0.0}
bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]
joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: "=k"}]
integrator: {method: verner65, t_end: 7}
batch: {instances: 5, seed: 2, parameters: [{name: k, distribution: uniform, low: -2.0e+4, high: 1.0e+4}]}
output: {every: 3, channels: [rank]}
"""
# A chain of two rods that swings, without settings of a batch.
CHAIN = """\
sarrus: 1
name: chain
space: planar
gravity: [0, -9.81]
bodies:
  - {name: upper, mass: 1, inertia: 0.1, position: [0.5, 0]}
  - {name: lower, mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, upper], at: [0, 0]}
  - {name: B, type: revolute, bodies: [upper, lower], at: [1, 0]}
integrator: {dt: 0.5, t_end: 1}
batch:
  parameters: [{path: bodies.lower.mass, distribution: normal, mean: 1, sd: 0.1, min: 0.5}]
"""
INTEGRATORS = {
    "rk4": "{method: rk4, dt: 1.0e-3, t_end: 0.3}",
    "dopri5": "{method: dopri5, rtol: 1.0e-8, atol: 1.0e-10, max_steps: 2000, t_end: 0.3}",
}
OUTPUT = "{interval: 0.01, channels: [state, energy, work, constraint, rank, reactions]}"


def document(integrator, output=OUTPUT, long_file=False):
    entries = [
        "{file: parts/pushed.yaml, instances: 12}",
        "{file: parts/chain.yaml, instances: 21, seed: 11}",
        "{file: parts/chain.yaml, set: {bodies.lower.mass: 3, batch.parameters: []}}",
    ]
    entries = [entries[1].replace("21", "60"), entries[2].replace("{file", "{instances: 40, file")] if long_file else entries
    text = "".join(f"  - {entry}\n" for entry in entries)
    return f"sarrus: 1\nname: both\nscenarios:\n{text}integrator: {integrator}\noutput: {output}\n"


# How to run the groups of the document alone.
ALONE = (
    ("pushed.yaml", "--instances", "12"),
    ("chain.yaml", "--instances", "21", "--seed", "11"),
    ("chain.yaml", "--set", "bodies.lower.mass=3", "--set", "batch.parameters=[]"),
)


def run(program, *arguments, want=0, before=None):
    said = subprocess.run([program, "run", *arguments], capture_output=True, text=True, check=False, preexec_fn=before)
    assert said.returncode == want, (arguments, said.returncode, said.stderr)
    return said


def content(root):
    """All that is below `root` but the text of the scenario, and the attributes of both but those of a moment and a machine."""
    found = {}

    def attributes(item):
        left_out = ("DIMENSION_LIST", "REFERENCE_LIST", "created", "device")
        return repr(sorted((key, repr(value)) for key, value in item.attrs.items() if key not in left_out))

    def take(name, item):
        found[name, "attributes"] = attributes(item)
        if isinstance(item, h5py.Dataset) and name.split("/")[-1] != "scenario":
            data = item[()]
            found[name] = (item.shape, repr(item.dtype), data.tolist() if item.dtype.hasobject else data.tobytes())

    root.visititems(take)
    found["root"] = attributes(root)
    return found


def check_bits(program, name, integrator):
    pathlib.Path("mixed.yaml").write_text(document(integrator), encoding="utf-8")
    n_failed = 0
    for threads in ("1", "2", "5"):
        run(program, "mixed.yaml", "-o", "mixed.h5", "--quiet", "--threads", threads, want=1)
        for i, (scenario, *options) in enumerate(ALONE):
            common = ("--set", f"integrator={integrator}", "--set", f"output={OUTPUT}", "--quiet")
            run(program, f"parts/{scenario}", "-o", "alone.h5", *options, *common, want=1 if i == 0 else 0)
            with h5py.File("mixed.h5") as mixed, h5py.File("alone.h5") as alone:
                one, other = content(mixed[str(i)]), content(alone)
                wrong = [key for key in {*one, *other} if one.get(key) != other.get(key)]
                assert not wrong, (name, threads, i, wrong[0], one.get(wrong[0]), other.get(wrong[0]))
                assert ("state/q" in one) and ("reactions/A" in one)
                n_failed += int((mixed[f"{i}/instance/status"][:] != 0).sum())
    assert n_failed > 0
    with h5py.File("mixed.h5") as mixed:
        assert set(mixed) == {"0", "1", "2", "scenario"}
        assert (mixed.attrs["sarrus_format"], mixed.attrs["n_groups"], mixed.attrs["complete"]) == (1, 3, 1)
        assert list(mixed.attrs["group_files"]) == ["parts/pushed.yaml", "parts/chain.yaml", "parts/chain.yaml"]
        assert "name: both" in mixed["scenario"].asstr()[()]
        assert "name: pushed" in mixed["0/scenario"].asstr()[()]
    print(f"{name}: the groups are what their scenarios alone are, {n_failed // 3} failed instances among them")


def check_example(program):
    path = SOURCE / "scenarios" / "mixed.yaml"
    run(program, str(path), "-o", "example.h5", "--quiet", "--set", "integrator.t_end=0.2")
    text = path.read_text(encoding="utf-8")
    common = {line.split(":")[0]: line.split(":", 1)[1].strip() for line in text.splitlines() if line[:6] in ("integr", "output")}
    options = [option for key, value in common.items() for option in ("--set", f"{key}={value}")]
    options += ["--set", "integrator.t_end=0.2", "--quiet", "-o", "alone.h5"]
    alone = (("pendulum", "1", "0"), ("four_bar", "1", "0"), ("five_bar_monte_carlo", "1000", "7"))
    for i, (name, n, seed) in enumerate(alone):
        run(program, str(SOURCE / "scenarios" / f"{name}.yaml"), "--instances", n, "--seed", seed, *options)
        with h5py.File("example.h5") as mixed, h5py.File("alone.h5") as file:
            assert content(mixed[str(i)]) == content(file), name
    print("the example of scenarios/: the same")


def check_replay(program):
    """The command that is printed for the first failed instance, pasted."""
    pathlib.Path("mixed.yaml").write_text(document(INTEGRATORS["rk4"]), encoding="utf-8")
    said = run(program, "mixed.yaml", "-o", "mixed.h5", "--json", "--seed", "4", "--set", "1.bodies.lower.inertia=0.2", want=1)
    told = json.loads(said.stdout)
    first = min(told["first_failures"], key=lambda failure: (failure["group"], failure["instance"]))
    assert told["replay"] in said.stderr
    command = shlex.split(told["replay"])
    assert command[:2] == ["sarrus", "run"] and command[-1] == f"{first['group']}/{first['instance']}"
    run(program, *command[2:], "--quiet", want=1)
    leaf = f"mixed.instance_{first['group']}_{first['instance']}.h5"
    with h5py.File("mixed.h5") as mixed, h5py.File(leaf) as again:
        rows = again["replay/is_output"][0] == 1
        row = mixed[f"{first['group']}/state/q"][first["instance"]]
        assert again["state/q"][0][rows].tobytes() == row[: rows.sum()].tobytes()
        assert again["instance/id"][0] == first["instance"] and rows.sum() > 1
        assert again.attrs["study_group"] == first["group"]
        assert again.attrs["study_group_file"] == mixed.attrs["group_files"][first["group"]]
    run(program, *command[2:-1], "1/20", "--quiet")
    with h5py.File("mixed.h5") as mixed, h5py.File("mixed.instance_1_20.h5") as again:
        rows = again["replay/is_output"][0] == 1
        assert again["state/q"][0][rows].tobytes() == mixed["1/state/q"][20].tobytes()
    groups = told["groups"]
    assert [group["n_instances"] for group in groups] == [12, 21, 1] and told["n_instances"] == 34
    assert sum(group["n_failed"] for group in groups) == told["n_failed"] == groups[0]["n_failed"] > 0
    assert told["seed"] == 4 and all(group["seed"] == 4 for group in groups)
    print(f"replay of {first['group']}/{first['instance']} and 1/20: the same rows")


def check_recorded(program):
    """What the file says was run, run again without the options, is the same: of several scenarios and of one."""
    options = ("--seed", "4", "--set", "1.bodies.lower.inertia=0.2", "--set", "0.batch.instances=4")
    run(program, "mixed.yaml", "-o", "told.h5", "--quiet", *options, want=1)
    run(program, "parts/chain.yaml", "-o", "one.h5", "--quiet", "--seed", "7", "--instances", "3")
    for name in ("told.h5", "one.h5"):
        with h5py.File(name) as file:
            text = file["scenario"].asstr()[()]
        pathlib.Path("again.yaml").write_text(text, encoding="utf-8")
        run(program, "again.yaml", "-o", "again.h5", "--quiet", want=int(name == "told.h5"))
        with h5py.File(name) as file, h5py.File("again.h5") as again:
            assert content(file) == content(again) and again["scenario"].asstr()[()] == text
    print("the recorded scenarios: the same again")


def check_committed(name, n_least=1):
    """Every group of the file has all numbers of the times that it says it has; returns how many these are."""
    written = []
    with h5py.File(name) as file:
        assert file.attrs["complete"] == 0
        for i in range(file.attrs["n_groups"]):
            group = file[str(i)]
            n = int(group.attrs["n_times_written"])
            assert np.isfinite(group["state/q"][:, :n]).all() and np.isfinite(group["time"][:n]).all()
            assert np.isfinite(group["diagnostics/energy"][:, :n]).all()
            written.append(n)
    assert min(written) >= n_least, written
    return written


def check_stop(program):
    integrator = "{method: rk4, dt: 1.0e-4, t_end: 1000}"
    pathlib.Path("long.yaml").write_text(document(integrator, "{interval: 0.01}", long_file=True), encoding="utf-8")
    for name in (signal.SIGINT, signal.SIGTERM):
        child = subprocess.Popen([program, "run", "long.yaml", "-o", "long.h5", "--quiet"], stderr=subprocess.PIPE, text=True)
        time.sleep(2.0)
        child.send_signal(name)
        said = child.communicate()[1]
        assert child.returncode == 128 + name and "not complete" in said, (child.returncode, said)
        written = check_committed("long.h5")
        assert max(written) < 10 * min(written) + 200, written
        print(f"{name.name}: valid, with {written} output times")
    child = subprocess.Popen([program, "run", "long.yaml", "-o", "killed.h5", "--quiet"])
    time.sleep(4.0)
    child.kill()
    child.wait()
    written = check_committed("killed.h5.partial", 0)
    print(f"SIGKILL: {written} output times")


def check_full_disk(program):
    pathlib.Path("long.yaml").write_text(document(INTEGRATORS["rk4"], OUTPUT, long_file=True), encoding="utf-8")
    run(program, "long.yaml", "-o", "full.h5", "--quiet")
    before, n_bytes = pathlib.Path("full.h5").read_bytes(), pathlib.Path("full.h5").stat().st_size
    states = []
    for share in (0.05, 0.3, 0.6, 0.9, 0.999):
        limit = int(share * n_bytes)

        def limit_set(limit=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        said = run(program, "long.yaml", "-o", "full.h5", "--quiet", want=3, before=limit_set)
        assert len(said.stderr.splitlines()) == 1, said.stderr
        assert pathlib.Path("full.h5").read_bytes() == before
        partial = pathlib.Path("full.h5.partial")
        states.append(check_committed(partial, 0) if partial.exists() else None)
        partial.unlink(missing_ok=True)
    print("full disks:", states)


def check_tools(program):
    told = json.loads(subprocess.run([program, "info", "mixed.h5", "--json"], capture_output=True, check=True).stdout)
    assert [group["n_instances"] for group in told["groups"]] == [12, 21, 1] and told["n_instances"] == 34
    assert told["seed"] is None and told["n_times"] is None and all(group["n_times"] > 0 for group in told["groups"])
    assert "1/instance/id" in [dataset["path"] for dataset in told["datasets"]]
    text = subprocess.run([program, "info", "mixed.h5"], capture_output=True, check=True, text=True).stdout
    assert "group /2: parts/chain.yaml" in text
    told = json.loads(subprocess.run([program, "check", "mixed.yaml", "--json"], capture_output=True, check=True).stdout)
    assert [(group["name"], group["n"], group["n_instances"]) for group in told["groups"]] == [
        ("pushed", 3, 12),
        ("chain", 6, 21),
        ("chain", 6, 1),
    ]
    text = subprocess.run([program, "check", "mixed.yaml"], capture_output=True, check=True, text=True).stdout
    assert "Group 1: parts/chain.yaml, 21 instances" in text
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("plot.py: not tried, no Matplotlib")
        return
    plot = [sys.executable, str(SOURCE / "python" / "plot.py"), "mixed.h5", "-o", "picture.png"]
    subprocess.run([*plot, "--group", "1", "--quantity", "lower.theta"], check=True, capture_output=True)
    assert pathlib.Path("picture.png").stat().st_size > 10000
    refused = subprocess.run(plot, capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "--group" in refused.stderr, refused
    refused = subprocess.run([*plot, "--group", "3"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "0 to 2" in refused.stderr, refused


def main():
    program = place()
    if program is None:
        return 77
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("parts").mkdir()
        pathlib.Path("parts/pushed.yaml").write_text(PUSHED, encoding="utf-8")
        pathlib.Path("parts/chain.yaml").write_text(CHAIN, encoding="utf-8")
        for name, integrator in INTEGRATORS.items():
            check_bits(program, name, integrator)
        check_example(program)
        check_replay(program)
        check_recorded(program)
        check_tools(program)
        check_stop(program)
        check_full_disk(program)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())

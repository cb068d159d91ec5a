#!/usr/bin/env python3
"""Throughput of `smelt hunt`, side by side with yinyang 0.3.0 (opfuzz).

Both mutate the operators of the same seeds, run the same solver under the same time limit with one worker, and
compare answers. opfuzz wants two solvers, so both tools get the same solver twice. A case is one formula put to
one solver.

How long a solver takes depends on the mutants, and the two tools make different ones. So smelt is measured twice: on
mutants of its own, which tells what it costs, and on the mutants that opfuzz made, unchanged, which tells how many
cases it gets through where opfuzz gets through its own; each of those is a file that must be read first.

Processor time only. When a tool has ended and before it is reaped, its own clock gives the time of the tool, and
what `wait4` reports beyond that is the time of the processes it waited for: the solvers. Each tool runs once with
few and once with many cases, and the difference counts, so that neither pays for its start. Tools take turns.

    bench/throughput.py --smelt target/release/smelt [--z3 z3@5.4.0] [--cvc5 cvc5@1.4.2] [--rounds 2]

writes docs/measurements/throughput.md with --write. The raw figures go to standard output as JSON lines.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
YINYANG = "0.3.0"
SEEDS = 36
TIMEOUT = 1
# Those who look at what opfuzz looks at, and at models. The others make runs of their own.
JUDGES = "ground-truth,differential,model,crash"


def int_seed(rng):
    low, high, factor = rng.randint(1, 9), rng.randint(10, 60), rng.randint(1, 5)
    return f"(declare-fun x () Int)\n(assert (and (> x {low}) (< (* {factor} x) {high})))\n(check-sat)\n"


def string_seed(rng):
    """About 400 bytes, with values all but given, so that mutants are decided at once too: what is measured is how
    solvers are driven, and time limits would cover it."""
    word = lambda length: "".join(rng.choice("ab") for _ in range(length))
    first, letter = word(3), word(1)
    return (
        "(declare-fun x () String)\n(declare-fun y () String)\n(declare-fun z () String)\n(declare-fun n () Int)\n"
        f'(assert (and (= x "{first}") (= y "{word(2)}")))\n'
        f'(assert (= z (str.++ "{first}" "{letter}" y)))\n'
        f'(assert (str.prefixof "{first[:2]}" x))\n'
        f'(assert (= n (+ (str.len "{letter}") {rng.randint(0, 2)})))\n'
        f'(assert (<= n {rng.randint(4, 9)}))\n'
        f'(assert (str.in_re "{first}" (re.+ (re.range "a" "c"))))\n'
        f'(assert (not (= (str.at "{first}" 0) "{rng.choice("xyz")}")))\n'
        "(check-sat)\n"
    )


def write_seeds(folder, make):
    folder.mkdir()
    rng = random.Random(1)
    for number in range(SEEDS):
        (folder / f"seed{number:02}.smt2").write_text(make(rng))
    return folder


def measure(argv, folder, environment):
    """Runs a tool; gives the processor time of the tool itself and of the processes it waited for."""
    with open(folder / "output", "wb") as output:
        process = subprocess.Popen(argv, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        own = time.clock_gettime((~process.pid << 3) | 2)
        _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return own, usage.ru_utime + usage.ru_stime - own, (folder / "output").read_text()


class Bench:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        self.opfuzz = install_yinyang(folder)
        self.floor = build_floor(folder)
        self.number = 0

    def workplace(self):
        self.number += 1
        place = self.folder / f"run{self.number}"
        place.mkdir()
        return place

    def yinyang(self, seeds, solver, iterations, kept=None):
        """Leaves the mutants in the folder `kept`, if there is one."""
        place = self.workplace()
        for name in ("scratch", "logs", "bugs"):
            (place / name).mkdir()
        command = file_command(solver, self.folder)
        argv = [*self.opfuzz, "-i", str(iterations), "-m", "1", "-t", str(TIMEOUT), "-n"]
        argv += ["-s", "scratch", "-l", "logs", "-b", "bugs", f"{command};{command}", seeds]
        own, solvers, output = measure(argv, place, self.environment)
        counts = [line.split()[-1] for line in output.splitlines() if line.startswith("solver calls made:")]
        if not counts:
            sys.exit(f"opfuzz made no cases:\n{output}")
        runs = int(counts[-1])
        if kept:
            (place / "scratch").rename(kept)
        shutil.rmtree(place)
        return own, solvers, runs

    def smelt(self, seeds, solver, cases, mode, technique):
        place = self.workplace()
        argv = [self.args.smelt, "hunt", seeds, "--technique", technique, "--cases", str(cases)]
        argv += ["--jobs", "1", "--timeout", str(TIMEOUT), "--judge", JUDGES, "--dir", "campaign"]
        profile = f'solver = "{solver}"\nmode = "{mode}"\n'
        (place / "smelt.toml").write_text(f"[solvers.first]\n{profile}[solvers.second]\n{profile}")
        argv += ["--solver", "first", "--solver", "second"]
        own, solvers, output = measure(argv, place, self.environment)
        summary = re.search(r"^\d+ cases.*?, (\d+) runs", output, re.MULTILINE)
        if summary is None:
            sys.exit(f"smelt did not hunt:\n{output}")
        runs = int(summary.group(1))
        shutil.rmtree(place)
        return own, solvers, runs


# opfuzz prints its statistics every now and then, but not at its end.
COUNTED_OPFUZZ = """
import atexit, runpy, sys
from yinyang.src.core import Fuzzer
class Counted(Fuzzer.Statistic):
    def __init__(self):
        super().__init__()
        atexit.register(lambda: print("solver calls made:", self.solver_calls))
Fuzzer.Statistic = Counted
# It cleans up what the bench wants to keep.
Fuzzer.Fuzzer.__del__ = lambda self: None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def install_yinyang(folder):
    venv = Path(os.environ.get("BENCH_VENV", folder / "venv"))
    if not (venv / "bin/opfuzz").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", f"yinyang=={YINYANG}"], check=True)
    return [str(venv / "bin/python"), "-c", COUNTED_OPFUZZ, str(venv / "bin/opfuzz")]


def release_folder(solver):
    family, version = solver.split("@")
    cache = os.environ.get("SMELT_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "smelt"
    folders = sorted((Path(cache) / "solvers" / family).glob(f"{version}*"))
    if not folders:
        sys.exit(f"{solver} is not installed: smelt solvers install {solver}")
    return folders[0]


def file_command(solver, folder):
    """A command line that takes a file, as opfuzz wants it."""
    release = release_folder(solver)
    if solver.startswith("z3@"):
        return str(release / "bin/z3")
    script = folder / "cvc5-on-file"
    if not script.exists():
        script.write_text(
            f'#!/bin/sh\nPYTHONPATH={release}/lib exec {sys.executable} {release}/driver.py < "$1"\n'
        )
        script.chmod(0o755)
    return str(script)


FEW = 1
DRAWS = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smelt", default=ROOT / "target/release/smelt", type=Path)
    parser.add_argument("--z3", default="z3@5.4.0")
    parser.add_argument("--cvc5", default="cvc5@1.4.2")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=20, help="cases per seed and solver")
    parser.add_argument("--only", default="", help="run only rows that contain this word")
    parser.add_argument("--figures", type=Path, help="take raw figures of an earlier run from this file, and run nothing")
    parser.add_argument("--write", action="store_true", help="write docs/measurements/throughput.md")
    args = parser.parse_args()
    args.smelt = str(args.smelt.resolve())
    lines = args.figures.read_text().splitlines() if args.figures else measured_lines(args)
    rows = rows_of(lines)
    text = table(rows) + "\n" + aims(rows)
    floor = floors(lines)
    print(text, floor, sep="\n")
    if args.write:
        document = DOCUMENT.format(table=text, floor=floor, **vars(args))
        path = ROOT / "docs/measurements/throughput.md"
        _, _, remarks = path.read_text().partition(END)
        path.write_text(document + END + remarks)


def build_floor(folder):
    program = folder / "floor"
    subprocess.run(["cc", "-O2", "-o", program, ROOT / "bench/floor.c"], check=True)
    return program


def floors(lines):
    """What running a solver costs a program that does nothing else."""
    figures = [json.loads(line) for line in lines if '"floor"' in line]
    kinds = {"cold": "cold runs", "session": "a session that pops"}
    parts = [f"{raw['floor_us']:.0f} us for {kinds[raw['floor']]} of {raw['solver']} on {raw['corpus']} formulas"
             for raw in figures]
    return "In this run it comes to " + ", ".join(parts) + "."


def measured_lines(args):
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, Path(folder))
        corpora = {
            "three-line Int": str(write_seeds(Path(folder) / "int", int_seed)),
            "400-byte String": str(write_seeds(Path(folder) / "string", string_seed)),
        }
        for solver in (args.z3, args.cvc5):
            # What smelt learns about a solver it learns once, and not here.
            subprocess.run([args.smelt, "solvers", "probe", solver], check=True, stdout=subprocess.DEVNULL)
            for corpus, seeds in corpora.items():
                if args.only in f"{solver} {corpus}":
                    lines += measure_row(bench, solver, corpus, seeds)
    return lines


def measure_row(bench, solver, corpus, seeds):
    lines = []
    more = bench.args.iterations
    for number in range(bench.args.rounds):
        mutants = bench.folder / f"mutants{number} {solver} {corpus}"
        # Mutants are drawn; with more draws it matters less which.
        tools = {
            "yinyang": (lambda count: bench.yinyang(seeds, solver, count, mutants if count > FEW else None), 1),
            "own": (lambda count: bench.smelt(seeds, solver, count * SEEDS, "cold", "operator"), 1),
            "cold": (lambda count: bench.smelt(mutants, solver, count * SEEDS, "cold", "unchanged"), DRAWS),
            "warm": (lambda count: bench.smelt(mutants, solver, count * SEEDS, "warm", "unchanged"), DRAWS),
            "incremental": (lambda count: bench.smelt(mutants, solver, count * SEEDS, "incremental", "unchanged"), DRAWS),
            "own warm": (lambda count: bench.smelt(seeds, solver, count * SEEDS, "warm", "operator"), DRAWS),
            "own incremental": (lambda count: bench.smelt(seeds, solver, count * SEEDS, "incremental", "operator"), DRAWS),
        }
        for tool, (run, draws) in tools.items():
            many = run((FEW + more) * draws)
            few = run(FEW)
            own, solvers, runs = (large - small for large, small in zip(many, few))
            lines.append(json.dumps({"solver": solver, "corpus": corpus, "tool": tool, "round": number,
                                     "own_s": own, "solver_s": solvers, "runs": runs}))
            print(lines[-1], flush=True)
    if solver.startswith("z3"):
        command = [file_command(solver, bench.folder), "-in"]
        files = sorted(str(path) for path in mutants.iterdir())
        for kind, argv in (("cold", ["cold", "300"]), ("session", ["session", *files, "--"])):
            output = subprocess.run([bench.floor, *argv, *command], check=True, capture_output=True, text=True)
            lines.append(json.dumps({"solver": solver, "corpus": corpus, "floor": kind,
                                     "floor_us": float(output.stdout.split()[0])}))
            print(lines[-1], flush=True)
    return lines


def rows_of(lines):
    """Adds up the rounds of each tool on each corpus."""
    sums = {}
    for line in lines:
        if not line.startswith("{"):
            continue
        raw = json.loads(line)
        if "floor" in raw:
            continue
        tools = sums.setdefault((raw["solver"], raw["corpus"]), {})
        own, solvers, runs = tools.get(raw["tool"], (0, 0, 0))
        tools[raw["tool"]] = (own + raw["own_s"], solvers + raw["solver_s"], runs + raw["runs"])
    return [(solver, corpus, {tool: figures(*got) for tool, got in tools.items()})
            for (solver, corpus), tools in sums.items() if len(tools) == len(NAMES)]


def figures(own, solvers, runs):
    return {
        "overhead_us": own / runs * 1e6,
        "solver_ms": solvers / runs * 1e3,
        "rate": runs / (own + solvers),
        "share": solvers / (own + solvers),
    }


def aims(rows):
    """What smelt wants to reach, and whether it did."""
    lines = ["| aim | solver, seeds | wanted | measured | reached |", "|---|---|---|---|---|"]
    for solver, corpus, got in rows:
        theirs, cold, warm, incremental = (got[tool] for tool in ("yinyang", "cold", "warm", "incremental"))
        # Both tools make their cases out of the same seeds.
        overheads = {"own": "cold", "own warm": "warm by reset", "own incremental": "warm by pop"}
        wanted = [
            (f"overhead, yinyang / smelt {how}", 20, theirs["overhead_us"] / got[tool]["overhead_us"])
            for tool, how in overheads.items()
        ]
        wanted += [
            ("cold / yinyang, same mutants", 0.97 / theirs["share"], cold["rate"] / theirs["rate"]),
            ("CPU in the solver, cold", 0.95, got["own"]["share"]),
            ("CPU in the solver, warm", 0.95, warm["share"]),
        ]
        if solver.startswith("z3"):
            least = 4 if "Int" in corpus else 2
            wanted.append(("warm by reset / yinyang, same mutants", least, warm["rate"] / theirs["rate"]))
            wanted.append(("warm by pop / yinyang, same mutants", least, incremental["rate"] / theirs["rate"]))
        for aim, least, value in wanted:
            reached = "yes" if value >= least else "**no**"
            lines.append(f"| {aim} | {solver}, {corpus} | {least:.2f} | {value:.2f} | {reached} |")
    return "\n".join(lines) + "\n"


NAMES = {
    "yinyang": f"yinyang {YINYANG}",
    "own": "smelt, cold, own mutants",
    "cold": "smelt, cold, yinyang's mutants",
    "warm": "smelt, warm, yinyang's mutants",
    "incremental": "smelt, incremental, yinyang's mutants",
    "own warm": "smelt, warm, own mutants",
    "own incremental": "smelt, incremental, own mutants",
}


def table(rows):
    lines = [
        "| solver, seeds | tool | overhead per case | solver per case | cases per CPU second | CPU in the solver |",
        "|---|---|---|---|---|---|",
    ]
    for solver, corpus, figures in rows:
        for tool, got in figures.items():
            lines.append(
                f"| {solver}, {corpus} | {NAMES[tool]} | {got['overhead_us']:.0f} us | {got['solver_ms']:.2f} ms "
                f"| {got['rate']:.1f} | {got['share'] * 100:.1f} % |"
            )
    return "\n".join(lines) + "\n"


# What people have written comes after this line, and stays.
END = "<!-- end of what bench/throughput.py writes -->\n"

DOCUMENT = """# Throughput

What a tool costs besides the solver, measured side by side with yinyang 0.3.0 in one run.
Written by `bench/throughput.py --write --rounds {rounds} --iterations {iterations} --only "{only}"`; the script says what is measured and how.
Read the ratios, not the absolute figures.

How long a solver takes depends on the mutants, so smelt is measured on its own and, unchanged, on those that yinyang made.
smelt asks for a model after every `sat` and evaluates it, which yinyang does not.
It also sets the solver's memory allocator to large pages (`GLIBC_TUNABLES`), which makes short cold runs cheaper; findings are confirmed without.

*Warm* sessions say `(reset)` between formulas, which makes a solver forget everything; *incremental* ones pop what they pushed (`--mode incremental`), which for Z3 is another core: faster on arithmetic, slower on hard strings.

The overhead of a run has a floor that no tool can go below: what the kernel charges to whoever starts a process, or wakes up for its answer, and reads what it prints.
`bench/floor.c` measures it: a loop of `posix_spawn`, pipes and `wait4`, or of `write` and `read` over one process, and nothing else.
{floor}

{table}
"""

if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What making one case costs, side by side with yinyang 0.3.0.

Both make cases from the same seeds: those of smelt that yinyang can read. `smelt generate` writes its cases to a pipe.
yinyang is measured in two ways. *Mutators*: they are called in its own process as its main loop calls them, parsing of
seeds and printing of mutants included. *Tool*: the program as users run it, with solvers that print `sat` and do
nothing else, and whose time does not count; it hands each mutant over in a file of its own. A case is one formula for
one solver, and opfuzz and typefuzz run two.

Processor time only; each technique of smelt and each tool runs once with few and once with many cases, and the
difference counts, so that nobody pays for a start.

smelt's figures include certifying what it claims of a case, and that names are renamed apart.

    bench/generation.py --smelt target/release/smelt [--count 20000] [--seconds 20] [--write]

writes docs/design/generation.md with --write.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
YINYANG = "0.3.0"

# Each technique of smelt with the tool of yinyang that does the most alike. None makes variants; those of smelt contain
# generated assertions.
PEERS = {
    "operator": "opfuzz",
    "generative": "typefuzz",
    "data-driven": "typefuzz",
    "expression-swap": "typefuzz",
    "model-preserving": "typefuzz",
    "fusion": "yinyang",
    "concat": "yinyang",
    "weakening": "typefuzz",
    "variant": "typefuzz",
}

# Run by the interpreter that has yinyang: tool, seconds, seeds. Prints how many mutants it made and in what time.
DRIVER = """
import copy, glob, json, random, sys, time
from types import SimpleNamespace
import yinyang
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.parsing.Typechecker import typecheck
from yinyang.src.mutators.TypeAwareOpMutation import TypeAwareOpMutation
from yinyang.src.mutators.SemanticFusion.SemanticFusion import SemanticFusion
from yinyang.src.mutators.GenTypeAwareMutation.Util import get_unique_subterms
from yinyang.src.mutators.GenTypeAwareMutation.GenTypeAwareMutation import GenTypeAwareMutation

tool, seconds, seeds, config = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
names = {"opfuzz": "operator_mutations", "typefuzz": "typefuzz_config", "yinyang": "fusion_functions"}
args = SimpleNamespace(config=f"{config}/{names[tool]}.txt", modulo=1, oracle="sat")
random.seed(1)
files = sorted(glob.glob(f"{seeds}/*.smt2"))

def mutator():
    script, glob = parse_file(random.choice(files), silent=True)
    if not script:
        return None
    if tool == "opfuzz":
        return TypeAwareOpMutation(script, args)
    if tool == "typefuzz":
        typecheck(script, glob)
        return GenTypeAwareMutation(script, args, get_unique_subterms(copy.deepcopy(script)))
    other, _ = parse_file(random.choice(files), silent=True)
    return SemanticFusion(script, other, args) if other else None

made = size = 0
start = time.process_time()
while time.process_time() - start < seconds:
    try:
        current = mutator()
        # Its own default would be 300 and more; chains of smelt are as long as this.
        for _ in range(25 if current else 0):
            mutant, success, skip = current.mutate()
            if skip:
                break
            if success:
                size += len(str(mutant))
                made += 1
    except Exception:
        pass
print(json.dumps({"made": made, "seconds": time.process_time() - start, "bytes": size}))
"""


def yinyang_python(folder):
    venv = Path(os.environ.get("BENCH_VENV", folder / "venv"))
    if not (venv / "bin/opfuzz").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", f"yinyang=={YINYANG}"], check=True)
    return venv / "bin/python"


def mutator_cost(python, tool, seconds, seeds):
    """Microseconds and bytes per mutant."""
    find = "import yinyang, os; print(os.path.join(os.path.dirname(yinyang.__file__), 'config'))"
    config = subprocess.run([python, "-c", find], check=True, capture_output=True, text=True).stdout.strip()
    argv = [python, "-c", DRIVER, tool, str(seconds), seeds, config]
    output = subprocess.run(argv, check=True, capture_output=True)
    got = json.loads(output.stdout.splitlines()[-1])
    return got["seconds"] / got["made"] * 1e6, got["bytes"] / got["made"]


def tool_cost(python, tool, iterations, seeds, folder):
    """Microseconds per case of the program itself."""
    few, many = (tool_run(python, tool, number, seeds, folder) for number in (1, iterations))
    return (many[0] - few[0]) / (many[1] - few[1]) * 1e6


def tool_run(python, tool, iterations, seeds, folder):
    """The processor time of the program without its solvers, and how many cases it made."""
    place = Path(tempfile.mkdtemp(dir=folder))
    for name in ("scratch", "logs", "bugs"):
        (place / name).mkdir()
    solver = place / "solver"
    solver.write_text("#!/bin/sh\necho sat\n")
    solver.chmod(0o755)
    argv = [python, python.parent / tool, "-i", str(iterations), "-m", "1", "-n"]
    argv += ["-s", "scratch", "-l", "logs", "-b", "bugs"]
    argv += ["-o", "sat", solver] if tool == "yinyang" else [f"{solver};{solver}"]
    with open(place / "output", "wb") as output:
        process = subprocess.Popen([*argv, seeds], cwd=place, stdout=output, stderr=subprocess.STDOUT)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        own = time.clock_gettime((~process.pid << 3) | 2)
        process.wait()
    lines = (place / "output").read_text().splitlines()
    counts = [line.split()[-1] for line in lines if line.startswith("solver calls made:")]
    if not counts:
        sys.exit(f"`{tool}` made no cases; see {place}/output")
    shutil.rmtree(place)
    return own, int(counts[-1])


def smelt_cost(smelt, technique, count, seeds):
    """Microseconds and bytes per case."""
    few, many = (smelt_run(smelt, technique, number, seeds) for number in (1, count))
    return (many[0] - few[0]) / (count - 1) * 1e6, (many[1] - few[1]) / (count - 1)


def smelt_run(smelt, technique, count, seeds):
    argv = [smelt, "generate", technique, seeds, "--count", str(count), "--seed", "1", "--out", "-"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    written = 0
    while chunk := process.stdout.read(1 << 20):
        written += len(chunk)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        sys.exit(f"`{' '.join(map(str, argv))}` ended with status {status}")
    return usage.ru_utime + usage.ru_stime, written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smelt", default=ROOT / "target/release/smelt", type=Path)
    parser.add_argument("--count", type=int, default=20000, help="cases of each technique of smelt")
    parser.add_argument("--seconds", type=float, default=20, help="time for each mutator of yinyang")
    parser.add_argument("--iterations", type=int, default=25, help="cases that a tool of yinyang makes of each seed")
    parser.add_argument("--write", action="store_true", help="write docs/design/generation.md")
    args = parser.parse_args()
    smelt = args.smelt.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seeds = folder / "seeds"
        subprocess.run([smelt, "generate", "unchanged", "--count", "400", "--out", seeds], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        python = yinyang_python(folder)
        tools = sorted(set(PEERS.values()))
        mutators = {tool: mutator_cost(python, tool, args.seconds, seeds) for tool in tools}
        wholes = {tool: tool_cost(python, tool, args.iterations, seeds, folder) for tool in tools}
        rows = [
            "| technique | smelt, per case | bytes | yinyang's | mutator | bytes | ratio | tool | ratio |",
            "|---|---:|---:|---|---:|---:|---:|---:|---:|",
        ]
        for technique, tool in PEERS.items():
            ours, size = smelt_cost(smelt, technique, args.count, seeds)
            (cost, their_size), whole = mutators[tool], wholes[tool]
            rows.append(f"| {technique} | {ours:.1f} us | {size:.0f} | {tool} | {cost:.0f} us | {their_size:.0f}"
                        f" | {cost / ours:.0f} | {whole:.0f} us | {whole / ours:.0f} |")
            print(rows[-1], flush=True)
    if args.write:
        (ROOT / "docs/design/generation.md").write_text(DOCUMENT.format(table="\n".join(rows), **vars(args)))


DOCUMENT = """# What making a case costs

Processor time for one case, side by side with yinyang 0.3.0 on the same seeds, smelt's own, without running any solver.
Written by `bench/generation.py --write --count {count} --seconds {seconds:.0f}`; the script says what is measured and how.
A case of smelt is certified where it claims something, which is part of its cost; its text carries a header.

{table}
"""

if __name__ == "__main__":
    main()

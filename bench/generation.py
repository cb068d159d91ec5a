#!/usr/bin/env python3
"""What making one case costs, side by side with yinyang 0.3.0, without running any solver.

Both make cases from the same seeds: those of smelt that yinyang can read. yinyang's mutators are called in its own
process as its main loop calls them, parsing of seeds and printing of mutants included; `smelt generate` writes its
cases to nowhere. Processor time only; each technique of smelt runs once with few and once with many cases, and the
difference counts, so that it does not pay for its start. yinyang does not pay for its own either.

smelt's figures include certifying what it claims of a case, and that names are renamed apart.

    bench/generation.py --smelt target/release/smelt [--count 20000] [--seconds 20] [--write]

writes docs/measurements/generation.md with --write.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
YINYANG = "0.3.0"

# Each technique of smelt with the tool of yinyang that does the most alike; where there is none, its cheapest.
PEERS = {
    "operator": "opfuzz",
    "generative": "typefuzz",
    "data-driven": "typefuzz",
    "expression-swap": "typefuzz",
    "model-preserving": "typefuzz",
    "fusion": "yinyang",
    "concat": "yinyang",
    "weakening": "typefuzz",
    "variant": "opfuzz",
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
        # Its own default would be 300 and more; smelt makes ten cases of a seed before it takes another.
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


def yinyang_cost(python, tool, seconds, seeds):
    """Microseconds and bytes per mutant."""
    find = "import yinyang, os; print(os.path.join(os.path.dirname(yinyang.__file__), 'config'))"
    config = subprocess.run([python, "-c", find], check=True, capture_output=True, text=True).stdout.strip()
    output = subprocess.run([python, "-c", DRIVER, tool, str(seconds), seeds, config], check=True, capture_output=True)
    got = json.loads(output.stdout.splitlines()[-1])
    return got["seconds"] / got["made"] * 1e6, got["bytes"] / got["made"]


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
    parser.add_argument("--seconds", type=float, default=20, help="time for each tool of yinyang")
    parser.add_argument("--write", action="store_true", help="write docs/measurements/generation.md")
    args = parser.parse_args()
    smelt = args.smelt.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seeds = folder / "seeds"
        subprocess.run([smelt, "generate", "unchanged", "--count", "400", "--out", seeds], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        python = yinyang_python(folder)
        theirs = {tool: yinyang_cost(python, tool, args.seconds, seeds) for tool in sorted(set(PEERS.values()))}
        rows = [
            "| technique | smelt, per case | bytes | yinyang's | per case | bytes | ratio |",
            "|---|---:|---:|---|---:|---:|---:|",
        ]
        for technique, tool in PEERS.items():
            ours, size = smelt_cost(smelt, technique, args.count, seeds)
            cost, their_size = theirs[tool]
            rows.append(f"| {technique} | {ours:.1f} us | {size:.0f} | {tool} | {cost:.0f} us | {their_size:.0f}"
                        f" | {cost / ours:.0f} |")
            print(rows[-1], flush=True)
    if args.write:
        (ROOT / "docs/measurements/generation.md").write_text(DOCUMENT.format(table="\n".join(rows), **vars(args)))


DOCUMENT = """# What making a case costs

Processor time for one case, side by side with yinyang 0.3.0 on the same seeds, smelt's own, without running any solver.
Written by `bench/generation.py --write --count {count} --seconds {seconds:.0f}`; the script says what is measured and how.
A case of smelt is certified where it claims something, which is part of its cost; its text carries a header.

{table}

Nothing of yinyang's does what `variant` does; beside it stands the cheapest tool.
These are yinyang's mutators alone. Its tools take 1.0 to 1.4 ms for a case with operators, 2.0 to 2.7 ms with types and about 10 ms with fusion, and Janus 7.7 ms.
"""

if __name__ == "__main__":
    main()

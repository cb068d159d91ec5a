#!/usr/bin/env python3
"""Checks what techniques claim of their cases against real solvers.

For each technique, cases are generated from the built-in seeds (or from --seeds) until --claims of them have a claim,
and run on two solvers. Counted are: cases that a solver rejects as ill-formed, answers that confirm the claim, silence
(unknown, timeout and the like), and answers against the claim. The last are named, and the exit status is then 1.

Usage: claims.py --smelt target/release/smelt [--claims 5000] [--timeout 0.2] [--solver NAME].. TECHNIQUE..
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

SILENT = {"unknown", "timeout", "memout", "flood"}
BATCH = 500


def generate(smelt, technique, seeds, count, random_seed, folder):
    command = [smelt, "generate", technique, *seeds, "--count", str(count), "--seed", str(random_seed)]
    command += ["--max-seed-bytes", "2048", "--json", "--out", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def run(smelt, solvers, timeout, files):
    """The answers, by file and solver."""
    answers = collections.defaultdict(dict)
    for start in range(0, len(files), BATCH):
        command = [smelt, "run", "--warm", "--json", "--timeout", str(timeout)]
        for solver in solvers:
            command += ["--solver", solver]
        done = subprocess.run(command + files[start : start + BATCH], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            line = json.loads(line)
            answers[line["file"]][line["solver"]] = line
    return answers


def check(arguments, technique):
    """Prints what came of one technique; whether no claim was refuted."""
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        random_seed = arguments.seed
        while sum(case["expect"] != "none" for case in cases) < arguments.claims:
            more = f"{folder}/{random_seed}"
            batch = generate(arguments.smelt, technique, arguments.seeds, arguments.claims, random_seed, more)
            cases += batch
            random_seed += 1
            if not any(case["expect"] != "none" for case in batch):
                break
        claimed = [case for case in cases if case["expect"] != "none"]
        share = 100 * len(claimed) / max(1, len(cases))
        claimed = claimed[: arguments.claims]
        answers = run(arguments.smelt, arguments.solver, arguments.timeout, [case["file"] for case in claimed])
        print(f"{technique}: {len(cases)} cases, {share:.1f} % with a claim; {len(claimed)} of these run")
        accepted_by_all = 0
        refuted = []
        for case in claimed:
            runs = answers[case["file"]].values()
            accepted_by_all += all(one["answer"] not in ("rejected", "error") for one in runs)
        print(f"  accepted by all: {100 * accepted_by_all / max(1, len(claimed)):.2f} %")
        reasons = collections.Counter()
        for solver in sorted({solver for runs in answers.values() for solver in runs}):
            counts = collections.Counter()
            for case in claimed:
                one = answers[case["file"]].get(solver)
                if one is None:
                    counts["not run"] += 1
                elif one["answer"] in ("rejected", "error", "crash"):
                    counts[one["answer"]] += 1
                    reasons[f"{solver}: {(one['reason'] or one['crash_signature'] or '')[:120]}"] += 1
                elif one["answer"] in SILENT:
                    counts["silent"] += 1
                elif one["answer"] == case["expect"]:
                    counts["confirmed"] += 1
                else:
                    counts["refuted"] += 1
                    refuted.append((solver, one["answer"], case))
            print(f"  {solver}: " + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
        for reason, count in reasons.most_common(10):
            print(f"    {count} x {reason}")
        for solver, answer, case in refuted:
            print(f"  REFUTED: {solver} says {answer}, expected {case['expect']}: {case['lineage']}")
            if arguments.keep:
                keep = pathlib.Path(arguments.keep)
                keep.mkdir(parents=True, exist_ok=True)
                (keep / pathlib.Path(case["file"]).name).write_text(pathlib.Path(case["file"]).read_text())
    sys.stdout.flush()
    return not refuted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smelt", required=True)
    parser.add_argument("--claims", type=int, default=5000)
    parser.add_argument("--timeout", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", action="append", default=[], help="seed files or folders instead of the built-in ones")
    parser.add_argument("--solver", action="append")
    parser.add_argument("--keep", help="a folder for the cases that were refuted")
    parser.add_argument("techniques", nargs="+")
    arguments = parser.parse_args()
    arguments.solver = arguments.solver or ["z3@5.4.0", "cvc5@1.4.2"]
    results = [check(arguments, technique) for technique in arguments.techniques]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

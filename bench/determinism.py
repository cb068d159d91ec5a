#!/usr/bin/env python3
"""Does a campaign depend on anything but its seed?

Runs one campaign undisturbed, and again
  * beside busy loops (`--load N` per core),
  * with another number of workers (`--other-jobs N`),
  * killed with SIGKILL at random moments and resumed until it is done, again and again up to `--kills N`,
and compares the records: chains, cases, runs, verdicts, findings. Findings that only one of two campaigns has are
excused if a run of their case took at least 80 % of its processor time limit in either; they are listed.

    bench/determinism.py --smelt target/release/smelt --kills 50 --load 4 -- \\
        --solver z3@5.4.0 --solver cvc5@1.4.2 --cases 600 --seed 1

What follows `--` are arguments of `smelt hunt`, with --cases. Needs nothing but Python. Exit status 1 if there is a
difference that is not excused.
"""

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

NEAR = 0.8


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smelt", default="smelt", help="the program")
    parser.add_argument("--kills", type=int, default=0, help="how often a campaign is killed and resumed")
    parser.add_argument("--load", type=int, default=0, help="busy loops per core beside a campaign")
    parser.add_argument("--other-jobs", type=int, default=0, help="another number of workers")
    parser.add_argument("--between", default="0.2,4", help="seconds until a kill, from and to")
    parser.add_argument("--random", type=int, default=1, help="seed of the moments at which campaigns are killed")
    parser.add_argument("--folder", help="where campaigns are kept [default: a temporary folder]")
    parser.add_argument("hunt", nargs="+", help="arguments of smelt hunt")
    return parser.parse_args()


def hunt(smelt, folder, hunt_arguments, more=()):
    return subprocess.Popen(
        [smelt, "hunt", *hunt_arguments, "--dir", folder, *more],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(folder + ".log", "ab"),
    )


def run(smelt, folder, hunt_arguments, more=()):
    started = time.time()
    while not is_over(hunt(smelt, folder, hunt_arguments, more).wait(), folder):
        pass
    return time.time() - started


def is_over(code, folder):
    """Whether a hunt that ended with this exit status has come to its end."""
    with open(folder + ".log", errors="replace") as log:
        last = (log.readlines() or [""])[-1]
    if code == 3 and "is in use by another smelt" in last:
        # A process that the killed one was about to start keeps the lock for a moment.
        time.sleep(0.2)
        return False
    if code not in (0, 1) and "is hardly tested" not in last:
        sys.exit(f"smelt hunt ended with {code}; see {folder}.log")
    return True


def without_jobs(words):
    return [word for place, word in enumerate(words) if "--jobs" not in (word, words[place - 1] if place else "")]


def run_beside_load(args, folder):
    loops = args.load * (os.cpu_count() or 1)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        return run(args.smelt, folder, args.hunt)
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run_killed(args, folder, chance, most):
    """Kills a campaign at random moments until it is done or was killed often enough; says how often that was."""
    shortest, longest = (float(word) for word in args.between.split(","))
    kills = 0
    while kills < most:
        process = hunt(args.smelt, folder, args.hunt)
        try:
            code = process.wait(timeout=chance.uniform(shortest, longest))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            continue
        if is_over(code, folder):
            break
    run(args.smelt, folder, args.hunt)
    return kills


class Record:
    def __init__(self, folder):
        database = sqlite3.connect(os.path.join(folder, "campaign.db"))
        rows = lambda query: database.execute(query).fetchall()
        assert rows("PRAGMA integrity_check") == [("ok",)], folder
        configuration, totals = rows("SELECT configuration, totals FROM campaign")[0]
        self.limit_us = json.loads(configuration)["timeout_secs"] * 1e6
        self.totals = json.loads(totals)
        self.chains = {row[0]: row for row in rows("SELECT number, seed, technique, random_seed, cases FROM chains")}
        # A chain of which nothing was done may or may not have been begun.
        self.chains = {number: row for number, row in self.chains.items() if row[4] > 0}
        self.cases = {case: (claim, shapes) for case, claim, shapes in rows("SELECT case_id, claim, behaviours FROM yields")}
        self.runs = {
            (case, solver): (answer, model, limit)
            for case, solver, answer, model, limit in rows("SELECT case_id, solver, answer, model, ended_by FROM runs")
        }
        self.cpu = {}
        for case, cpu in rows("SELECT case_id, max(cpu_us) FROM runs GROUP BY case_id"):
            self.cpu[case] = cpu
        self.verdicts = {}
        self.cases_of = {}
        for case, kind, culprit, finding, cpu in rows("SELECT case_id, class, culprit, finding, cpu_us FROM verdicts"):
            self.verdicts[case, kind, culprit] = finding
            self.cases_of.setdefault(finding, set()).add(case)
            self.cpu[case] = max(self.cpu.get(case, 0), cpu or 0)
        self.findings = {row[0] for row in rows("SELECT id FROM findings")}
        folders = {name for name in os.listdir(os.path.join(folder, "findings"))}
        assert folders == self.findings, (folder, folders ^ self.findings)

    def is_near(self, case):
        """Whether a run of the case took most of the time that it was allowed, or was ended by a limit."""
        is_cut = any(self.runs.get((case, solver), ("", "", None))[2] for solver in range(64))
        return is_cut or self.cpu.get(case, 0) >= NEAR * self.limit_us


def differing(left, right):
    return sorted(key for key in left.keys() | right.keys() if left.get(key) != right.get(key))


def compare(name, calm, other):
    """Prints what differs; says whether something does that is not excused."""
    is_near = lambda case: calm.is_near(case) or other.is_near(case)
    chains = differing(calm.chains, other.chains)
    cases = sorted(calm.cases.keys() ^ other.cases.keys())
    runs = differing(calm.runs, other.runs)
    verdicts = differing(calm.verdicts, other.verdicts)
    findings = sorted(calm.findings ^ other.findings)
    cases_of = lambda finding: calm.cases_of.get(finding, set()) | other.cases_of.get(finding, set())
    bad_runs = [run for run in runs if not is_near(run[0])]
    bad_verdicts = [verdict for verdict in verdicts if not is_near(verdict[0])]
    near = {case for case, _, _ in verdicts if is_near(case)}
    bad_findings = [finding for finding in findings if not cases_of(finding) & near]
    print(f"{name}: {len(other.chains)} chains, {len(other.cases)} cases, {len(other.runs)} runs, "
          f"{len(other.verdicts)} verdicts, {len(other.findings)} findings, "
          f"{other.totals.get('starved', 0)} starved runs")
    print(f"  differing: {len(chains)} chains, {len(cases)} cases, {len(runs)} runs ({len(bad_runs)} of them far from "
          f"their limit), {len(verdicts)} verdicts ({len(bad_verdicts)}), {len(findings)} findings ({len(bad_findings)})")
    for finding in findings[:20]:
        excuse = "" if finding in bad_findings else ", which rests on a run near its limit"
        print(f"  only in {'the calm one' if finding in calm.findings else 'this one'}: {finding}{excuse}")
    for run in bad_runs[:10]:
        print(f"  run {run}: {calm.runs.get(run)} became {other.runs.get(run)}")
    return bool(chains or cases or bad_runs or bad_verdicts or bad_findings)


def main():
    args = arguments()
    if "--cases" not in " ".join(args.hunt):
        sys.exit("the campaign needs --cases")
    base = args.folder or tempfile.mkdtemp(prefix="determinism-")
    os.makedirs(base, exist_ok=True)
    folder = lambda name: os.path.join(base, name)
    print(f"campaigns in {base}")
    seconds = run(args.smelt, folder("calm"), args.hunt)
    calm = Record(folder("calm"))
    print(f"calm, {seconds:.0f} s: {len(calm.chains)} chains, {len(calm.cases)} cases, {len(calm.runs)} runs, "
          f"{len(calm.verdicts)} verdicts, {len(calm.findings)} findings")
    is_different = False
    if args.other_jobs:
        run(args.smelt, folder("jobs"), without_jobs(args.hunt), ["--jobs", str(args.other_jobs)])
        is_different |= compare(f"{args.other_jobs} workers", calm, Record(folder("jobs")))
    if args.load:
        seconds = run_beside_load(args, folder("loaded"))
        is_different |= compare(f"beside {args.load} busy loops per core, {seconds:.0f} s", calm, Record(folder("loaded")))
    chance = random.Random(args.random)
    left, number = args.kills, 0
    while left > 0:
        number += 1
        place = folder(f"killed-{number}")
        kills = run_killed(args, place, chance, left)
        left -= kills
        is_different |= compare(f"killed {kills} times", calm, Record(place))
    sys.exit(1 if is_different else 0)


if __name__ == "__main__":
    main()

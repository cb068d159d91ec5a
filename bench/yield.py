#!/usr/bin/env python3
"""Distinct confirmed bugs per CPU hour: smelt beside yinyang 0.3.0's three tools, and beside another smelt.

Every tool hunts on the same seeds (`--count` files, drawn by the hash of their content from the folders given), with
one worker, until the tool and all processes that it has started have used `--budget` seconds of processor time. What
yinyang's tools leave behind are files; these are imported with `smelt hunt --technique unchanged`, so that the same
judges look at them in fresh processes. Findings of class `disputed` and `drift` blame nobody and are not counted.

One bug is a class and the first release, of those that are installed, in which the finding does not show any more,
found with `smelt bisect --all`. Two findings of one class that were fixed in the same release count once, so the figure
is a lower bound; install more releases to tell more bugs apart.

    bench/yield.py --smelt target/release/smelt --before other/smelt --out yield \\
        --target z3@4.8.7 --target 'z3str3=z3-4.8.7 smt.string_solver=z3str3' --target 'cvc5=/usr/bin/cvc5' \\
        --reference z3@5.4.0 --reference cvc5@1.4.2 --budget 600 FOLDER ..

A target is tested beside the first reference that is of another family; both are given to all tools. yinyang's tools get
command lines that take a file. Semantic fusion needs seeds of known answer: those that the target and the reference
agree on, half of the budget for each answer; what finding that out costs is not counted.

Everything is kept in the folder --out, and the same command resumes where it was stopped; a hunt that was interrupted
is begun again. A line of JSON per hunt goes to `results.jsonl` there, the table to standard output and, as a document, to
the file that --write names.
"""

import argparse
import hashlib
import json
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
YINYANG = "0.3.0"
TOOLS = ["smelt", "before", "opfuzz", "typefuzz", "yinyang"]
NOT_COUNTED = {"disputed", "drift"}
TICK = os.sysconf("SC_CLK_TCK")
MAX_SEED_BYTES = 100_000
LABEL_SECONDS = 5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with seeds")
    parser.add_argument("--smelt", type=Path, default=ROOT / "target/release/smelt")
    parser.add_argument("--before", type=Path, help="another smelt, such as an earlier release")
    parser.add_argument("--out", type=Path, required=True, help="where everything is kept")
    parser.add_argument("--target", action="append", required=True, help="NAME, NAME@VERSION or NAME=COMMAND")
    parser.add_argument("--reference", action="append", required=True, help="the same")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="[default: all that there are]")
    parser.add_argument("--count", type=int, default=200, help="how many seeds are drawn")
    parser.add_argument("--budget", type=float, default=600, help="CPU seconds for each hunt")
    parser.add_argument("--repeat", action="append", default=[], metavar="TARGET=N", help="hunts of a target, for the variance")
    parser.add_argument("--timeout", type=float, default=2, help="seconds for each run of a solver")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write a document with the table")
    return parser.parse_args()


def draw_seeds(folders, count, place):
    """Copies the files with the smallest hashes; gives their folder."""
    if place.exists():
        return place
    drawn = {}
    for folder in folders:
        for path in folder.rglob("*.smt2"):
            content = path.read_bytes()
            if len(content) <= MAX_SEED_BYTES:
                drawn.setdefault(hashlib.sha256(content).hexdigest(), (path, content))
    partial = place.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for number, key in enumerate(sorted(drawn)[:count]):
        path, content = drawn[key]
        (partial / f"{number:04}-{path.name}").write_bytes(content)
    partial.rename(place)
    return place


def cpu_of_tree(root):
    """The processor time of a process, of all that descend from it, and of all that these have waited for."""
    parents, used = {}, {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
        used[int(name)] = sum(int(field) for field in fields[11:15]) / TICK
    total, wanted = 0.0, {root}
    grown = True
    while grown:
        grown = False
        for pid, parent in parents.items():
            if parent in wanted and pid not in wanted:
                wanted.add(pid)
                grown = True
    return sum(used.get(pid, 0.0) for pid in wanted)


def spend(argv, folder, budget, environment):
    """Runs a program until it has used a budget; gives what it has used, and whether it ended by itself."""
    with open(folder / "output", "ab") as output:
        process = subprocess.Popen(argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    used, has_ended = 0.0, False
    while used < budget:
        time.sleep(0.2)
        used = max(used, cpu_of_tree(process.pid))
        # A process that has ended can still be asked what it used as long as nobody has waited for it.
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            used, has_ended = max(used, cpu_of_tree(process.pid)), True
            break
    for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        os.kill(process.pid, stop)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            continue
    process.wait()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return used, has_ended


class Solver:
    def __init__(self, text):
        self.text = text
        self.name, _, self.command = text.partition("=")
        self.family = next((family for family in ("z3", "cvc4", "cvc5", "bitwuzla", "yices") if family in self.name), self.name)
        self.lineage = self.family.replace("cvc4", "cvc").replace("cvc5", "cvc")

    def profile(self):
        """How smelt is given it; smelt tells its family by the program."""
        return self.text

    def releases(self):
        """The releases in which a finding about it may be gone: of the same solver with the same options."""
        options = " ".join(shlex.split(self.command)[1:])
        if self.command and options:
            return f"{self.name}={self.family} {options}"
        return "cvc5" if self.family == "cvc4" else self.family

    def file_command(self):
        """A command line that takes a file, as yinyang wants it."""
        if self.command:
            return self.command
        family, _, version = self.name.partition("@")
        cache = os.environ.get("SMELT_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "smelt"
        folders = sorted((Path(cache) / "solvers" / family).glob(f"{version}*"))
        programs = [folder / "bin" / family for folder in folders if (folder / "bin" / family).exists()]
        if not programs:
            sys.exit(f"{self.name} has no program that takes a file: install it, or give NAME=COMMAND")
        return str(programs[0])

    def answer(self, path):
        """What it says of a file."""
        try:
            run = subprocess.run([*shlex.split(self.file_command()), path], capture_output=True, text=True,
                                 timeout=LABEL_SECONDS)
        except subprocess.TimeoutExpired:
            return "timeout"
        return next((line for line in run.stdout.splitlines() if line in ("sat", "unsat")), "unknown")


class Yield:
    def __init__(self, args):
        self.args = args
        self.out = args.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.smelt = str(args.smelt.resolve())
        self.environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        self.seeds = draw_seeds(args.folders, args.count, self.out / f"seeds-{args.count}")
        self.references = [Solver(text) for text in args.reference]

    def reference(self, target):
        others = [one for one in self.references if one.lineage != target.lineage]
        if not others:
            sys.exit(f"no reference is of another family than {target.name}")
        return others[0]

    def labelled(self, target):
        """Folders with the seeds whose answer the target and its reference agree on."""
        place = self.out / f"labelled-{self.args.count}-{target.name}"
        if not place.exists():
            partial = place.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            for answer in ("sat", "unsat"):
                (partial / answer).mkdir(parents=True)
            reference = self.reference(target)
            for path in sorted(self.seeds.iterdir()):
                answer = target.answer(path)
                if answer in ("sat", "unsat") and reference.answer(path) == answer:
                    shutil.copy(path, partial / answer)
            partial.rename(place)
        return place

    def yinyang_program(self, tool):
        venv = Path(os.environ.get("BENCH_VENV", self.out / "venv"))
        if not (venv / "bin" / tool).exists():
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
            subprocess.run([venv / "bin/pip", "install", "--quiet", f"yinyang=={YINYANG}"], check=True)
        return [str(venv / "bin/python"), str(venv / "bin" / tool)]

    def hunt_with_smelt(self, program, target, place):
        argv = [program, "hunt", str(self.seeds), "--solver", target.profile(), "--solver", self.reference(target).profile(),
                "--time", "100h", "--no-triage", "--jobs", "1", "--timeout", str(self.args.timeout), "--seed",
                place.name.rpartition("-")[2], "--dir", "campaign", "--trust"]
        used, has_ended = spend(argv, place, self.args.budget, self.environment)
        if has_ended:
            sys.exit(f"smelt ended before its time: see {place}/output")
        return used

    def hunt_with_yinyang(self, tool, target, place):
        commands = target.file_command()
        runs = [([], self.seeds, self.args.budget)]
        if tool == "yinyang":
            folders = self.labelled(target)
            runs = [(["-o", answer], folders / answer, self.args.budget / 2) for answer in ("sat", "unsat")]
            runs = [run for run in runs if any(run[1].iterdir())]
        else:
            commands += ";" + self.reference(target).file_command()
        for name in ("scratch", "logs", "bugs"):
            (place / name).mkdir(exist_ok=True)
        timeout = str(max(1, round(self.args.timeout)))
        total = 0.0
        for options, seeds, budget in runs:
            used = 0.0
            # A tool that has gone through all seeds starts again, with other random numbers.
            while used < budget:
                argv = [*self.yinyang_program(tool), *options, "-t", timeout, "-n", "-s", "scratch", "-l", "logs",
                        "-b", "bugs", commands, str(seeds)]
                spent, has_ended = spend(argv, place, budget - used, self.environment)
                used += spent
                if has_ended and spent < 1:
                    sys.exit(f"{tool} ended at once: see {place}/output")
            total += used
        shutil.rmtree(place / "scratch")
        return total

    def import_bugs(self, target, place):
        """Judges the files of another tool as smelt judges its own cases."""
        bugs = sorted((place / "bugs").glob("*.smt2"))
        if not bugs or (place / "campaign").exists():
            return len(bugs)
        argv = [self.smelt, "hunt", str(place / "bugs"), "--technique", "unchanged", "--cases", str(len(bugs)), "--no-triage",
                "--solver", target.profile(), "--solver", self.reference(target).profile(), "--jobs", "1", "--dir",
                str(place / "importing"), "--trust"]
        shutil.rmtree(place / "importing", ignore_errors=True)
        run = subprocess.run(argv, capture_output=True, text=True, env=self.environment)
        (place / "import.log").write_text(run.stdout + run.stderr)
        if (place / "importing").exists():
            (place / "importing").rename(place / "campaign")
        return len(bugs)

    def findings(self, target, place):
        """The findings against the target, each with its bug."""
        if not (place / "campaign/campaign.db").exists():
            return []
        run = subprocess.run([self.smelt, "findings", "--all", "--json", "--dir", str(place / "campaign"), "--trust"],
                             capture_output=True, text=True, env=self.environment)
        listed = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
        counted = [one for one in listed if one["culprit"] == target.name and one["class"] not in NOT_COUNTED]
        known = place / "fixed.json"
        fixed = json.loads(known.read_text()) if known.exists() else {}
        for one in counted:
            if one["id"] not in fixed:
                fixed[one["id"]] = self.first_good(target, place, one["id"])
                known.write_text(json.dumps(fixed, indent=1))
        return [{"id": one["id"], "class": one["class"], "fixed": fixed[one["id"]], "technique": one["technique"]}
                for one in counted]

    def first_good(self, target, place, finding):
        """The first release after the last one that shows a finding; none if the newest does."""
        argv = [self.smelt, "bisect", finding, "--dir", str(place / "campaign"), "--all", "--json", "--trust", "--solver",
                target.releases()]
        run = subprocess.run(argv, capture_output=True, text=True, env=self.environment)
        lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
        if not lines:
            return "unknown"
        good = None
        for release, state in json.loads(lines[-1])["seen"]:
            if state == "bad":
                good = None
            elif state == "good" and good is None:
                good = release.rpartition("@")[2]
        return good or "not yet"

    def cell(self, tool, target, number):
        place = self.out / target.name / f"{tool}-{self.args.budget:g}s-{number}"
        spent = place / "spent.json"
        if not spent.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            if tool in ("smelt", "before"):
                program = self.smelt if tool == "smelt" else str(self.args.before.resolve())
                used = self.hunt_with_smelt(program, target, place)
            else:
                used = self.hunt_with_yinyang(tool, target, place)
            spent.write_text(json.dumps({"cpu": used}))
        files = None if tool in ("smelt", "before") else self.import_bugs(target, place)
        findings = self.findings(target, place)
        bugs = sorted({f"{one['class']}, {one['fixed']}" for one in findings})
        result = {"target": target.name, "tool": tool, "number": number, "files": files, "findings": len(findings),
                  "bugs": bugs, **json.loads(spent.read_text()), **rates(tool, place)}
        with open(self.out / "results.jsonl", "a") as results:
            results.write(json.dumps(result) + "\n")
        return result

    def run(self):
        repeats = {name: int(count) for name, _, count in (text.rpartition("=") for text in self.args.repeat)}
        tools = self.args.tool or [tool for tool in TOOLS if tool != "before" or self.args.before]
        results = []
        for target in map(Solver, self.args.target):
            for number in range(repeats.get(target.name, 1)):
                for tool in tools:
                    results.append(self.cell(tool, target, number))
                    print(json.dumps(results[-1]), file=sys.stderr, flush=True)
        return results


def rates(tool, place):
    """Of a hunt of smelt: cases per CPU second, the share that a solver decided, and of CPU in runs that a limit ended."""
    if tool not in ("smelt", "before"):
        return {}
    database = sqlite3.connect(place / "campaign/campaign.db")
    value = lambda query: database.execute(query).fetchone()[0] or 0
    totals = json.loads(value("SELECT totals FROM campaign"))
    seconds = lambda time: time["secs"] + time["nanos"] / 1e9
    solvers = seconds(totals["solver_cpu"])
    cases = value("SELECT count(DISTINCT case_id) FROM runs")
    decided = value("SELECT count(DISTINCT case_id) FROM runs WHERE answer IN ('sat', 'unsat')")
    cut = value("SELECT sum(cpu_us) / 1e6 FROM runs WHERE ended_by IS NOT NULL")
    return {"cases_per_cpu_second": cases / max(1e-9, solvers + seconds(totals["own_cpu"])),
            "decided": decided / max(1, cases), "cut": cut / max(1e-9, solvers)}


def table(results):
    lines = ["| target | tool | CPU seconds | files | findings | distinct bugs | bugs per CPU hour | cases per CPU second | decided | CPU in cut runs |",
             "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    cells = {}
    for result in results:
        cells.setdefault((result["target"], result["tool"]), []).append(result)
    for (target, tool), runs in cells.items():
        cpu = sum(run["cpu"] for run in runs)
        bugs = [len(run["bugs"]) for run in runs]
        mean = lambda key, form: form.format(sum(run[key] for run in runs) / len(runs)) if key in runs[0] else "-"
        name = f"yinyang {YINYANG}, {tool}" if tool in ("opfuzz", "typefuzz", "yinyang") else tool
        files = "-" if runs[0]["files"] is None else str(sum(run["files"] for run in runs))
        lines.append(f"| {target} | {name} | {cpu:.0f} | {files} | {sum(run['findings'] for run in runs)} | "
                     f"{' '.join(map(str, bugs))} | {sum(bugs) / cpu * 3600:.1f} | {mean('cases_per_cpu_second', '{:.1f}')} | "
                     f"{mean('decided', '{:.0%}')} | {mean('cut', '{:.0%}')} |")
    return "\n".join(lines) + "\n"


DOCUMENT = """# Yield

Distinct confirmed bugs per CPU hour, of smelt and of yinyang {yinyang}'s tools, on the same {count} seeds, {budget:g} CPU seconds for each hunt.
Written by `bench/yield.py`; the script says what is measured and how, and what counts as one bug.

{table}
"""


def main():
    args = arguments()
    text = table(Yield(args).run())
    print(text)
    if args.write:
        args.write.write_text(DOCUMENT.format(yinyang=YINYANG, count=args.count, budget=args.budget, table=text))


if __name__ == "__main__":
    main()

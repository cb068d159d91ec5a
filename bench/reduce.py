#!/usr/bin/env python3
"""Reducing the same inputs with `smelt reduce` and with ddSMT 2.0.6, one after the other, by the same criterion.

An input is a line of a list, its fields separated by tabs:

    FILE    ANSWER    COMMAND [    ANSWER    COMMAND ]

It shows what it shows as long as each COMMAND, given the file, answers with its ANSWER as the first line; `crash` means
that it dies of the signal it died of at first, and `has:TEXT` that TEXT is somewhere in its output. The second command is run only if the first one answers so. With
`--findings CAMPAIGN` the crashes and wrong answers of a hunt are inputs too; those are also reduced by their id, with
the finding itself as the criterion.

Both tools get the same shell script as their command. It counts the solver runs, so nobody's own figures are used. A tool
is stopped (Ctrl-C) when it and its children have used --cpu seconds of processor time; then the best so far counts.

A result is valid if `smelt check`, z3 and cvc5 read it without complaint. A result has slipped if it no longer shows what
the input shows when somebody else looks at it: a wrong `unsat` needs a model that `smelt eval` accepts, a wrong `sat` needs
a refutation by both z3 and cvc5, a crash needs a valid script. Only findings are looked at in this way.

    bench/reduce.py --smelt target/release/smelt --z3 Z3 --cvc5 'CVC5' --work FOLDER --cpu 60 \\
        [--inputs LIST] [--findings CAMPAIGN].. [--most N] [--write]

writes docs/design/reduce.md with --write, from the figures in FOLDER; inputs with figures there are not run again.
"""

import argparse
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DDSMT = "2.0.6"
TICKS = os.sysconf("SC_CLK_TCK")
WRONG = {"soundness-refutation": ("unsat", "sat"), "soundness-solution": ("sat", "unsat")}
RUN_SECS = 1


def processes(session):
    """The processes of a session, each with what it and the children that it has waited for have used."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            yield int(stat.parent.name), sum(int(field) for field in fields[11:15]) / TICKS


def end(session):
    """Ends what is left of a session, whatever groups its processes are in."""
    for pid, _ in processes(session):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def limited(command, seconds, log, environment=None):
    """Runs a tool for so many seconds of processor time; what it used, and whether it ended by itself."""
    with open(log, "w") as out:
        tool = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True, env=environment)
    used, asked = 0.0, None
    while tool.poll() is None:
        time.sleep(0.05)
        used = max(used, sum(spent for _, spent in processes(tool.pid)))
        if used >= seconds and asked is None:
            tool.send_signal(signal.SIGINT)
            asked = time.time()
        if asked is not None and time.time() - asked > 5:
            end(tool.pid)
    end(tool.pid)
    return min(used, seconds) if asked else used, asked is None


class Input:
    """A file, what its commands answer, and the finding that it comes from, if it does."""

    def __init__(self, name, file, answers, finding=None):
        self.name, self.file, self.answers, self.finding = name, Path(file), answers, finding

    def criterion(self, folder):
        """A script that succeeds on files that show it, and counts the runs."""
        lines = ["#!/bin/sh", f"ulimit -t {RUN_SECS} -c 0"]
        for answer, command in self.answers:
            lines.append(f"printf . >> {shlex.quote(str(folder / 'runs'))}")
            if answer == "crash":
                done = subprocess.run([*shlex.split(command), self.file], capture_output=True)
                lines += [f'{command} "$1" > /dev/null 2>&1', f"[ $? -eq {128 - done.returncode} ] || exit 1"]
            elif answer.startswith("has:"):
                wanted = shlex.quote(answer.removeprefix("has:"))
                lines += [f'{command} "$1" 2> /dev/null | grep -q -e {wanted} || exit 1']
            else:
                lines += [f'[ "$({command} "$1" 2> /dev/null | head -n 1)" = {answer} ] || exit 1']
        script = folder / "criterion"
        script.write_text("\n".join([*lines, "exit 0", ""]))
        script.chmod(0o755)
        return script


def of_list(path):
    for line in Path(path).read_text().splitlines():
        fields = line.split("\t")
        answers = list(zip(fields[1::2], fields[2::2]))
        if len(fields) >= 3:
            yield Input("-".join(Path(fields[0]).with_suffix("").parts[-2:]), fields[0], answers)


def of_campaign(folder, z3):
    for path in sorted(Path(folder, "findings").glob("*/finding.json")):
        finding = json.loads(path.read_text())
        found = [command for command in finding["commands"] if command["solver"] == finding["culprit"]]
        if not found or found[0]["environment"]:
            continue
        args = [arg for arg in found[0]["args"] if arg not in ("-in", "-")]
        command = shlex.join([found[0]["program"], *args])
        file = path.parent / "case.smt2"
        if finding["class"] == "crash":
            yield Input(finding["id"], file, [("crash", command)], (folder, finding))
        elif finding["class"] in WRONG:
            wrong, right = WRONG[finding["class"]]
            yield Input(finding["id"], file, [(wrong, command), (right, z3)], (folder, finding))


class Bench:
    def __init__(self, args):
        self.args = args
        self.work = args.work.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        venv = Path(os.environ.get("BENCH_VENV", self.work / "venv"))
        if not (venv / "bin/ddsmt").exists():
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
            subprocess.run([venv / "bin/pip", "install", "--quiet", f"ddSMT=={DDSMT}"], check=True)
        self.ddsmt = str(venv / "bin/ddsmt")

    def inputs(self):
        found = []
        if self.args.inputs:
            found += of_list(self.args.inputs)
        for campaign in self.args.findings:
            some = list(of_campaign(campaign, self.args.z3))
            # The larger a finding is, the more there is to do.
            some.sort(key=lambda one: (one.answers[0][0] == "crash", -one.file.stat().st_size))
            found += some[: self.args.most]
        return found

    def commands(self, one, folder, criterion):
        """The tools, and how each is started."""
        source, smelt = folder / "input.smt2", self.args.smelt
        source.write_bytes(one.file.read_bytes())
        yield "ddSMT", [self.ddsmt, "-j", "1", "--timeout", "60", str(source), str(folder / "ddSMT.smt2"), str(criterion)]
        yield "smelt", [smelt, "reduce", str(source), "-o", str(folder / "smelt.smt2"), "--", str(criterion)]
        if one.finding:
            campaign, finding = one.finding
            output = ["-o", str(folder / "smelt-id.smt2")]
            yield "smelt-id", [smelt, "reduce", finding["id"], "--dir", campaign, *output]

    def measure(self, one):
        folder = self.work / one.name
        kept = folder / "figures.json"
        if kept.exists():
            return json.loads(kept.read_text())
        folder.mkdir(exist_ok=True)
        criterion = one.criterion(folder)
        figures = {"name": one.name, "bytes": one.file.stat().st_size, "finding": bool(one.finding), "tools": {}}
        for tool, command in self.commands(one, folder, criterion):
            runs, result = folder / "runs", folder / f"{tool}.smt2"
            runs.write_text("")
            result.unlink(missing_ok=True)
            used, ended = limited(command, self.args.cpu, folder / f"{tool}.log")
            count = len(runs.read_text()) or None
            if tool == "smelt-id":
                said = re.search(r"(\d+) runs", (folder / f"{tool}.log").read_text())
                count = int(said.group(1)) if said else None
            if not result.exists():
                result.write_bytes(one.file.read_bytes())
            size = result.stat().st_size
            judged = {"valid": self.is_valid(result), "slipped": self.has_slipped(one, result)}
            figures["tools"][tool] = {"bytes": size, "cpu": used, "runs": count, "ended": ended, **judged}
            print(f"{one.name} {tool}: {figures['tools'][tool]}", flush=True)
        kept.write_text(json.dumps(figures))
        return figures

    def is_valid(self, result):
        """Whether smelt, z3 and cvc5 read a result; none of them has to answer it."""
        if subprocess.run([self.args.smelt, "check", result], capture_output=True).returncode != 0:
            return False
        printed = [self.args.smelt, "print", "--dialect", "2.6", str(result)]
        text = subprocess.run(printed, capture_output=True, text=True).stdout
        text = re.sub(r"\((check-sat[^()]*|get-[^()]*)\)|\(check-sat-assuming \([^()]*\)\)|\(get-value \(.*\)\)", "", text)
        return all("(error" not in self.answer(command, text) for command in (self.args.z3, self.args.cvc5))

    def answer(self, command, text):
        script = self.work / "question.smt2"
        script.write_text(text)
        try:
            done = subprocess.run([*shlex.split(command), script], capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return "timeout"
        return done.stdout + done.stderr

    def has_slipped(self, one, result):
        """Whether a result of a finding is no longer that finding, as others see it."""
        if not one.finding:
            return None
        if not self.is_valid(result):
            return True
        for answer, command in one.answers[:1]:
            said = subprocess.run([*shlex.split(command), result], capture_output=True, text=True)
            if answer == "crash":
                return said.returncode >= 0
            if said.stdout.split("\n", 1)[0] != answer:
                return True
        printed = [self.args.smelt, "print", "--dialect", "2.6", str(result)]
        text = subprocess.run(printed, capture_output=True, text=True).stdout
        plain = re.sub(r"\((set-option|get-)[^()]*\)", "", text)
        if one.answers[0][0] == "sat":
            return any(self.answer(command, plain).split("\n", 1)[0] != "unsat" for command in (self.args.z3, self.args.cvc5))
        for command in (self.args.z3, self.args.cvc5):
            said = self.answer(command, f"(set-option :produce-models true)\n{plain}\n(get-model)\n")
            if said.startswith("sat\n"):
                formula, model = self.work / "formula.smt2", self.work / "model"
                formula.write_text(plain)
                model.write_text(said.removeprefix("sat\n"))
                return subprocess.run([self.args.smelt, "eval", formula, "--model", model], capture_output=True).returncode != 0
        return True


def mean(numbers):
    numbers = list(numbers)
    return math.exp(sum(math.log(max(number, 0.01)) for number in numbers) / len(numbers)) if numbers else float("nan")


def table(all_figures, seconds):
    """The figures of each input, and what they come to."""
    tools = ["ddSMT", "smelt", "smelt-id"]
    lines = [
        "| input | bytes | " + " | ".join(f"{tool}: bytes | CPU s | runs | valid" for tool in tools) + " |",
        "|---" * (2 + 4 * len(tools)) + "|",
    ]
    for figures in all_figures:
        cells = [figures["name"], str(figures["bytes"])]
        for tool in tools:
            found = figures["tools"].get(tool)
            if not found:
                cells += ["", "", "", ""]
                continue
            valid = "slipped" if found["slipped"] and found["valid"] else "yes" if found["valid"] else "no"
            cut = "" if found["ended"] else " +"
            cells += [str(found["bytes"]), f"{found['cpu']:.1f}{cut}", str(found["runs"] or ""), valid]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    lines.append(f"`+`: stopped at {seconds:g} s of processor time, the best so far counts.")
    lines.append("")
    lines.append("| | inputs | geometric mean of bytes: ddSMT | smelt | CPU s in all: ddSMT | smelt | mean ratio | runs: ddSMT | smelt |")
    lines.append("|---" * 9 + "|")

    def sum_up(title, some, tool):
        pairs = [(one["tools"]["ddSMT"], one["tools"][tool]) for one in some if tool in one["tools"]]
        if not pairs:
            return
        cells = [title, str(len(pairs))]
        cells += [f"{mean(pair[side]['bytes'] for pair in pairs):.0f}" for side in (0, 1)]
        cells += [f"{sum(pair[side]['cpu'] for pair in pairs):.1f}" for side in (0, 1)]
        cells += [f"{mean(theirs['cpu'] for theirs, _ in pairs) / mean(ours['cpu'] for _, ours in pairs):.1f}"]
        cells += [str(sum(pair[side]["runs"] or 0 for pair in pairs)) for side in (0, 1)]
        lines.append("| " + " | ".join(cells) + " |")

    valid = [one for one in all_figures if one["tools"]["ddSMT"]["valid"]]
    sum_up("all, by the command", all_figures, "smelt")
    sum_up("where ddSMT's result is valid, by the command", valid, "smelt")
    sum_up("findings, by the finding itself", all_figures, "smelt-id")
    sum_up("findings where ddSMT's result is valid, by the finding itself", valid, "smelt-id")
    lines.append("")
    for tool in tools:
        found = [one["tools"][tool] for one in all_figures if tool in one["tools"]]
        looked = [one for one in found if one["slipped"] is not None]
        slipped = sum(one["slipped"] for one in looked)
        lines.append(f"- {tool}: {sum(one['valid'] for one in found)} of {len(found)} results are valid, {slipped} of {len(looked)} findings slipped.")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smelt", required=True)
    parser.add_argument("--z3", required=True, help="a recent z3, by its path")
    parser.add_argument("--cvc5", required=True, help="a command that reads a file")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--cpu", type=float, default=60)
    parser.add_argument("--inputs", type=Path)
    parser.add_argument("--findings", action="append", default=[])
    parser.add_argument("--most", type=int, default=10, help="findings of each campaign")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    bench = Bench(args)
    text = table([bench.measure(one) for one in bench.inputs()], args.cpu)
    print(text)
    if args.write:
        document = ROOT / "docs/design/reduce.md"
        head = document.read_text().split("<!-- table -->")[0] if document.exists() else ""
        document.write_text(f"{head}<!-- table -->\n{text}\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures the native host of cvc5 and compares what it prints with what the Python driver prints.

First the processor time of a cold run on a trivial formula, side by side with `python3 -c 'import cvc5'` and the driver.
Then, with a FOLDER, files below it are run with both: each as it is, each with a request for a model, a core or a proof
added, and all of them in sessions of several scripts that are reset and of scripts that are pushed and popped. Outputs and
exit codes must be the same; what differs is named. Runs that either of them was cut in are counted and not compared.

Usage: hosts.py --host PATH --cvc5 DIR [--most N] [--limit SECS] [FOLDER]
  --host PATH  the host of an installed release, `~/.cache/smelt/solvers/cvc5/VERSION/host/cvc5`
  --cvc5 DIR   the unpacked wheel, `~/.cache/smelt/solvers/cvc5/VERSION/lib`
"""

import argparse
import hashlib
import os
import pathlib
import re
import resource
import signal
import statistics
import subprocess
import sys

DRIVER = pathlib.Path(__file__).parent.parent / "crates/smelt-runner/src/cvc5_driver.py"
TINY = b"(set-logic ALL)\n(declare-fun x () Int)\n(assert (> x 2))\n(assert (< x 4))\n(check-sat)\n"
# `python3` on the PATH may be the script of a version manager.
PYTHON = os.path.realpath(sys.executable)


def run(command, script, limit, environment):
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            command, input=script, capture_output=True, env=environment, preexec_fn=limits, timeout=limit * 20
        )
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        code, output = -signal.SIGKILL, b""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return code, output, cpu * 1e3


def measure(name, command, environment):
    times = [run(command, TINY, 10, environment)[2] for _ in range(15)]
    print(f"{name:<32} {statistics.median(times):7.1f} ms, at least {min(times):.1f} ms")
    return statistics.median(times)


def variants(text):
    """A file as it is, and with requests for what solvers print besides answers."""
    yield "as it is", text
    checks = list(re.finditer(rb"\(check-sat\)", text))
    if not checks or b"(get-" in text or b"(exit)" in text[: checks[-1].start()]:
        return
    head = text[: checks[-1].end()]
    yield "model", b"(set-option :produce-models true)\n" + head + b"\n(get-model)\n"
    yield "core", b"(set-option :produce-unsat-cores true)\n" + head + b"\n(get-unsat-core)\n(get-info :reason-unknown)\n"
    yield "proof", b"(set-option :produce-proofs true)\n" + head + b"\n(get-proof)\n"
    yield "broken", head.replace(b")", b"", 1) + b"\n(get-model)\n(check-sat)\n"


def sessions(texts):
    """Several files in one process, between which solvers are told to forget."""
    plain = [text for text in texts if not re.search(rb"\((push|pop|reset|exit|get-|set-option|check-sat-assuming)", text)]
    reset = b"".join(
        b"(reset)\n" + text + b'\n(echo "smelt:%d")\n' % number for number, text in enumerate(plain)
    )
    logic = re.compile(rb"\(set-logic[^()]*\)|\(set-info[^()]*\)|\(set-info :source[^|]*\|[^|]*\|\s*\)")
    levels = b"(set-option :incremental true)\n(set-logic ALL)\n" + b"".join(
        b"(push 1)\n" + logic.sub(b"", text) + b'\n(echo "smelt:%d")\n(pop 1)\n' % number
        for number, text in enumerate(plain)
    )
    return [("reset session", reset), ("push and pop session", levels)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", required=True)
    parser.add_argument("--cvc5", required=True)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("folder", nargs="?")
    options = parser.parse_args()

    environment = dict(os.environ, PYTHONPATH=options.cvc5, PYTHONDONTWRITEBYTECODE="1")
    host, driver = [options.host], [PYTHON, str(DRIVER)]
    imported = measure("python3 -c 'import cvc5'", [PYTHON, "-c", "import cvc5"], environment)
    measure("driver, trivial formula", driver, environment)
    cold = measure("host, trivial formula", host, environment)
    print(f"host / import: {cold / imported:.2f}")
    if not options.folder:
        sys.exit(0 if cold * 3 <= imported else 1)

    files = [path for path in pathlib.Path(options.folder).rglob("*.smt2") if path.stat().st_size < 200_000]
    files.sort(key=lambda path: hashlib.sha256(str(path.relative_to(options.folder)).encode()).digest())
    files = files[: options.most]
    texts = [path.read_bytes() for path in files]
    cases = [(f"{path}, {what}", script) for path, text in zip(files, texts) for what, script in variants(text)]
    for start in range(0, len(texts), 10):
        some = texts[start : start + 10]
        cases += [(f"files {start}.., {what}", script) for what, script in sessions(some)]
    same = cut = 0
    differing = []
    for name, script in cases:
        runs = [run(command, script, options.limit, environment)[:2] for command in (host, driver)]
        if any(code in (-signal.SIGKILL, -signal.SIGXCPU) for code, _ in runs):
            cut += 1
        elif runs[0] == runs[1]:
            same += 1
        else:
            differing.append(name)
            print(f"differs: {name}: {runs[0][0]} {runs[0][1][-200:]!r} against {runs[1][0]} {runs[1][1][-200:]!r}")
    print(f"{len(cases)} runs of {len(files)} files: {same} the same, {cut} cut, {len(differing)} differ")
    sys.exit(1 if differing or cold * 3 > imported else 0)


if __name__ == "__main__":
    main()

"""Runs cvc5 from its Python package as a program that reads SMT-LIB from standard input.

Text up to a line `(echo "smelt:N")` is one script: it is solved by a child of this process, so that the interpreter
and the library are loaded once. What is left at the end of the input is solved by this process itself.
"""

import os
import signal
import sys

import cvc5

OPTIONS = sys.argv[1:]


def new_solver(script):
    manager = cvc5.TermManager() if hasattr(cvc5, "TermManager") else None
    solver = cvc5.Solver(manager) if manager else cvc5.Solver()
    # The programming interface is incremental by default, the command line is not.
    checks = script.count("(check-sat")
    is_incremental = "(push" in script or "(check-sat-assuming" in script or checks > 1
    solver.setOption("incremental", "true" if is_incremental else "false")
    for option in ["strings-exp=true", "fp-exp=true", *OPTIONS]:
        name, _, value = option.lstrip("-").partition("=")
        try:
            solver.setOption(name, value or "true")
        except RuntimeError as error:
            if option in OPTIONS:
                raise error
    return solver


def solve(script):
    solver = new_solver(script)
    parser = cvc5.InputParser(solver)
    language = cvc5.InputLanguage.SMT_LIB_2_6
    parser.setStringInput(language, script, "script")
    symbols = parser.getSymbolManager()
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return
        answer = command.invoke(solver, symbols)
        sys.stdout.write(answer)
        sys.stdout.flush()
        if str(command).startswith("(exit"):
            return


def answer(script):
    try:
        solve(script)
    except Exception as error:  # what goes wrong is part of the answer
        text = str(error).replace('"', "'").replace("\n", " ")
        kind = "Parse Error: " if type(error).__name__ == "ParserException" else ""
        sys.stdout.write(f'(error "{kind}{text}")\n')
    sys.stdout.flush()


def main():
    pending = []
    for line in sys.stdin:
        if not line.startswith('(echo "smelt:'):
            # A script that starts with a reset starts afresh anyway, and a reset would undo the options.
            if pending or line.strip() != "(reset)":
                pending.append(line)
            continue
        script = "".join(pending)
        pending = []
        child = os.fork()
        if child == 0:
            answer(script)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            # Whoever asked sees a crash as that of this process.
            os.kill(os.getpid(), os.WTERMSIG(status))
            signal.pause()
        sys.stdout.write(line[7:-3] + "\n")
        sys.stdout.flush()
    if pending:
        answer("".join(pending))


main()

"""Runs cvc5 from its Python package as a program that reads SMT-LIB from standard input.

It is used where the library has no interface for C, before 1.2.0, or cannot be loaded by the host. It adds no options: all
that cvc5 is run with is on the command line or in the script.

Text up to a line `(echo "smelt:N")` is one script. One that begins with `(reset)` is run by a child of this process, so
that the interpreter and the library are loaded once and nothing is left of the scripts before. Any other continues where
the one before has ended, so that formulas can be pushed and popped; there this process ends at the first error, as cvc5
itself does, because what comes after it would not mean what it says. What is left at the end of the input is run by this
process itself.
"""

import os
import signal
import sys

# Isolated, Python does not look into the folder of the package.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))

import cvc5

OPTIONS = [argument for argument in sys.argv[1:] if argument.startswith("-")]
FILES = [argument for argument in sys.argv[1:] if not argument.startswith("-")]

# Some releases crash when what the library holds is taken apart after an error, so nothing ever is.
KEPT = []


class ParseError(Exception):
    """A script that cvc5 does not understand. Its own exception has a general type in most releases."""


class Session:
    """A solver with what it was told so far."""

    def __init__(self, first_script):
        manager = cvc5.TermManager() if hasattr(cvc5, "TermManager") else None
        self.solver = cvc5.Solver(manager) if manager else cvc5.Solver()
        # The programming interface is incremental by default, the command line is not.
        checks = first_script.count("(check-sat")
        is_incremental = "(push" in first_script or "(check-sat-assuming" in first_script or checks > 1
        self.solver.setOption("incremental", "true" if is_incremental else "false")
        for option in OPTIONS:
            name, _, value = option.lstrip("-").partition("=")
            # What the command line of cvc5 needs to read SMT-LIB, this program does anyway.
            if name != "lang":
                self.solver.setOption(name, value or "true")
        self.parser = cvc5.InputParser(self.solver)
        self.symbols = self.parser.getSymbolManager()
        self.is_over = False
        KEPT.append(self)

    def run(self, script):
        """Runs the commands of a script; says whether one failed that more can depend on."""
        self.parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
        has_failed = False
        while True:
            try:
                command = self.parser.nextCommand()
            except Exception as error:
                raise ParseError(f"Parse Error: {error}") from error
            if command.isNull():
                return has_failed
            answer = command.invoke(self.solver, self.symbols)
            sys.stdout.write(answer)
            sys.stdout.flush()
            text = str(command)
            has_failed |= answer.startswith("(error") and not text.startswith("(get-")
            if text.startswith("(exit"):
                self.is_over = True
                return has_failed


def run(session, script):
    """Runs a script in a session, or in a new one; gives the session, or none if it cannot be asked more."""
    try:
        session = session or Session(script)
        if session.run(script) or session.is_over:
            session = None
    except Exception as error:  # what goes wrong is part of the answer
        text = str(error).replace('"', "'").replace("\n", " ")
        sys.stdout.write(f'(error "{text}")\n')
        session = None
    sys.stdout.flush()
    return session


def end(status):
    sys.stdout.flush()
    os._exit(status)


def run_in_child(script):
    child = os.fork()
    if child == 0:
        run(None, script)
        end(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        # A crash of the child is seen as one of this process.
        os.kill(os.getpid(), os.WTERMSIG(status))
        signal.pause()


def main():
    if "--version" in OPTIONS:
        solver = cvc5.Solver(cvc5.TermManager()) if hasattr(cvc5, "TermManager") else cvc5.Solver()
        version = solver.getVersion()
        print(version.decode() if isinstance(version, bytes) else version)
        end(0)
    for file in FILES:
        with open(file) as script:
            run(None, script.read())
        end(0)
    pending = []
    session = None
    for line in sys.stdin:
        if not line.startswith('(echo "smelt:'):
            pending.append(line)
            continue
        script = "".join(pending)
        if pending and pending[0].strip() == "(reset)":
            session = None
            # The child has nothing to forget, and a reset would undo the options of the command line.
            run_in_child("".join(pending[1:]))
        else:
            session = run(session, script)
            if session is None:
                end(1)
        pending = []
        sys.stdout.write(line[7:-3] + "\n")
        sys.stdout.flush()
    if pending and pending[0].strip() == "(reset)":
        pending = pending[1:]
    if pending:
        run(session, "".join(pending))
    end(0)


main()

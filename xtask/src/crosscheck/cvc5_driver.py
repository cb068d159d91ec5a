"""Answers requests about SMT-LIB terms with cvc5, one line each; started by `cargo xtask crosscheck`.

  prelude TEXT   commands that every session starts with
  fold TERM      what the rewriter, or failing that the solver, says of a ground Boolean term: true, false, unknown
  prove SCRIPT   the answer of the last check of a script, in a session of its own
  value TERM     the term that the rewriter makes of a ground term

The argument is the logic of all sessions.
"""
import sys

from cvc5 import InputLanguage, InputParser, Kind, Solver, SymbolManager, TermManager

LANGUAGE = InputLanguage.SMT_LIB_2_6
# Terms live as long as their manager, so it is replaced now and then.
REQUESTS_PER_SESSION = 4000


class Session:
    def __init__(self, prelude, options):
        self.manager = TermManager()
        self.solver = Solver(self.manager)
        for name, value in options:
            self.solver.setOption(name, value)
        self.solver.setLogic(sys.argv[1])
        self.symbols = SymbolManager(self.manager)
        self.run(prelude)

    def parser(self, text):
        parser = InputParser(self.solver, self.symbols)
        parser.setStringInput(LANGUAGE, text, "request")
        return parser

    def run(self, text):
        parser = self.parser(text)
        output = ""
        while True:
            command = parser.nextCommand()
            if command.isNull():
                return output
            output = command.invoke(self.solver, self.symbols) or output

    def term(self, text):
        return self.parser(text).nextTerm()


COMMON = [("fp-exp", "true"), ("strings-exp", "true"), ("arrays-exp", "true"), ("sets-exp", "true"), ("tlimit-per", "500")]


def fold(session, text):
    term = session.term(text)
    answer = str(session.solver.simplify(term))
    if answer in ("true", "false"):
        return answer
    session.solver.push()
    try:
        session.solver.assertFormula(session.manager.mkTerm(Kind.NOT, term))
        result = session.solver.checkSat()
    finally:
        session.solver.pop()
    return "true" if result.isUnsat() else "false" if result.isSat() else "unknown"


def main():
    prelude = ""
    session = None
    served = 0
    for line in sys.stdin:
        kind, _, text = line.rstrip("\n").partition(" ")
        try:
            if kind == "prelude":
                prelude, session, answer = text, None, "ok"
            elif kind == "prove":
                answer = Session("", COMMON + [("incremental", "false")]).run(prelude + text)
            else:
                if session is None or served >= REQUESTS_PER_SESSION:
                    session, served = Session(prelude, COMMON + [("incremental", "true")]), 0
                served += 1
                answer = fold(session, text) if kind == "fold" else str(session.solver.simplify(session.term(text)))
        except Exception as error:
            answer = "(error " + str(error)
        print(answer.strip().replace("\n", " "), flush=True)


main()

//! Typed reading: S-expressions to scripts of typed terms.
//!
//! Reading never gives up: every problem becomes a diagnostic, the place where it happened becomes an opaque term
//! or command of unknown sort, and reading goes on. A caller that wants only well-formed input asks whether there are
//! diagnostics; one that must carry foreign text through unharmed looks past [`Problem::UnknownName`].
//!
//! Nothing here recurses on the depth of the input.

mod apply;
mod commands;
mod extensions;
mod prime;
mod scope;
mod sorts;
mod terms;
mod well_founded;

use crate::diagnostic::{Diagnostic, Diagnostics, Problem};
use crate::dialect::{Spellings, literal_to_26};
use crate::op::Dialect;
use crate::script::{Command, Definition, Origin, Script};
use crate::sexp::{Kind, Scanner, Tape};
use crate::sort::SortKind;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::term::{Head, Term, Terms};
use scope::Locals;
pub use scope::{Declaration, DeclarationKind, Scope};

/// A script and the problems found while reading it.
#[derive(Debug, Clone)]
pub struct Reading {
    /// What was read; commands with problems are there too.
    pub script: Script,
    /// The problems in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The declarations in force at the end.
    pub scope: Scope,
}

impl Reading {
    /// What reading the text of a script would give, without reading it; nothing if the script does more than declare
    /// constants and functions, assert and ask, or has binders or names in its terms. `subterms` are all that it has.
    pub fn of_plain(terms: &Terms, script: &Script, subterms: &[Term]) -> Option<Reading> {
        let is_plain = |head| matches!(head, Head::Op(..) | Head::Literal(..) | Head::Global(_));
        if !subterms.iter().all(|term| is_plain(terms.head(*term))) {
            return None;
        }
        let mut scope = Scope::new();
        for command in &script.commands {
            let (name, params, result) = match command {
                Command::DeclareConst(name, sort) => (*name, Vec::new(), *sort),
                Command::DeclareFun(name, params, sort) => (*name, params.clone(), *sort),
                Command::Assert(_)
                | Command::CheckSat
                | Command::GetModel
                | Command::SetInfo(..)
                | Command::SetLogic(_) => continue,
                _ => return None,
            };
            let is_finite_set = |kind: &SortKind| matches!(kind, SortKind::FiniteSet(_));
            scope.uses_finite_sets |=
                params.iter().chain([&result]).any(|sort| terms.sorts.any_part(*sort, is_finite_set));
            let kind = DeclarationKind::Declared;
            scope.declare(Declaration { name, params, result, kind, is_generic: false });
        }
        let origins = vec![Origin::Made; script.commands.len()];
        let script = Script { commands: script.commands.clone(), origins, dialect: Dialect::V26 };
        Some(Reading { script, diagnostics: Vec::new(), scope })
    }
}

/// Reads a whole script in the dialect that its spellings show.
pub fn read_script(terms: &mut Terms, source: &str) -> Reading {
    let (mut reading, spellings) = read_all(terms, source, Dialect::V26);
    let dialect = spellings.dialect();
    // The dialect decides how names are printed and how escapes are read.
    if dialect != Dialect::V26 && source.contains('\\') {
        reading = read_all(terms, source, dialect).0;
    }
    reading.script.dialect = dialect;
    reading
}

/// Reads a whole script in a given dialect.
pub fn read_script_as(terms: &mut Terms, source: &str, dialect: Dialect) -> Reading {
    read_all(terms, source, dialect).0
}

fn read_all(terms: &mut Terms, source: &str, dialect: Dialect) -> (Reading, Spellings) {
    // About what real files have; too much costs nothing but address space.
    terms.reserve(source.len() / 128);
    let mut scope = Scope::new();
    let mut script = Script { dialect, ..Script::default() };
    let mut diagnostics = Vec::new();
    let mut scanner = Scanner::new(source);
    let mut tape = Tape::new();
    let mut atoms = Atoms::default();
    let mut locals = Locals::default();
    let mut has_exited = false;
    let mut kept_bytes = 0;
    loop {
        match scanner.read(&mut tape) {
            Ok(false) => break,
            Ok(true) => {
                atoms.intern(terms, source, &tape, dialect);
                let mut reader = Reader {
                    terms,
                    scope: &mut scope,
                    locals: &mut locals,
                    source,
                    tape: &tape,
                    atoms: &atoms.symbols,
                    diagnostics: &mut diagnostics,
                    kept_bytes,
                    unsorted: Vec::new(),
                };
                // Nobody reads what stands after an exit: it is carried along as it is.
                let command = if has_exited { reader.opaque_command() } else { reader.command() };
                has_exited |= command == Command::Exit;
                kept_bytes = reader.kept_bytes;
                script.commands.push(command);
                script.origins.push(Origin::Read(tape.node(0).span));
            }
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    (Reading { script, diagnostics, scope }, atoms.spellings)
}

/// Reads one command after the others that made `scope`, which a command with a mistake in it does not change.
pub fn read_command(
    terms: &mut Terms,
    scope: &mut Scope,
    source: &str,
    tape: &Tape,
    dialect: Dialect,
) -> Result<Command, Diagnostics> {
    let mut diagnostics = Vec::new();
    let mark = scope.mark();
    let command =
        read_alone(terms, scope, source, tape, dialect, &mut diagnostics, |reader| reader.command());
    if diagnostics.is_empty() {
        return Ok(command);
    }
    scope.roll_back(mark);
    Err(Diagnostics(diagnostics))
}

/// Reads definitions of a model, `(define-fun name (variables) sort term)`, at some places of a tape, whether or not the
/// names are declared.
///
/// Names that are not known are kept as opaque; nothing where the text has another form.
pub fn read_definitions(
    terms: &mut Terms,
    scope: &mut Scope,
    source: &str,
    tape: &Tape,
    places: &[u32],
    dialect: Dialect,
) -> Vec<Option<Definition>> {
    read_alone(terms, scope, source, tape, dialect, &mut Vec::new(), |reader| {
        places.iter().map(|place| reader.model_definition(*place)).collect()
    })
}

/// Reads one term over the symbols of `scope`; names that are not known are kept as opaque.
pub fn read_term_tolerantly(
    terms: &mut Terms,
    scope: &mut Scope,
    source: &str,
    dialect: Dialect,
) -> Option<Term> {
    let mut tape = Tape::new();
    match Scanner::new(source).read(&mut tape) {
        Ok(true) => {
            Some(read_alone(terms, scope, source, &tape, dialect, &mut Vec::new(), |reader| reader.term(0)))
        }
        _ => None,
    }
}

/// Reads one term over the symbols of `scope`.
pub fn read_term(
    terms: &mut Terms,
    scope: &mut Scope,
    source: &str,
    dialect: Dialect,
) -> Result<Term, Diagnostics> {
    let mut tape = Tape::new();
    let mut scanner = Scanner::new(source);
    match scanner.read(&mut tape) {
        Ok(true) => {}
        Ok(false) => {
            let span = Span::new(0, source.len() as u32);
            return Err(Diagnostic::new(Problem::Syntax, span, "expected a term, found nothing").into());
        }
        Err(diagnostic) => return Err(diagnostic.into()),
    }
    let mut diagnostics = Vec::new();
    let term = read_alone(terms, scope, source, &tape, dialect, &mut diagnostics, |reader| {
        let term = reader.term(0);
        reader.report_unsorted(&[term]);
        term
    });
    match scanner.read(&mut Tape::new()) {
        Ok(false) => {}
        Ok(true) => {
            let span = Span::new(tape.node(0).span.end, source.len() as u32);
            diagnostics.push(Diagnostic::new(Problem::Syntax, span, "unexpected text after the term"));
        }
        Err(diagnostic) => diagnostics.push(diagnostic),
    }
    if diagnostics.is_empty() { Ok(term) } else { Err(Diagnostics(diagnostics)) }
}

/// Reads what is on a tape outside of a script.
fn read_alone<T>(
    terms: &mut Terms,
    scope: &mut Scope,
    source: &str,
    tape: &Tape,
    dialect: Dialect,
    diagnostics: &mut Vec<Diagnostic>,
    read: impl FnOnce(&mut Reader<'_>) -> T,
) -> T {
    let mut atoms = Atoms::default();
    atoms.intern(terms, source, tape, dialect);
    let (locals, atoms) = (&mut Locals::default(), &atoms.symbols);
    let unsorted = Vec::new();
    read(&mut Reader { terms, scope, locals, source, tape, atoms, diagnostics, kept_bytes: 0, unsorted })
}

/// The symbols of the atoms on a tape. Looking them all up at once is faster than one by one in between other work.
#[derive(Debug, Default)]
struct Atoms {
    /// One for each node: a name without bars, the text of a literal; anything where there is no such text.
    symbols: Vec<Symbol>,
    spellings: Spellings,
}

impl Atoms {
    fn intern(&mut self, terms: &mut Terms, source: &str, tape: &Tape, dialect: Dialect) {
        self.symbols.clear();
        for node in tape.nodes() {
            let (start, end) = (node.span.start as usize, node.span.end as usize);
            let (start, end) = match node.kind {
                Kind::List | Kind::Keyword | Kind::Other => {
                    self.symbols.push(Symbol::ANY);
                    continue;
                }
                Kind::Str if dialect != Dialect::V26 => {
                    let text = literal_to_26(&source[start + 1..end - 1], dialect);
                    self.symbols.push(terms.symbols.intern(&text));
                    continue;
                }
                Kind::Symbol | Kind::Numeral | Kind::Decimal => (start, end),
                Kind::QuotedSymbol | Kind::Str => (start + 1, end - 1),
                Kind::Hex | Kind::Binary => (start + 2, end),
            };
            let symbol = terms.symbols.intern_within(source, start, end);
            if node.kind == Kind::Symbol {
                self.spellings.add(terms.spelling(symbol));
            }
            self.symbols.push(symbol);
        }
    }
}

/// The state of reading one command.
struct Reader<'a> {
    terms: &'a mut Terms,
    scope: &'a mut Scope,
    locals: &'a mut Locals,
    source: &'a str,
    tape: &'a Tape,
    /// For each node of the tape its symbol; see [`Atoms`].
    atoms: &'a [Symbol],
    diagnostics: &'a mut Vec<Diagnostic>,
    /// How many bytes of applications whose heads are lists are kept as text; each contains those inside of it.
    kept_bytes: usize,
    /// Names such as `set.empty` without a sort, for which the terms around them may have one.
    unsorted: Vec<Unsorted>,
}

/// A name without a sort, and where it stands.
#[derive(Debug, Clone, Copy)]
struct Unsorted {
    place: u32,
    name: Symbol,
    term: Term,
}

/// So much text of nested applications whose heads are lists is kept.
const MAX_KEPT_BYTES: usize = 1 << 26;

impl<'a> Reader<'a> {
    fn text(&self, index: u32) -> &'a str {
        self.tape.node(index).span.text(self.source)
    }

    fn span(&self, index: u32) -> Span {
        self.tape.node(index).span
    }

    /// Whether another suggestion of a similar name may be looked for. That costs time in proportion to the names that are
    /// known; a broken file need not cost its square.
    fn may_suggest(&mut self) -> bool {
        self.scope.suggestions += 1;
        self.scope.suggestions <= MAX_SUGGESTIONS
    }

    fn report(&mut self, problem: Problem, index: u32, message: impl Into<String>) {
        self.report_with_help(problem, index, message.into(), None);
    }

    fn report_with_help(&mut self, problem: Problem, index: u32, message: String, help: Option<String>) {
        let message = one_line(message);
        let help = help.map(one_line);
        self.diagnostics.push(Diagnostic { problem, span: self.span(index), message, help });
    }

    /// The symbol that an atom is, without bars.
    fn as_symbol(&self, index: u32) -> Option<Symbol> {
        match self.tape.node(index).kind {
            Kind::Symbol | Kind::QuotedSymbol => Some(self.atoms[index as usize]),
            _ => None,
        }
    }

    /// The symbol that must stand at `index`; reports and makes one up if it does not.
    fn symbol(&mut self, index: u32, what: &str) -> Symbol {
        if let Some(symbol) = self.as_symbol(index) {
            return symbol;
        }
        let message = format!("expected {what}, found `{}`", excerpt(self.text(index)));
        self.report(Problem::Form, index, message);
        self.terms.symbols.intern(self.text(index))
    }

    /// The text of a node as an interned symbol, as it is written.
    fn verbatim(&mut self, index: u32) -> Symbol {
        self.terms.symbols.intern(self.text(index))
    }

    /// The index of the first child, if `index` is a list and has one.
    fn first_child(&self, index: u32) -> Option<u32> {
        let node = self.tape.node(index);
        (node.kind == Kind::List && node.next > index + 1).then_some(index + 1)
    }

    fn is_list(&self, index: u32) -> bool {
        self.tape.node(index).kind == Kind::List
    }
}

/// Suggestions after the first ones of a script are of no use to anybody.
const MAX_SUGGESTIONS: u32 = 50;

/// A message with the line breaks of quoted names in it taken out.
fn one_line(message: String) -> String {
    if message.contains(char::is_control) { message.replace(char::is_control, " ") } else { message }
}

/// A text short enough to be quoted in a message.
fn excerpt(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut shortened: String = line.chars().take(40).collect();
    if shortened.len() < text.len() {
        shortened.push('…');
    }
    shortened
}

#[cfg(test)]
mod tests;

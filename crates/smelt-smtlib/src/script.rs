//! Scripts: sequences of SMT-LIB commands over typed terms.

mod extension;

use crate::op::Dialect;
use crate::sort::Sort;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::term::{Term, Variable};
pub use extension::{Extension, ExtensionPart};
pub(crate) use extension::{FORMS, Piece};

/// A script, with the place of each command in the text that it was read from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// The commands in order.
    pub commands: Vec<Command>,
    /// For each command where it comes from.
    pub origins: Vec<Origin>,
    /// The dialect that the text was written in.
    pub dialect: Dialect,
}

impl Script {
    /// A script without commands in the same dialect.
    pub fn emptied(&self) -> Script {
        Script { dialect: self.dialect, ..Script::default() }
    }

    /// Adds a command that stands nowhere in a source text.
    pub fn push(&mut self, command: Command) {
        self.commands.push(command);
        self.origins.push(Origin::Made);
    }

    /// Replaces a command.
    pub fn replace(&mut self, position: usize, command: Command) {
        self.commands[position] = command;
        if let Origin::Read(span) = self.origins[position] {
            self.origins[position] = Origin::Changed(span);
        }
    }

    /// The asserted terms in order, whatever their scope.
    pub fn assertions(&self) -> impl Iterator<Item = Term> + '_ {
        self.commands.iter().filter_map(|command| match command {
            Command::Assert(term) => Some(*term),
            _ => None,
        })
    }

    /// All terms that mean something for its answers, in order: assertions, bodies of definitions and assumptions.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        let asks = |command: &&Command| command.role() != Role::Question;
        self.commands.iter().filter(asks).flat_map(Command::terms)
    }

    /// The logic that the script names, if any.
    pub fn logic(&self) -> Option<Symbol> {
        self.commands.iter().find_map(|command| match command {
            Command::SetLogic(logic) => Some(*logic),
            _ => None,
        })
    }
}

/// Where a command comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It stands here in the source.
    Read(Span),
    /// It replaces what stands here in the source.
    Changed(Span),
    /// It stands nowhere in the source.
    Made,
}

/// One command. Texts of options, attributes and strings are kept as they are written.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// `(assert term)`.
    Assert(Term),
    /// `(check-sat)`.
    CheckSat,
    /// `(check-sat-assuming (terms))`.
    CheckSatAssuming(Vec<Term>),
    /// `(declare-const name sort)`.
    DeclareConst(Symbol, Sort),
    /// `(declare-datatypes ..)`, also for one datatype alone.
    DeclareDatatypes(Vec<Datatype>),
    /// `(declare-fun name (sorts) sort)`.
    DeclareFun(Symbol, Vec<Sort>, Sort),
    /// `(declare-sort name arity)`.
    DeclareSort(Symbol, u32),
    /// `(declare-sort-parameter name)`.
    DeclareSortParameter(Symbol),
    /// `(define-const name sort term)`.
    DefineConst(Definition),
    /// `(define-fun name (variables) sort term)`.
    DefineFun(Definition),
    /// `(define-fun-rec name (variables) sort term)`.
    DefineFunRec(Definition),
    /// `(define-funs-rec (signatures) (terms))`.
    DefineFunsRec(Vec<Definition>),
    /// `(define-sort name (parameters) sort)`.
    DefineSort(Symbol, Vec<Symbol>, Sort),
    /// `(echo string)`; the text includes the quotes.
    Echo(Symbol),
    /// `(exit)`.
    Exit,
    /// `(get-assertions)`.
    GetAssertions,
    /// `(get-assignment)`.
    GetAssignment,
    /// `(get-info keyword)`.
    GetInfo(Symbol),
    /// `(get-model)`.
    GetModel,
    /// `(get-option keyword)`.
    GetOption(Symbol),
    /// `(get-proof)`.
    GetProof,
    /// `(get-unsat-assumptions)`.
    GetUnsatAssumptions,
    /// `(get-unsat-core)`.
    GetUnsatCore,
    /// `(get-value (terms))`.
    GetValue(Vec<Term>),
    /// `(pop levels)`.
    Pop(u32),
    /// `(push levels)`.
    Push(u32),
    /// `(reset)`.
    Reset,
    /// `(reset-assertions)`.
    ResetAssertions,
    /// `(set-info keyword value)`; the value may be missing.
    SetInfo(Symbol, Option<Symbol>),
    /// `(set-logic name)`.
    SetLogic(Symbol),
    /// `(set-option keyword value)`; the value may be missing.
    SetOption(Symbol, Option<Symbol>),
    /// A command that solvers add.
    Extension(Extension),
    /// Any other command, as it is written.
    Opaque(Symbol),
}

/// What a command does for those that come after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It gives names a meaning.
    Declaration,
    /// It says that something holds.
    Assertion,
    /// It asks whether all that holds can hold.
    Check,
    /// It opens or closes levels, or makes the solver forget.
    Scope,
    /// It sets something.
    Setting,
    /// It asks for something, or ends the script; nothing depends on it.
    Question,
    /// We do not know.
    Unknown,
}

impl Command {
    /// What it does for those that come after it.
    pub fn role(&self) -> Role {
        match self {
            Command::DeclareConst(..)
            | Command::DeclareDatatypes(_)
            | Command::DeclareFun(..)
            | Command::DeclareSort(..)
            | Command::DeclareSortParameter(_)
            | Command::DefineConst(_)
            | Command::DefineFun(_)
            | Command::DefineFunRec(_)
            | Command::DefineFunsRec(_)
            | Command::DefineSort(..) => Role::Declaration,
            Command::Assert(_) => Role::Assertion,
            Command::CheckSat | Command::CheckSatAssuming(_) => Role::Check,
            Command::Push(_) | Command::Pop(_) | Command::Reset | Command::ResetAssertions => Role::Scope,
            Command::SetInfo(..) | Command::SetLogic(_) | Command::SetOption(..) => Role::Setting,
            Command::Echo(_)
            | Command::Exit
            | Command::GetAssertions
            | Command::GetAssignment
            | Command::GetInfo(_)
            | Command::GetModel
            | Command::GetOption(_)
            | Command::GetProof
            | Command::GetUnsatAssumptions
            | Command::GetUnsatCore
            | Command::GetValue(_) => Role::Question,
            Command::Extension(extension) => extension.role,
            Command::Opaque(_) => Role::Unknown,
        }
    }

    /// All its terms, in order.
    pub fn terms(&self) -> Vec<Term> {
        match self {
            Command::Assert(term) => vec![*term],
            Command::CheckSatAssuming(terms) | Command::GetValue(terms) => terms.clone(),
            Command::Extension(extension) => extension.terms().collect(),
            _ => self.definitions().iter().map(|definition| definition.body).collect(),
        }
    }

    /// All its terms, in order, to be replaced.
    pub fn terms_mut(&mut self) -> Vec<&mut Term> {
        match self {
            Command::Assert(term) => vec![term],
            Command::CheckSatAssuming(terms) | Command::GetValue(terms) => terms.iter_mut().collect(),
            Command::Extension(extension) => extension.terms_mut().collect(),
            _ => self.definitions_mut().iter_mut().map(|definition| &mut definition.body).collect(),
        }
    }

    /// The functions that it defines, to be changed.
    pub(crate) fn definitions_mut(&mut self) -> &mut [Definition] {
        match self {
            Command::DefineConst(definition)
            | Command::DefineFun(definition)
            | Command::DefineFunRec(definition) => std::slice::from_mut(definition),
            Command::DefineFunsRec(definitions) => definitions,
            _ => &mut [],
        }
    }

    /// The functions that it defines.
    pub fn definitions(&self) -> &[Definition] {
        match self {
            Command::DefineConst(definition)
            | Command::DefineFun(definition)
            | Command::DefineFunRec(definition) => std::slice::from_ref(definition),
            Command::DefineFunsRec(definitions) => definitions,
            _ => &[],
        }
    }
}

/// A function with a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: Symbol,
    /// Its parameters.
    pub params: Vec<Variable>,
    /// The sort of its body.
    pub sort: Sort,
    /// Its body, over the parameters as local variables.
    pub body: Term,
}

/// A datatype.
#[derive(Debug, Clone, PartialEq)]
pub struct Datatype {
    /// Its name.
    pub name: Symbol,
    /// Its sort parameters.
    pub params: Vec<Symbol>,
    /// Its constructors.
    pub constructors: Vec<Constructor>,
    /// Whether it is a codatatype, which has infinite values too.
    pub is_codatatype: bool,
}

/// A constructor of a datatype.
#[derive(Debug, Clone, PartialEq)]
pub struct Constructor {
    /// Its name.
    pub name: Symbol,
    /// Its selectors with the sorts of their fields.
    pub selectors: Vec<(Symbol, Sort)>,
}

#[cfg(test)]
mod tests {
    use crate::op::Op;
    use crate::read::read_script;
    use crate::term::Terms;
    use crate::walk::operators;

    #[test]
    fn the_terms_of_a_script_are_those_of_definitions_and_assumptions_too() {
        let mut terms = Terms::new();
        let source = "(declare-const p Bool)(define-fun f ((x Int)) Bool (> x 0))(define-const c Bool (or p p))\
             (define-fun-rec g ((x Int)) Int (- x))(assert (and p c (f (g 1))))(check-sat-assuming ((not p)))";
        let reading = read_script(&mut terms, source);
        let roots: Vec<_> = reading.script.terms().collect();
        assert_eq!(roots.len(), 5);
        for op in [Op::Gt, Op::Or, Op::And, Op::Not] {
            assert!(operators(&terms, &roots).contains(&op), "{op:?}");
        }
    }
}

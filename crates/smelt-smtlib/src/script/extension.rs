//! Commands that solvers add: optimization, interpolants and abducts, synthesis, Horn clauses, tactics.
//!
//! One table says what they are made of. Their terms are read like all others; tactics, grammars and parameters stay
//! text.

use super::Role;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Term, Variable};

/// A command that solvers add.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// The word that it starts with.
    pub word: &'static str,
    /// What it does for the commands after it.
    pub role: Role,
    /// What stands after the word.
    pub parts: Vec<ExtensionPart>,
}

/// A part of such a command.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtensionPart {
    /// Anything that is kept as it is written.
    Text(Symbol),
    /// A name that the command gives or declares.
    Name(Symbol),
    /// A term.
    Term(Term),
    /// Terms in parentheses.
    Terms(Vec<Term>),
    /// A sort.
    Sort(Sort),
    /// Sorts in parentheses.
    Sorts(Vec<Sort>),
    /// `((name sort)..)`.
    Variables(Vec<Variable>),
}

impl Extension {
    /// Its terms, in order.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.parts.iter().flat_map(|part| match part {
            ExtensionPart::Term(term) => std::slice::from_ref(term).iter().copied(),
            ExtensionPart::Terms(terms) => terms.iter().copied(),
            _ => [].iter().copied(),
        })
    }

    /// Its terms, in order, to be replaced.
    pub fn terms_mut(&mut self) -> impl Iterator<Item = &mut Term> + '_ {
        self.parts.iter_mut().flat_map(|part| match part {
            ExtensionPart::Term(term) => std::slice::from_mut(term).iter_mut(),
            ExtensionPart::Terms(terms) => terms.iter_mut(),
            _ => [].iter_mut(),
        })
    }

    /// The names and texts in it, which keep their names when others are renamed.
    pub fn texts(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.parts.iter().filter_map(|part| match part {
            ExtensionPart::Text(text) | ExtensionPart::Name(text) => Some(*text),
            _ => None,
        })
    }
}

/// What a part of a command must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    Term,
    Formula,
    Terms,
    Formulas,
    Name,
    Sort,
    Sorts,
    /// Any number of lists of sorts.
    SortLists,
    Variables,
    Text,
    /// Whatever is left.
    Rest,
}

/// One form of a command.
#[derive(Debug)]
pub(crate) struct Form {
    pub word: &'static str,
    pub role: Role,
    pub pieces: &'static [Piece],
    /// The form as messages show it.
    pub text: &'static str,
}

macro_rules! forms {
    ($($role:ident $word:literal $text:literal [$($piece:ident)*];)*) => {
        /// Of several forms of one command the first that fits counts.
        pub(crate) const FORMS: &[Form] = &[
            $(Form {
                word: $word,
                role: Role::$role,
                pieces: &[$(Piece::$piece),*],
                text: concat!("(", $word, $text, ")"),
            },)*
        ];
    };
}

forms! {
    // Optimization.
    Setting "minimize" " term" [Term Rest];
    Setting "maximize" " term" [Term Rest];
    Setting "assert-soft" " term attribute.." [Formula Rest];
    Question "get-objectives" "" [];
    // Interpolants, abducts, elimination of quantifiers.
    Question "get-abduct" " name term" [Name Formula Rest];
    Question "get-abduct-next" "" [];
    Question "get-interpolant" " name term" [Name Formula Rest];
    Question "get-interpolant" " term term" [Formula Formula];
    Question "get-interpolant-next" "" [];
    Question "get-interpolants" " term.." [Rest];
    Question "get-qe" " term" [Formula];
    Question "get-qe-disjunct" " term" [Formula];
    // Cores and what a solver has learned.
    Question "get-difficulty" "" [];
    Question "get-learned-literals" "" [Rest];
    Question "get-timeout-core" "" [];
    Question "get-timeout-core-assuming" " (term..)" [Formulas];
    Question "get-unsat-core-lemmas" "" [];
    Question "get-model-domain-elements" " sort" [Sort];
    Question "get-consequences" " (term..) (term..)" [Formulas Formulas];
    Question "labels" "" [];
    // A model that is blocked holds no more.
    Unknown "block-model" " word" [Rest];
    Unknown "block-model-values" " (term..)" [Terms];
    Unknown "assert-not" " term" [Formula];
    // Terms and tactics of Z3.
    Question "simplify" " term" [Term Rest];
    Question "eval" " term" [Term Rest];
    Question "display" " term" [Term];
    Check "check-sat-using" " tactic" [Text Rest];
    Question "apply" " tactic" [Text Rest];
    Setting "declare-tactic" " name tactic" [Name Text];
    Setting "set-simplifier" " simplifier" [Rest];
    // Separation logic, pools.
    Declaration "declare-heap" " (sort sort)" [SortLists];
    Setting "declare-pool" " name sort (term..)" [Name Sort Terms];
    // Horn clauses of Z3, and synthesis.
    Declaration "declare-var" " name sort" [Name Sort];
    Declaration "declare-rel" " name (sort..)" [Name Sorts Rest];
    Unknown "rule" " term" [Formula Rest];
    Check "query" " term" [Term Rest];
    Declaration "synth-fun" " name ((variable sort)..) sort" [Name Variables Sort Rest];
    Declaration "synth-inv" " name ((variable sort)..)" [Name Variables Rest];
    Declaration "declare-oracle-fun" " name (sort..) sort" [Name Sorts Sort Rest];
    Unknown "constraint" " term" [Formula];
    Unknown "assume" " term" [Formula];
    Unknown "inv-constraint" " name name name name" [Text Text Text Text];
    Unknown "check-synth" "" [];
    Unknown "check-synth-next" "" [];
    Unknown "find-synth" " word" [Rest];
    Unknown "find-synth-next" "" [];
    Setting "set-feature" " :keyword value" [Rest];
}

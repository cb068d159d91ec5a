//! What a solver takes: operators, sorts, spellings, commands. Learned by asking, so that it is not sent what it refuses.
//!
//! A formula that is refused tells nothing about the solver and costs a start of it. [`Capabilities::takes`] says
//! before the run whether one is worth sending; what was never asked about is.

mod ask;
mod questions;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use smelt_smtlib::dialect::escape_26;
use smelt_smtlib::op::{Attribute, Op};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortClass, SortKind};
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms};

use crate::script_profile::ScriptProfile;

#[cfg(test)]
pub(crate) use ask::questions_text;
pub(crate) use ask::{learn, learn_safe_mode, learn_with_options};

/// What a solver takes and what it refuses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Capabilities {
    taken: FxHashSet<(Op, Shape)>,
    refused: FxHashSet<(Op, Shape)>,
    refused_sorts: Vec<SortClass>,
    refused_features: Vec<Feature>,
    /// Spellings of operators that have several, with whether they are taken.
    spellings: BTreeMap<String, bool>,
    /// Commands with whether they are taken.
    commands: BTreeMap<String, bool>,
}

/// Why a formula is not sent to a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    /// The operator is unknown, or unknown at these arguments.
    Operator(Op),
    /// The sort is unknown.
    Sort(SortClass),
    /// Something else is.
    Feature(Feature),
}

impl Capabilities {
    /// Whether the solver knows all that stands in a script; if not, the first thing that it does not know.
    pub fn takes(&self, terms: &Terms, script: &Script, profile: &ScriptProfile) -> Result<(), Lacking> {
        for command in &script.commands {
            match command {
                Command::DeclareConst(_, sort) => self.takes_sort(terms, *sort)?,
                Command::DeclareFun(_, params, result) => {
                    for sort in params.iter().chain([result]) {
                        self.takes_sort(terms, *sort)?;
                    }
                }
                Command::DefineFunRec(_) | Command::DefineFunsRec(_) => {
                    self.takes_feature(Feature::RecursiveFunctions)?;
                }
                Command::DeclareDatatypes(datatypes) => {
                    let is_parametric = datatypes.iter().any(|datatype| !datatype.params.is_empty());
                    self.takes_feature(Feature::Datatypes)?;
                    if is_parametric {
                        self.takes_feature(Feature::ParametricDatatypes)?;
                    }
                }
                Command::DeclareSort(..) => self.takes_feature(Feature::DeclaredSorts)?,
                Command::DeclareSortParameter(_) => self.takes_feature(Feature::SortParameters)?,
                _ => {}
            }
        }
        profile.subterms.iter().try_for_each(|term| self.takes_term(terms, *term))
    }

    fn takes_term(&self, terms: &Terms, term: Term) -> Result<(), Lacking> {
        self.takes_formats(terms, terms.sort(term))?;
        match terms.head(term) {
            Head::Op(op, indices) => {
                if op == Op::Char && terms.indices(indices).iter().any(|index| is_wide_index(terms, *index)) {
                    self.takes_feature(Feature::WideCharacters)?;
                }
                self.takes_application(terms, op, terms.args(term))
            }
            Head::Literal(Literal::Str, text) if has_wide_character(terms.text(text)) => {
                self.takes_feature(Feature::WideCharacters)
            }
            Head::Forall(_) | Head::Exists(_) => self.takes_feature(Feature::Quantifiers),
            Head::Lambda(_) => self.takes_feature(Feature::Lambdas),
            Head::Match(_) => self.takes_feature(Feature::Match),
            Head::Tester(_) => self.takes_feature(Feature::Testers),
            Head::Updater(_) => self.takes_feature(Feature::Updaters),
            _ => Ok(()),
        }
    }

    fn takes_application(&self, terms: &Terms, op: Op, args: &[Term]) -> Result<(), Lacking> {
        if self.refused.is_empty() {
            return Ok(());
        }
        let shape = Shape::of(terms, op, args);
        let is_refused = if self.refused.contains(&(op, shape)) {
            true
        } else if self.taken.contains(&(op, shape)) {
            false
        } else {
            // Never asked at these sorts: an operator that is refused everywhere is refused here.
            !self.takes_operator(op)
        };
        if is_refused { Err(Lacking::Operator(op)) } else { Ok(()) }
    }

    /// Whether an operator is known at some arguments. What was never asked about is.
    pub fn takes_operator(&self, op: Op) -> bool {
        let is_refused = self.refused.iter().any(|(refused, _)| *refused == op);
        !is_refused || self.taken.iter().any(|(taken, _)| *taken == op)
    }

    /// Whether the formats of the floating-point numbers in a sort are known.
    fn takes_formats(&self, terms: &Terms, sort: Sort) -> Result<(), Lacking> {
        let lacking = self.takes_feature(Feature::OtherFloatFormats);
        let is_other = |kind: &SortKind| matches!(kind, SortKind::Float(..)) && !is_usual_float(kind);
        if lacking.is_err() && terms.sorts.any_part(sort, is_other) { lacking } else { Ok(()) }
    }

    fn takes_sort(&self, terms: &Terms, sort: Sort) -> Result<(), Lacking> {
        self.takes_formats(terms, sort)?;
        if self.refused_sorts.is_empty() {
            return Ok(());
        }
        let is_refused = |kind: &SortKind| self.refused_sorts.contains(&SortClass::of(kind));
        if terms.sorts.any_part(sort, is_refused) {
            return Err(Lacking::Sort(SortClass::of(terms.sorts.kind(sort))));
        }
        Ok(())
    }

    /// Whether something other than an operator or a sort is known.
    pub fn takes_feature(&self, feature: Feature) -> Result<(), Lacking> {
        if self.refused_features.contains(&feature) { Err(Lacking::Feature(feature)) } else { Ok(()) }
    }

    /// Whether a command is known, by its name. What was never asked about is.
    pub fn takes_command(&self, command: &str) -> bool {
        self.commands.get(command).copied().unwrap_or(true)
    }

    /// The commands that were asked about, with whether they are known.
    pub fn commands(&self) -> impl Iterator<Item = (&str, bool)> {
        self.commands.iter().map(|(command, is_taken)| (command.as_str(), *is_taken))
    }

    /// The spellings of operators that have several, with whether they are known.
    pub fn spellings(&self) -> impl Iterator<Item = (&str, bool)> {
        self.spellings.iter().map(|(spelling, is_taken)| (spelling.as_str(), *is_taken))
    }

    /// The operators that are known, at some arguments.
    pub fn operators(&self) -> impl Iterator<Item = Op> {
        Op::all().filter(|op| self.takes_operator(*op))
    }

    /// Operators that are known at some arguments and refused at others, with those.
    pub fn partly_refused(&self) -> Vec<(Op, String)> {
        let mut found: Vec<(Op, String)> = self
            .refused
            .iter()
            .filter(|(op, _)| self.takes_operator(*op))
            .map(|(op, shape)| (*op, shape.text()))
            .collect();
        found.sort();
        found
    }

    /// The sorts that are not known.
    pub fn refused_sorts(&self) -> &[SortClass] {
        &self.refused_sorts
    }

    /// The features that are not known.
    pub fn refused_features(&self) -> &[Feature] {
        &self.refused_features
    }
}

/// Whether a sort is that of single or double precision.
fn is_usual_float(kind: &SortKind) -> bool {
    matches!(kind, SortKind::Float(8, 24) | SortKind::Float(11, 53))
}

/// Whether a literal, with the escapes of SMT-LIB 2.6, has a character above 255.
fn has_wide_character(text: &str) -> bool {
    text.chars().any(|character| u32::from(character) > 0xff)
        || text
            .match_indices('\\')
            .any(|(position, _)| escape_26(&text[position..]).is_some_and(|(code, _)| code > 0xff))
}

fn is_wide_index(terms: &Terms, index: Index) -> bool {
    let Index::Text(text) = index else { return false };
    let digits = terms.text(text).trim_start_matches("#x");
    u32::from_str_radix(digits, 16).is_ok_and(|code| code > 0xff)
}

/// The classes of the sorts of some arguments, five bits each, the last argument lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape(u64);

impl Shape {
    /// The shape of an application. Arguments beyond one more than the signature has are like those before.
    fn of(terms: &Terms, op: Op, args: &[Term]) -> Shape {
        let info = op.info();
        let most = match info.attribute {
            Attribute::Fixed => args.len(),
            _ => info.signatures[0].params.len() + 1,
        };
        let mut packed = 0;
        for arg in args.iter().take(most.min(12)) {
            packed = packed << 5 | (SortClass::of(terms.sorts.kind(terms.sort(*arg))) as u64 + 1);
        }
        Shape(packed)
    }

    fn text(self) -> String {
        let mut names = Vec::new();
        let mut rest = self.0;
        while rest > 0 {
            let code = (rest & 31) as usize;
            names.push(SortClass::ALL.get(code - 1).copied().unwrap_or(SortClass::Other));
            rest >>= 5;
        }
        let names: Vec<String> = names.into_iter().rev().map(|class| format!("{class:?}")).collect();
        names.join(" ")
    }
}

/// Parts of the language that are neither operators nor sorts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// `forall` and `exists`.
    Quantifiers,
    /// `lambda`.
    Lambdas,
    /// `declare-sort`.
    DeclaredSorts,
    /// `declare-sort-parameter`.
    SortParameters,
    /// `declare-datatypes`.
    Datatypes,
    /// Datatypes with parameters.
    ParametricDatatypes,
    /// `match`.
    Match,
    /// `(_ is constructor)`.
    Testers,
    /// `(_ update selector)`.
    Updaters,
    /// `define-fun-rec`.
    RecursiveFunctions,
    /// Characters above 255, read as one character each.
    WideCharacters,
    /// Floating-point numbers that are neither of single nor of double precision.
    OtherFloatFormats,
}

impl Feature {
    const ALL: [Feature; 12] = [
        Feature::Quantifiers,
        Feature::Lambdas,
        Feature::DeclaredSorts,
        Feature::SortParameters,
        Feature::Datatypes,
        Feature::ParametricDatatypes,
        Feature::Match,
        Feature::Testers,
        Feature::Updaters,
        Feature::RecursiveFunctions,
        Feature::WideCharacters,
        Feature::OtherFloatFormats,
    ];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Feature::Quantifiers => "quantifiers",
            Feature::Lambdas => "lambdas",
            Feature::DeclaredSorts => "declared-sorts",
            Feature::SortParameters => "sort-parameters",
            Feature::Datatypes => "datatypes",
            Feature::ParametricDatatypes => "parametric-datatypes",
            Feature::Match => "match",
            Feature::Testers => "testers",
            Feature::Updaters => "updaters",
            Feature::RecursiveFunctions => "recursive-functions",
            Feature::WideCharacters => "wide-characters",
            Feature::OtherFloatFormats => "other-float-formats",
        }
    }

    /// A script that uses it; those of wide characters and other formats have operators and are made elsewhere.
    fn script(self) -> &'static str {
        match self {
            Feature::Quantifiers => "(assert (forall ((x Int)) (exists ((y Int)) (> y x))))\n(check-sat)\n",
            Feature::Lambdas => {
                "(declare-fun a () (Array Int Int))\n(assert (= a (lambda ((x Int)) x)))\n(check-sat)\n"
            }
            Feature::DeclaredSorts => {
                "(declare-sort S 0)\n(declare-fun c () S)\n(declare-fun f (S) S)\n(assert (= (f c) c))\n(check-sat)\n"
            }
            Feature::SortParameters => {
                "(declare-sort-parameter P)\n(declare-fun f (P) P)\n(assert (= (f 1) 2))\n(check-sat)\n"
            }
            Feature::Datatypes => {
                "(declare-datatypes ((D 0)) (((leaf) (node (left D) (value Int)))))\n(declare-fun d () D)\n\
                 (assert (= d (node leaf 1)))\n(assert (= (value d) 1))\n(check-sat)\n"
            }
            Feature::ParametricDatatypes => {
                "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L T)))))))\n\
                 (declare-fun l () (L Int))\n(assert (= l (cons 1 (as nil (L Int)))))\n(check-sat)\n"
            }
            Feature::Match => {
                "(declare-datatypes ((D 0)) (((leaf) (node (left D) (value Int)))))\n(declare-fun d () D)\n\
                 (assert (= 1 (match d ((leaf 0) ((node l v) v)))))\n(check-sat)\n"
            }
            Feature::Testers => {
                "(declare-datatypes ((D 0)) (((leaf) (node (left D) (value Int)))))\n(declare-fun d () D)\n\
                 (assert ((_ is leaf) d))\n(check-sat)\n"
            }
            Feature::Updaters => {
                "(declare-datatypes ((D 0)) (((leaf) (node (left D) (value Int)))))\n(declare-fun d () D)\n\
                 (assert (= d ((_ update value) d 3)))\n(check-sat)\n"
            }
            Feature::RecursiveFunctions => {
                "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (+ 1 (f (- x 1)))))\n\
                 (assert (= (f 2) 2))\n(check-sat)\n"
            }
            Feature::WideCharacters | Feature::OtherFloatFormats => "",
        }
    }
}

/// Capabilities as they are written to disk: operators and classes of sorts by the name that they have in Rust, which is unique.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    taken: Vec<(String, u64)>,
    refused: Vec<(String, u64)>,
    refused_sorts: Vec<String>,
    refused_features: Vec<Feature>,
    spellings: BTreeMap<String, bool>,
    commands: BTreeMap<String, bool>,
}

impl From<Capabilities> for Written {
    fn from(capabilities: Capabilities) -> Written {
        let named = |set: &FxHashSet<(Op, Shape)>| {
            let mut list: Vec<(Op, Shape)> = set.iter().copied().collect();
            list.sort();
            list.into_iter().map(|(op, shape)| (format!("{op:?}"), shape.0)).collect()
        };
        Written {
            taken: named(&capabilities.taken),
            refused: named(&capabilities.refused),
            refused_sorts: capabilities.refused_sorts.iter().map(|class| format!("{class:?}")).collect(),
            refused_features: capabilities.refused_features,
            spellings: capabilities.spellings,
            commands: capabilities.commands,
        }
    }
}

fn class_named(name: &str) -> Option<SortClass> {
    SortClass::ALL.into_iter().find(|class| format!("{class:?}") == name)
}

impl From<Written> for Capabilities {
    fn from(written: Written) -> Capabilities {
        let known: BTreeMap<String, Op> = Op::all().map(|op| (format!("{op:?}"), op)).collect();
        let set = |list: Vec<(String, u64)>| {
            list.into_iter().filter_map(|(name, shape)| Some((*known.get(&name)?, Shape(shape)))).collect()
        };
        Capabilities {
            taken: set(written.taken),
            refused: set(written.refused),
            refused_sorts: written.refused_sorts.iter().filter_map(|name| class_named(name)).collect(),
            refused_features: written.refused_features,
            spellings: written.spellings,
            commands: written.commands,
        }
    }
}

#[cfg(test)]
mod tests;

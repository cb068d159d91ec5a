//! The names that a script gives things, and renaming them in its text.
//!
//! Two scripts can be joined only if what they declare has different names: constants, functions, sorts, datatypes with
//! their constructors and selectors, labels. Bound variables count too, so that no binder of one script captures a
//! constant of the other. A name is renamed wherever it stands, so that whatever shadowed it before shadows it after.
//!
//! A datatype also gives names that its declaration does not spell: `is-cons` tests for the constructor `cons`, and
//! `update-head` changes the field `head`. These follow the names that they are derived from and are never given to
//! anything else. Texts that are renamed are printed ones, in which testers and updaters that smelt knows are spelled
//! `(_ is cons)` and `(_ update head)`; derived names are left in opaque parts and in models.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::op::Op;
use smelt_smtlib::print::write_symbol;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sexp::{Kind, Node, Scanner, Tape};
use smelt_smtlib::sort::SortKind;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{AttributeValue, Head, Term, Terms};
use smelt_smtlib::walk::{operators, subterms};

use crate::seed::MODEL_LINE;

/// The names that a script gives things.
#[derive(Debug, Clone)]
pub(crate) struct FreshNames {
    /// In the order of the script.
    given: Vec<String>,
    /// Those that its datatypes give without spelling them.
    derived: Vec<Derived>,
    /// All symbols of its text.
    used: FxHashSet<String>,
    /// The classes of sorts of its constants.
    classes: FxHashSet<String>,
}

/// A name that is derived from that of a constructor or of a selector.
#[derive(Debug, Clone)]
struct Derived {
    prefix: &'static str,
    /// What it is derived from.
    name: String,
}

impl Derived {
    /// What it is when that has this name.
    fn spelled(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

/// New names by old ones.
pub(crate) type NewNames = FxHashMap<String, String>;

/// Words that mean something else at some places, so that they cannot be renamed everywhere.
const WORDS: &[&str] = &[
    "!",
    "_",
    "as",
    "BINARY",
    "DECIMAL",
    "exists",
    "HEXADECIMAL",
    "forall",
    "lambda",
    "let",
    "match",
    "NUMERAL",
    "par",
    "STRING",
    "Array",
    "BitVec",
    "Bool",
    "Float128",
    "Float16",
    "Float32",
    "Float64",
    "FloatingPoint",
    "Int",
    "Real",
    "RegEx",
    "RegLan",
    "RoundingMode",
    "Seq",
    "Set",
    "Bag",
    "FiniteField",
    "FiniteSet",
    "Nullable",
    "Relation",
    "Table",
    "Tuple",
    "UnitTuple",
    "String",
    "Unicode",
    "assert",
    "check-sat",
    "is",
    "update",
    "model",
    "none",
];

/// What precedes the name of a constructor or of a selector in the names that are derived from it.
const DERIVING: [&str; 4] = ["is-", "is_", "update-", "update_"];

impl FreshNames {
    /// The names of a script and of its plain text, unless it gives names that mean something else already.
    pub(crate) fn of(terms: &Terms, script: &Script, text: &str) -> Option<FreshNames> {
        let mut names = FreshNames {
            given: Vec::new(),
            derived: Vec::new(),
            used: symbols_of(text),
            classes: sort_classes(terms, script),
        };
        // What a command gives names to that we do not know is not known either.
        if script.commands.iter().any(|command| matches!(command, Command::Opaque(_))) {
            return None;
        }
        let roots: Vec<Term> = script.terms().collect();
        let used_operators = operators(terms, &roots);
        for symbol in given_names(terms, script) {
            let name = terms.text(symbol);
            let is_command = name.starts_with("declare-") || name.starts_with("define-");
            // A script that gives the name of an operator to something may mean either by it, unless it never applies one
            // of these operators.
            let is_ambiguous = Op::named(name).iter().any(|op| used_operators.contains(op));
            if WORDS.contains(&name) || is_command || is_ambiguous {
                return None;
            }
            names.given.push(name.to_owned());
        }
        for symbol in names_of_datatypes(script) {
            let name = terms.text(symbol);
            names.derived.extend(DERIVING.map(|prefix| Derived { prefix, name: name.to_owned() }));
        }
        // Who gives `is-cons` to something else may mean either by it.
        let is_given = |derived: &Derived| names.given.contains(&derived.spelled(&derived.name));
        if names.derived.iter().any(is_given) {
            return None;
        }
        Some(names)
    }

    /// Whether it has a constant of one of these classes of sorts.
    pub(crate) fn has_constant_of(&self, classes: &FxHashSet<String>) -> bool {
        !self.classes.is_disjoint(classes)
    }

    /// Other names for all that a script names.
    pub(crate) fn renamed(&self, naming: Naming) -> NewNames {
        if naming == Naming::Exchanged {
            let others = self.given.iter().cycle().skip(1);
            return self.with_derived(self.given.iter().cloned().zip(others.cloned()).collect());
        }
        let mut numbers = 0..;
        self.drawn(|| naming.name(numbers.next().expect("there are more numbers than names")))
    }

    /// The same with names that are drawn until one is free.
    pub(crate) fn drawn(&self, mut draw: impl FnMut() -> String) -> NewNames {
        let mut new_names = NewNames::default();
        let mut taken = FxHashSet::default();
        for name in &self.given {
            let new_name = loop {
                let candidate = draw();
                if !self.used.contains(&candidate)
                    && Op::named(&candidate).is_empty()
                    && taken.insert(candidate.clone())
                {
                    break candidate;
                }
            };
            new_names.insert(name.clone(), new_name);
        }
        self.with_derived(new_names)
    }

    /// Whether the script gives no names.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// New names with those that follow from them.
    fn with_derived(&self, mut new_names: NewNames) -> NewNames {
        for derived in &self.derived {
            if let Some(new_name) = new_names.get(&derived.name).map(|name| derived.spelled(name)) {
                new_names.insert(derived.spelled(&derived.name), new_name);
            }
        }
        new_names
    }

    /// Other names for those that are taken; none if there are too many. From then on all names of this script are taken.
    pub(crate) fn apart_from(&self, taken: &mut FxHashSet<String>) -> Option<NewNames> {
        const MAX_TRIED: u32 = 100_000;
        let mut new_names = FxHashMap::default();
        for name in self.given.iter().filter(|name| clashes(name, taken)) {
            let is_free = |candidate: &String| {
                !clashes(candidate, taken)
                    && !clashes(candidate, &self.used)
                    && Op::named(candidate).is_empty()
            };
            let new_name = (1..MAX_TRIED)
                .map(|number| format!("{name}_{number}"))
                .find(|candidate| is_free(candidate))?;
            new_names.insert(name.clone(), new_name);
        }
        taken.extend(new_names.values().chain(&self.used).cloned());
        Some(self.with_derived(new_names))
    }
}

/// Whether a name is taken, or derived from one that is, or one that is taken may be derived from it.
fn clashes(name: &str, taken: &FxHashSet<String>) -> bool {
    let is_related = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|stem| taken.contains(stem))
            || taken.contains(&format!("{prefix}{name}"))
    };
    taken.contains(name) || DERIVING.into_iter().any(is_related)
}

/// How a script may be given other names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// Short ones with numbers.
    Numbered,
    /// FreshNames that look like those that solvers make up themselves.
    Internal,
    /// FreshNames that must be quoted.
    Quoted,
    /// The names that it has, each for something else.
    Exchanged,
}

impl Naming {
    pub(crate) const ALL: [Naming; 4] =
        [Naming::Numbered, Naming::Internal, Naming::Quoted, Naming::Exchanged];

    fn name(self, number: usize) -> String {
        match self {
            Naming::Numbered | Naming::Exchanged => format!("v{number}"),
            Naming::Internal => format!("k!{number}"),
            Naming::Quoted => format!("a name {number}"),
        }
    }
}

/// The sorts of the constants of a script, those of bit vectors being one class.
pub(crate) fn sort_classes(terms: &Terms, script: &Script) -> FxHashSet<String> {
    let mut classes = FxHashSet::default();
    for command in &script.commands {
        let sort = match command {
            Command::DeclareConst(_, sort) => *sort,
            Command::DeclareFun(_, params, sort) if params.is_empty() => *sort,
            _ => continue,
        };
        let mut class = String::new();
        match terms.sorts.kind(sort) {
            SortKind::BitVec(_) => class.push_str("BitVec"),
            _ => terms.sorts.write(&terms.symbols, sort, &mut class),
        }
        classes.insert(class);
    }
    classes
}

/// All symbols of a text, and of the models in its comments.
pub(crate) fn symbols_of(text: &str) -> FxHashSet<String> {
    let mut symbols = FxHashSet::default();
    let mut note = |node: &Node, text: &str| {
        if let Some(name) = name_at(node, text) {
            symbols.insert(name.to_owned());
        }
    };
    each_node(text, &mut note);
    text.lines()
        .filter_map(|line| line.strip_prefix(MODEL_LINE))
        .for_each(|model| each_node(model, &mut note));
    symbols
}

/// A symbol of this stem that is not among the taken ones, and is then.
pub(crate) fn new_name(stem: &str, taken: &mut FxHashSet<String>) -> String {
    let numbered = (1..).map(|number: u64| format!("{stem}_{number}"));
    let name = [stem.to_owned()]
        .into_iter()
        .chain(numbered)
        .find(|candidate| !taken.contains(candidate))
        .expect("there are more numbers than names");
    taken.insert(name.clone());
    name
}

/// The text with other names, also in the models of its comments.
pub(crate) fn rename(source: &str, new_names: &NewNames) -> String {
    if new_names.is_empty() {
        return source.to_owned();
    }
    let renamed = rename_expressions(source, new_names);
    let mut out = String::with_capacity(renamed.len());
    for line in renamed.split_inclusive('\n') {
        match line.strip_prefix(MODEL_LINE) {
            Some(model) => {
                out.push_str(MODEL_LINE);
                out.push_str(&rename_expressions(model, new_names));
            }
            None => out.push_str(line),
        }
    }
    out
}

fn rename_expressions(text: &str, new_names: &NewNames) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut copied = 0;
    each_node(text, &mut |node, text| {
        if let Some(new_name) = name_at(node, text).and_then(|name| new_names.get(name)) {
            out.push_str(&text[copied..node.span.start as usize]);
            write_symbol(new_name, &mut out);
            copied = node.span.end as usize;
        }
    });
    out.push_str(&text[copied..]);
    out
}

fn each_node(text: &str, visit: &mut impl FnMut(&Node, &str)) {
    let mut scanner = Scanner::new(text);
    let mut tape = Tape::new();
    loop {
        match scanner.read(&mut tape) {
            Ok(false) => return,
            Ok(true) => tape.nodes().iter().for_each(|node| visit(node, text)),
            // What is not balanced is no seed and no model.
            Err(_) => {}
        }
    }
}

fn name_at<'s>(node: &Node, text: &'s str) -> Option<&'s str> {
    let spelled = node.span.text(text);
    match node.kind {
        Kind::Symbol => Some(spelled),
        Kind::QuotedSymbol => Some(spelled.trim_matches('|')),
        _ => None,
    }
}

/// The constructors and selectors of a script.
fn names_of_datatypes(script: &Script) -> Vec<Symbol> {
    let mut names = Vec::new();
    for command in &script.commands {
        let Command::DeclareDatatypes(datatypes) = command else { continue };
        for constructor in datatypes.iter().flat_map(|datatype| &datatype.constructors) {
            names.push(constructor.name);
            names.extend(constructor.selectors.iter().map(|(selector, _)| *selector));
        }
    }
    names
}

/// All names that a script gives, each once.
pub(crate) fn given_names(terms: &Terms, script: &Script) -> Vec<Symbol> {
    let mut names = Vec::new();
    let mut roots: Vec<Term> = Vec::new();
    for command in &script.commands {
        match command {
            Command::Assert(term) => roots.push(*term),
            Command::DeclareConst(name, _)
            | Command::DeclareFun(name, ..)
            | Command::DeclareSort(name, _)
            | Command::DeclareSortParameter(name) => names.push(*name),
            Command::DefineSort(name, params, _) => {
                names.push(*name);
                names.extend(params);
            }
            Command::DeclareDatatypes(datatypes) => {
                for datatype in datatypes {
                    names.push(datatype.name);
                    names.extend(&datatype.params);
                    for constructor in &datatype.constructors {
                        names.push(constructor.name);
                        names.extend(constructor.selectors.iter().map(|(selector, _)| *selector));
                    }
                }
            }
            Command::DefineConst(definition)
            | Command::DefineFun(definition)
            | Command::DefineFunRec(definition) => {
                names.push(definition.name);
                names.extend(definition.params.iter().map(|param| param.name));
                roots.push(definition.body);
            }
            Command::DefineFunsRec(definitions) => {
                for definition in definitions {
                    names.push(definition.name);
                    names.extend(definition.params.iter().map(|param| param.name));
                    roots.push(definition.body);
                }
            }
            _ => {}
        }
    }
    for term in subterms(terms, &roots) {
        for position in 0..terms.args(term).len() {
            names.extend(terms.bound_at(term, position).iter().map(|variable| variable.name));
        }
        if let Head::Annotated(attributes) = terms.head(term) {
            names.extend(terms.attributes(attributes).iter().filter_map(|attribute| match attribute.value {
                AttributeValue::Name(name) => Some(name),
                _ => None,
            }));
        }
    }
    let mut seen = FxHashSet::default();
    names.retain(|name| seen.insert(*name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    fn names_of(source: &str) -> Option<FreshNames> {
        let mut terms = Terms::new();
        let seed = Seed::read(&mut terms, "", source).unwrap();
        FreshNames::of(&terms, &seed.script, source)
    }

    fn check(source: &str, other: &str, expected: &str) {
        let names = names_of(source).unwrap();
        assert_eq!(rename(source, &names.apart_from(&mut symbols_of(other)).unwrap()), expected);
    }

    #[test]
    fn names_of_the_other_text_are_avoided_everywhere() {
        check(
            "(declare-const x Int)(declare-const y Int)(assert (forall ((y Int)) (< x y)))(check-sat)",
            "(assert (= x y x_1))",
            "(declare-const x_2 Int)(declare-const y_1 Int)(assert (forall ((y_1 Int)) (< x_2 y_1)))(check-sat)",
        );
    }

    #[test]
    fn bound_variables_labels_sorts_and_constructors_are_renamed() {
        check(
            "(declare-datatype T ((c (s Int))))(assert (! (exists ((t T)) (= (s t) 1)) :named l))(check-sat)",
            "(T c s t l)",
            "(declare-datatype T_1 ((c_1 (s_1 Int))))(assert (! (exists ((t_1 T_1)) (= (s_1 t_1) 1)) :named l_1))(check-sat)",
        );
    }

    #[test]
    fn models_are_renamed_with_their_formula() {
        check(
            "; expect: sat\n; model: (define-fun x () Int 1)\n(declare-const x Int)(assert (= x 1))(check-sat)",
            "x",
            "; expect: sat\n; model: (define-fun x_1 () Int 1)\n(declare-const x_1 Int)(assert (= x_1 1))(check-sat)",
        );
    }

    #[test]
    fn texts_and_other_names_stay() {
        let source = "(declare-const |x y| String)(assert (= |x y| \"x\"))(check-sat)";
        check(source, "(x)", source);
        check(source, "(|x y|)", "(declare-const |x y_1| String)(assert (= |x y_1| \"x\"))(check-sat)");
    }

    #[test]
    fn names_that_mean_something_else_cannot_be_renamed() {
        // No operator of this name is applied.
        assert!(names_of("(declare-const abs Int)(assert (= abs 1))(check-sat)").is_some());
        assert!(names_of("(declare-const Int Int)(assert (= Int 1))(check-sat)").is_none());
    }

    #[test]
    fn derived_names_follow_the_names_of_constructors_and_selectors() {
        let source = "(declare-datatype L ((nil) (cons (hd Int))))(declare-const l L)\
            (assert (is_cons (update-hd l 1)))(check-sat)";
        check(
            source,
            "(cons hd)",
            "(declare-datatype L ((nil) (cons_1 (hd_1 Int))))(declare-const l L)\
            (assert (is_cons_1 (update-hd_1 l 1)))(check-sat)",
        );
    }

    #[test]
    fn a_name_that_another_script_derives_is_taken() {
        check(
            "(declare-fun is-cons (Int) Bool)(declare-const c Int)(assert (is-cons c))(check-sat)",
            "(cons is-c)",
            "(declare-fun is-cons_1 (Int) Bool)(declare-const c_1 Int)(assert (is-cons_1 c_1))(check-sat)",
        );
    }

    #[test]
    fn a_script_that_gives_a_derived_name_to_something_else_is_not_renamed() {
        let source = "(declare-datatype L ((nil) (cons (hd Int))))(declare-fun is-nil (Int) Bool)\
            (assert (is-nil 1))(check-sat)";
        assert!(names_of(source).is_none());
    }
}

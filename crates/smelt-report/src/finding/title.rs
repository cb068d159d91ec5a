//! The title of a report: the kind of bug, the logic of its formula and the operators that it is about.

use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::foreign_text::{markdown_code, markdown_text};
use smelt_oracle::signature::Signature;
use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::read::read_script;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{operators, subterms};

/// The most operators that a title names.
const MAX_OPERATORS: usize = 4;

/// The title of a finding that a formula shows, with operators as the formula spells them.
pub(crate) fn title(verdict: &Verdict, formula: &str) -> String {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, formula).script;
    let roots: Vec<Term> = script.terms().collect();
    let mut named: Vec<&str> =
        telling(applied(&terms, &roots)).into_iter().map(|op| op.spelling(script.dialect)).collect();
    named.sort_unstable();
    named.dedup();
    let more = named.len().saturating_sub(MAX_OPERATORS);
    named.truncate(MAX_OPERATORS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let operators = if named.is_empty() { String::new() } else { format!(": {}{more}", named.join(", ")) };
    format!("{} in {}{operators}", kind(verdict), logic_of(&terms, &script))
}

/// The kind of bug, as titles name it.
fn kind(verdict: &Verdict) -> String {
    let text = match (verdict.class, &verdict.evidence) {
        (Class::Crash, Evidence::Signature(signature)) => return crash(signature),
        (Class::SoundnessRefutation, _) => "Refutation soundness bug",
        (Class::SoundnessSolution, _) => "Solution soundness bug",
        (Class::InvalidModel, _) => "Invalid model",
        (Class::InvalidCore, _) => "Invalid unsat core",
        (Class::InvalidProofStep, Evidence::FalseClaim { rule, .. }) => {
            return format!("False proof step by {}", markdown_code(rule));
        }
        (Class::InvalidProofStep, _) => "False proof step",
        (Class::InvalidSimplification, _) => "Wrong simplification",
        (Class::InvalidOptimum, _) => "Wrong optimum",
        (Class::InvalidInterpolant, _) => "Wrong interpolant",
        (Class::InvalidElimination, _) => "Wrong elimination of a quantifier",
        (Class::InvalidAbduct, _) => "Wrong abduct",
        (Class::Crash, _) => "Crash",
        (Class::Slowdown, _) => "Slowdown",
        (Class::IncompletenessRegression, _) => "Regression to `unknown`",
        (Class::Hang, _) => "Non-termination",
        (Class::IncompletenessImplication, _) => "Incompleteness",
        (Class::Inconsistency, _) => "Inconsistent answers",
        (Class::TraceInconsistency, _) => "Inconsistent answers in a session",
        (Class::Nondeterminism, _) => "Output that differs from run to run",
        (Class::WarmCold, _) => "Answer that depends on earlier formulas",
        (Class::Disputed, Evidence::SuspectClaim { .. }) => "Suspect claim of smelt",
        (Class::Disputed, _) => "Solvers disagree",
        (Class::Drift, _) => "Older definition of an operator",
    };
    text.to_owned()
}

/// `Crash (SIGSEGV)`, `Crash (AddressSanitizer: heap-buffer-overflow in parse_name)`.
fn crash(signature: &str) -> String {
    let mut signature = Signature::parse(signature);
    if let Some(number) = signature.kind.strip_prefix("signal ").and_then(|number| number.parse().ok()) {
        signature.kind = signal_name(number);
    }
    match signature.kind.as_str() {
        "" => "Crash".to_owned(),
        // Old records hold the lines of a message instead of places.
        "internal error" if signature.places.len() > 1 => {
            format!("Crash ({})", markdown_text(&signature.places.join(", ")))
        }
        _ => format!("Crash ({})", markdown_text(&signature.headline())),
    }
}

/// The name of a signal that ends programs which have a bug.
pub(crate) fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

/// The operators of some terms; those that only make up values, such as rounding modes, only where there are no others.
fn applied(terms: &Terms, roots: &[Term]) -> Vec<Op> {
    let is_value = |term: &Term| {
        matches!(terms.head(*term), Head::Literal(..))
            || terms.args(*term).is_empty() && terms.op(*term).is_some()
    };
    let is_applied = |term: &Term| !is_value(term) && !terms.args(*term).iter().all(is_value);
    let mut found: Vec<Op> =
        subterms(terms, roots).into_iter().filter(is_applied).filter_map(|term| terms.op(term)).collect();
    found.sort_unstable();
    found.dedup();
    let is_telling = found.iter().any(|op| op.info().theory != Theory::Core);
    if is_telling { found } else { operators(terms, roots) }
}

/// The operators that say most about a bug: connectives, sums and comparisons of numbers only where there are no others.
fn telling(mut operators: Vec<Op>) -> Vec<Op> {
    let weight = |op: &Op| match op {
        Op::Neg | Op::Sub | Op::Add | Op::Le | Op::Lt | Op::Ge | Op::Gt => 1,
        Op::True | Op::False => 3,
        op if op.info().theory == Theory::Core => 2,
        _ => 0,
    };
    let least = operators.iter().map(weight).min().unwrap_or_default();
    operators.retain(|op| weight(op) == least);
    operators
}

/// The smallest logic of SMT-LIB that a script seems to be in; `ALL` where something in it has no name there.
pub(crate) fn logic_of(terms: &Terms, script: &Script) -> String {
    let roots: Vec<Term> = script.terms().collect();
    let mut seen = Theories::default();
    // Numbers in a formula over floats do not make it one of bit-vectors and reals.
    let is_number = |term: &Term| {
        let sort = terms.sorts.kind(terms.sort(*term));
        matches!(terms.head(*term), Head::Literal(..))
            && matches!(sort, SortKind::Int | SortKind::Real | SortKind::BitVec(_))
    };
    let all = subterms(terms, &roots);
    let is_about_numbers = all.iter().all(|term| is_number(term) || terms.sort(*term) == Sort::BOOL);
    for term in all.into_iter().filter(|term| is_about_numbers || !is_number(term)) {
        seen.term(terms, term);
    }
    for command in &script.commands {
        match command {
            Command::DeclareConst(_, sort) => seen.sort(terms, *sort),
            Command::DeclareFun(_, params, sort) => {
                seen.functions |= !params.is_empty();
                params.iter().chain([sort]).for_each(|sort| seen.sort(terms, *sort));
            }
            Command::DeclareSort(..) => seen.functions = true,
            Command::DeclareDatatypes(_) => seen.datatypes = true,
            _ => {}
        }
    }
    seen.name()
}

/// What a script uses.
#[derive(Debug, Default)]
struct Theories {
    quantifiers: bool,
    arrays: bool,
    functions: bool,
    bit_vectors: bool,
    floats: bool,
    datatypes: bool,
    strings: bool,
    sequences: bool,
    ints: bool,
    reals: bool,
    products: bool,
    transcendentals: bool,
    others: bool,
}

impl Theories {
    fn sort(&mut self, terms: &Terms, sort: Sort) {
        match terms.sorts.kind(sort) {
            SortKind::Bool => {}
            SortKind::Int => self.ints = true,
            SortKind::Real => self.reals = true,
            SortKind::String | SortKind::RegLan => self.strings = true,
            SortKind::BitVec(_) => self.bit_vectors = true,
            SortKind::Float(..) | SortKind::RoundingMode => self.floats = true,
            SortKind::Array(..) => self.arrays = true,
            SortKind::Seq(_) => self.sequences = true,
            // What it is stands in its declaration.
            SortKind::Named(..) => {}
            SortKind::Set(_)
            | SortKind::Bag(_)
            | SortKind::Tuple(_)
            | SortKind::FiniteField(_)
            | SortKind::Nullable(_)
            | SortKind::FiniteSet(_)
            | SortKind::Unknown
            | SortKind::Param(_)
            | SortKind::Arrow(_) => self.others = true,
        }
    }

    fn term(&mut self, terms: &Terms, term: Term) {
        self.sort(terms, terms.sort(term));
        match terms.head(term) {
            Head::Forall(_) | Head::Exists(_) => self.quantifiers = true,
            Head::Lambda(_) | Head::Closure(..) | Head::Opaque(_) => self.others = true,
            Head::Op(op, _) => {
                let args = terms.args(term);
                let is_open = |arg: &&Term| !matches!(terms.head(**arg), Head::Literal(..));
                self.products |= match op {
                    Op::Mul => args.iter().filter(is_open).count() > 1,
                    Op::IntDiv | Op::Mod | Op::RealDiv => args.iter().skip(1).any(|arg| is_open(&arg)),
                    _ => false,
                };
                self.transcendentals |= op.info().theory == Theory::Transcendentals;
            }
            _ => {}
        }
    }

    fn name(&self) -> String {
        if self.others {
            return "ALL".to_owned();
        }
        let arithmetic = match (self.ints, self.reals, self.products || self.transcendentals) {
            (false, false, _) => "",
            (true, false, false) => "LIA",
            (true, false, true) => "NIA",
            (false, true, false) => "LRA",
            (false, true, true) => "NRA",
            (true, true, false) => "LIRA",
            (true, true, true) => "NIRA",
        };
        let parts = [
            (self.arrays, "A"),
            (self.functions, "UF"),
            (self.bit_vectors, "BV"),
            (self.floats, "FP"),
            (self.datatypes, "DT"),
            (self.strings, "S"),
            (self.sequences, "SEQ"),
            (!arithmetic.is_empty(), arithmetic),
            (self.transcendentals, "T"),
        ];
        let theories: String = parts.iter().filter(|(is_used, _)| *is_used).map(|(_, part)| *part).collect();
        let theories = match theories.as_str() {
            "" => "UF",
            "A" => "AX",
            theories => theories,
        };
        format!("{}{theories}", if self.quantifiers { "" } else { "QF_" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logic(source: &str) -> String {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, source).script;
        logic_of(&terms, &script)
    }

    #[test]
    fn logics_are_named_by_what_is_used() {
        assert_eq!(logic("(declare-const s String)(assert (= (str.len s) 1))(check-sat)"), "QF_SLIA");
        assert_eq!(logic("(declare-const s String)(assert (= s \"a\"))(check-sat)"), "QF_S");
        assert_eq!(logic("(declare-const x Int)(assert (= (* x x) 4))(check-sat)"), "QF_NIA");
        assert_eq!(logic("(declare-const x Int)(assert (= (* 2 x) 4))(check-sat)"), "QF_LIA");
        assert_eq!(logic("(assert (forall ((x Real)) (> x 0.0)))(check-sat)"), "LRA");
        assert_eq!(logic("(declare-fun f (Int) Int)(assert (= (f 1) 2))(check-sat)"), "QF_UFLIA");
        assert_eq!(logic("(declare-const p Bool)(assert p)(check-sat)"), "QF_UF");
        assert_eq!(logic("(assert (= 1 2))(check-sat)"), "QF_LIA");
        let float = "(declare-const x (_ FloatingPoint 2 3))(assert (= x (fp #b0 #b01 #b00)))(check-sat)";
        assert_eq!(logic(float), "QF_FP");
    }

    #[test]
    fn titles_name_the_kind_the_logic_and_the_operators() {
        let verdict = |class, evidence| Verdict { class, culprit: Some("z3".to_owned()), evidence };
        let formula =
            "(declare-const s String)(assert (and true (= (str.at s (str.len s)) \"a\")))(check-sat)";
        let wrong = verdict(Class::SoundnessRefutation, Evidence::Construction);
        assert_eq!(title(&wrong, formula), "Refutation soundness bug in QF_SLIA: str.at, str.len");
        let float = "(declare-const x (_ FloatingPoint 2 3))(assert (= (fp.sqrt RNE x) (fp #b0 #b01 #b00)))(check-sat)";
        assert_eq!(title(&wrong, float), "Refutation soundness bug in QF_FP: fp.sqrt");
        let crash = verdict(Class::Crash, Evidence::Signature("signal 11".to_owned()));
        assert_eq!(title(&crash, formula), "Crash (SIGSEGV) in QF_SLIA: str.at, str.len");
        let failed = "AddressSanitizer: heap-buffer-overflow | copy_name | main";
        let crash = verdict(Class::Crash, Evidence::Signature(failed.to_owned()));
        let expected = "Crash (AddressSanitizer: heap-buffer-overflow in copy_name) in QF_UF: and";
        assert_eq!(title(&crash, "(assert (and true true))(check-sat)"), expected);
    }
}

//! Fragments of formulas: whether a warm session pays, and works at all, depends on what a formula is about.
//!
//! Z3 saves most of its start on integers and little on strings, and forgets its datatypes wrongly: `match` after
//! `(reset)` makes it crash. So each kind is measured with a formula of its own, cold and warm, and runs warm only if
//! the answers are the same and the session is clearly cheaper.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smelt_oracle::run::Answer;
use smelt_smtlib::op::{Dialect, Theory};
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::SortKind;
use smelt_smtlib::term::{Head, Term, Terms};

use crate::answer::read_run;
use crate::cold;
use crate::isolation::Isolation;
use crate::limits::Limits;
use crate::numbers::Numbers;
use crate::probe::Asking;
use crate::session::Session;

/// What a formula is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Fragment {
    Arithmetic,
    BitVectors,
    Floats,
    Arrays,
    Strings,
    Sequences,
    Datatypes,
    Match,
    Quantifiers,
    /// Sets, bags, fields and the like.
    Extensions,
}

impl Fragment {
    /// All fragments.
    pub const ALL: [Fragment; 10] = [
        Fragment::Arithmetic,
        Fragment::BitVectors,
        Fragment::Floats,
        Fragment::Arrays,
        Fragment::Strings,
        Fragment::Sequences,
        Fragment::Datatypes,
        Fragment::Match,
        Fragment::Quantifiers,
        Fragment::Extensions,
    ];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Fragment::Arithmetic => "arithmetic",
            Fragment::BitVectors => "bit-vectors",
            Fragment::Floats => "floats",
            Fragment::Arrays => "arrays",
            Fragment::Strings => "strings",
            Fragment::Sequences => "sequences",
            Fragment::Datatypes => "datatypes",
            Fragment::Match => "match",
            Fragment::Quantifiers => "quantifiers",
            Fragment::Extensions => "extensions",
        }
    }

    /// A formula of this kind that every solver of it decides at once.
    fn sample(self) -> &'static str {
        match self {
            Fragment::Arithmetic => {
                "(declare-fun x () Int)\n(declare-fun y () Int)\n\
                 (assert (and (> x 2) (< (+ x y) 4)))\n(assert (>= (* 2 y) (- 9)))\n(check-sat)\n"
            }
            Fragment::BitVectors => {
                "(declare-fun x () (_ BitVec 8))\n(declare-fun y () (_ BitVec 8))\n\
                 (assert (= (bvadd x y) #x0f))\n(assert (bvult x (bvmul y #x03)))\n(check-sat)\n"
            }
            Fragment::Floats => {
                "(declare-fun x () (_ FloatingPoint 5 11))\n\
                 (assert (fp.lt x (fp.add RNE x x)))\n(assert (not (fp.isInfinite x)))\n(check-sat)\n"
            }
            Fragment::Arrays => {
                "(declare-fun a () (Array Int Int))\n(declare-fun i () Int)\n\
                 (assert (> (select (store a i 3) (+ i 1)) (select a i)))\n(check-sat)\n"
            }
            Fragment::Strings => {
                "(declare-fun s () String)\n(declare-fun t () String)\n(declare-fun i () Int)\n\
                 (assert (= (str.++ s \"b\" t) \"aabab\"))\n(assert (= i (str.indexof s \"a\" 0)))\n\
                 (assert (str.in_re t (re.+ (re.union (str.to_re \"a\") (str.to_re \"b\")))))\n\
                 (assert (> (str.len t) i))\n(check-sat)\n"
            }
            Fragment::Sequences => {
                "(declare-fun s () (Seq Int))\n(declare-fun t () (Seq Int))\n\
                 (assert (= (seq.++ s t) (seq.++ (seq.unit 1) (seq.unit 2))))\n(assert (> (seq.len t) 0))\n(check-sat)\n"
            }
            Fragment::Datatypes => {
                "(declare-datatypes ((D 0)) (((leaf) (node (left D) (value Int)))))\n(declare-fun d () D)\n\
                 (assert (not (= d leaf)))\n(assert (= (value d) 1))\n(check-sat)\n"
            }
            Fragment::Match => {
                "(declare-datatypes ((D 0)) (((leaf) (node (left D) (value Int)))))\n(declare-fun d () D)\n\
                 (assert (= 1 (match d ((leaf 0) ((node l v) v)))))\n(check-sat)\n"
            }
            Fragment::Quantifiers => {
                "(declare-fun f (Int) Int)\n(declare-fun c () Int)\n\
                 (assert (forall ((x Int)) (> (f x) 0)))\n(assert (< (f c) 0))\n(check-sat)\n"
            }
            Fragment::Extensions => {
                "(declare-fun s () (Set Int))\n(declare-fun t () (Set Int))\n\
                 (assert (set.subset s t))\n(assert (set.member 1 (set.minus t s)))\n(check-sat)\n"
            }
        }
    }
}

/// A set of fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fragments(u16);

impl Fragments {
    /// The fragments that a script with these subterms is of; none if it is about truth values only.
    pub(crate) fn of(terms: &Terms, script: &Script, subterms: &[Term]) -> Fragments {
        let mut fragments = Fragments::default();
        if script.commands.iter().any(|command| matches!(command, Command::DeclareDatatypes(_))) {
            fragments.add(Fragment::Datatypes);
        }
        subterms.iter().for_each(|term| fragments.add_term(terms, *term));
        fragments
    }

    fn add_term(&mut self, terms: &Terms, term: Term) {
        match terms.head(term) {
            Head::Op(op, _) => match op.info().theory {
                Theory::Core => {}
                Theory::Ints | Theory::Reals | Theory::Transcendentals => self.add(Fragment::Arithmetic),
                Theory::BitVectors => self.add(Fragment::BitVectors),
                Theory::Floats => self.add(Fragment::Floats),
                Theory::Arrays => self.add(Fragment::Arrays),
                Theory::Strings | Theory::Regexes => self.add(Fragment::Strings),
                Theory::Sequences => self.add(Fragment::Sequences),
                Theory::HigherOrder
                | Theory::Tuples
                | Theory::Sets
                | Theory::Relations
                | Theory::Bags
                | Theory::FiniteFields
                | Theory::Nullables
                | Theory::FiniteSets
                | Theory::Separation
                | Theory::Cardinality => self.add(Fragment::Extensions),
            },
            Head::Lambda(_) | Head::Closure(..) => self.add(Fragment::Extensions),
            Head::Match(_) => self.add(Fragment::Match),
            Head::Forall(_) | Head::Exists(_) => self.add(Fragment::Quantifiers),
            _ => match terms.sorts.kind(terms.sort(term)) {
                SortKind::Int | SortKind::Real => self.add(Fragment::Arithmetic),
                SortKind::String | SortKind::RegLan => self.add(Fragment::Strings),
                SortKind::RoundingMode | SortKind::Float(..) => self.add(Fragment::Floats),
                SortKind::BitVec(_) => self.add(Fragment::BitVectors),
                SortKind::Array(..) => self.add(Fragment::Arrays),
                SortKind::Seq(_) => self.add(Fragment::Sequences),
                SortKind::Set(_)
                | SortKind::Bag(_)
                | SortKind::Tuple(_)
                | SortKind::FiniteField(_)
                | SortKind::Nullable(_)
                | SortKind::FiniteSet(_)
                | SortKind::Arrow(_) => self.add(Fragment::Extensions),
                SortKind::Bool | SortKind::Unknown | SortKind::Named(..) | SortKind::Param(_) => {}
            },
        }
    }

    fn add(&mut self, kind: Fragment) {
        self.0 |= 1 << kind as u16;
    }

    /// Whether a kind is in the set.
    pub fn contains(self, kind: Fragment) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What a formula of some kind costs in a process of its own and in a warm session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The kind.
    pub kind: Fragment,
    /// Processor time in a process of its own.
    pub cold_cpu_ms: f64,
    /// Processor time in a session; none if sessions fail or answer otherwise.
    pub warm_cpu_ms: Option<f64>,
}

impl Cost {
    /// Whether sessions pay.
    pub fn prefers_warm(&self) -> bool {
        self.warm_cpu_ms.is_some_and(|warm| warm * 1.5 < self.cold_cpu_ms)
    }
}

/// Whether formulas of these fragments are better run warm. What was not measured runs cold.
pub fn prefers_warm(costs: &[Cost], fragments: Fragments) -> bool {
    let is_warm = |kind: Fragment| costs.iter().any(|cost| cost.kind == kind && cost.prefers_warm());
    if fragments.is_empty() {
        return is_warm(Fragment::Arithmetic);
    }
    Fragment::ALL.into_iter().filter(|kind| fragments.contains(*kind)).all(is_warm)
}

/// Cold runs measured; the cheapest counts, because a loaded machine only adds.
const COLD_REPEATS: usize = 2;

/// Formulas put to a session after the first, which pays for the start. Together they are long enough to be measured.
const WARM_REPEATS: u32 = 8;

/// Everything that is measured, for telling whether what was measured earlier is still what would be measured now.
#[cfg(test)]
pub(crate) fn samples_text() -> String {
    let samples = Fragment::ALL.map(Fragment::sample).concat();
    Numbers::BitVectors.in_script(&samples) + &samples
}

/// Measures all fragments that a solver decides.
pub(crate) fn measure(asking: &Asking<'_>, dialect: Dialect) -> io::Result<Vec<Cost>> {
    let mut costs: Vec<Cost> = Vec::new();
    let mut sessions = Sessions::MayWork;
    for kind in Fragment::ALL {
        costs.extend(measure_kind(asking, dialect, kind, &mut sessions)?);
    }
    Ok(costs)
}

/// Whether sessions are worth trying. A solver that keeps its answers until its input ends hangs in each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sessions {
    MayWork,
    Hang,
}

fn measure_kind(
    asking: &Asking<'_>,
    dialect: Dialect,
    kind: Fragment,
    sessions: &mut Sessions,
) -> io::Result<Option<Cost>> {
    let &Asking { solver, until } = asking;
    let limits = Limits { wall: Duration::from_secs(4), until, ..Limits::for_seconds(2.0) };
    let script_of = |numbers: Numbers| {
        format!("{}{}", solver.family.logic(), in_dialect(&numbers.in_script(kind.sample()), dialect))
    };
    let mut script = script_of(Numbers::Integers);
    let has_integers = kind != Fragment::Arithmetic && script != script_of(Numbers::BitVectors);
    if has_integers
        && !read_run(&solver.name, &cold::run(&solver.invocation, &script, &limits)?).answer.is_decided()
    {
        script = script_of(Numbers::BitVectors);
    }
    let mut cold_cpu_ms = f64::INFINITY;
    let mut answer = Answer::Unknown;
    for _ in 0..COLD_REPEATS {
        let run = read_run(&solver.name, &cold::run(&solver.invocation, &script, &limits)?);
        if !run.answer.is_decided() {
            return Ok(None);
        }
        answer = run.answer;
        cold_cpu_ms = cold_cpu_ms.min(run.cpu_ms);
    }
    let failed = Cost { kind, cold_cpu_ms, warm_cpu_ms: None };
    if *sessions == Sessions::Hang {
        return Ok(Some(failed));
    }
    let mut session = Session::new(solver.clone(), Isolation::Reset, limits);
    let mut total = 0.0;
    for number in 0..=WARM_REPEATS {
        let run = session.run(&script)?;
        if run.is_cut_by_the_clock() {
            *sessions = Sessions::Hang;
        }
        // A session that is over after the right answer is none.
        if run.answer != answer || !session.is_running() {
            return Ok(Some(failed));
        }
        total += if number > 0 { run.cpu_ms } else { 0.0 };
    }
    Ok(Some(Cost { warm_cpu_ms: Some(total / f64::from(WARM_REPEATS)), ..failed }))
}

/// A script of SMT-LIB 2.6 in the names of a dialect.
fn in_dialect(script: &str, dialect: Dialect) -> String {
    let mut terms = Terms::new();
    let reading = read_script_as(&mut terms, script, Dialect::V26);
    let mut printer = Printer::new(&mut terms, dialect, Layout::Flat);
    printer.script(&reading.script);
    printer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script_profile::ScriptProfile;

    fn fragments(script: &str) -> Fragments {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, script, Dialect::V26);
        assert!(reading.diagnostics.is_empty(), "{script}: {:?}", reading.diagnostics);
        ScriptProfile::of(&terms, &reading.script).fragments
    }

    #[test]
    fn samples_are_of_their_kind() {
        for kind in Fragment::ALL {
            assert!(fragments(kind.sample()).contains(kind), "{kind:?}");
        }
        assert!(!fragments(Fragment::Arithmetic.sample()).contains(Fragment::Strings));
        assert!(!fragments(Fragment::Datatypes.sample()).contains(Fragment::Match));
    }

    #[test]
    fn variables_and_functions_show_kinds_without_operators() {
        assert!(fragments("(declare-fun s () String)\n(assert (= s s))").contains(Fragment::Strings));
        assert!(fragments("(declare-const p Bool)\n(assert p)").is_empty());
    }

    #[test]
    fn a_formula_runs_warm_only_if_all_its_kinds_do() {
        let cost = |kind, warm_cpu_ms| Cost { kind, cold_cpu_ms: 15.0, warm_cpu_ms };
        let costs = [
            cost(Fragment::Arithmetic, Some(3.0)),
            cost(Fragment::Strings, Some(14.0)),
            cost(Fragment::Datatypes, Some(3.0)),
            cost(Fragment::Match, None),
        ];
        let is_warm = |kind: Fragment| prefers_warm(&costs, fragments(kind.sample()));
        assert!(is_warm(Fragment::Arithmetic));
        assert!(is_warm(Fragment::Datatypes));
        assert!(!is_warm(Fragment::Strings));
        assert!(!is_warm(Fragment::Match));
        assert!(!is_warm(Fragment::Floats));
        assert!(prefers_warm(&costs, Fragments::default()));
    }

    #[test]
    fn samples_are_translated() {
        assert!(in_dialect(Fragment::Strings.sample(), Dialect::V25).contains("str.in.re"));
    }
}

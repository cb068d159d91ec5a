//! What a solver can do, learned by asking it once.
//!
//! [`probe`] asks; [`probe_cached`] asks only if nobody has asked this program with these options before.

use std::io;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use smelt_oracle::run::{Answer, Run};
use smelt_smtlib::op::Dialect;

use crate::answer::{read_run, text_of};
use crate::cache::Cache;
use crate::capability::{self, Capabilities};
use crate::clock;
use crate::cold::{self, End, Raw};
use crate::family::Family;
use crate::fragment::{self, Cost, Fragment, Fragments};
use crate::library::solver_args;
use crate::limits::Limits;
use crate::smoke;
use crate::solver::Solver;

/// What probing found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Whether it answers at all.
    pub works: bool,
    /// What it says of itself.
    pub version: Option<String>,
    /// Whether it takes the operator names of SMT-LIB 2.6 for strings.
    pub takes_new_names: bool,
    /// Whether it takes the names that came before.
    pub takes_old_names: bool,
    /// Processor time of a run on a tiny formula, in a process of its own.
    pub cold_cpu_ms: f64,
    /// What formulas of each kind cost, cold and warm.
    pub costs: Vec<Cost>,
    /// What it takes.
    pub capabilities: Capabilities,
    /// Why it does not work: what it did with a trivial formula.
    #[serde(default)]
    pub failure: Option<String>,
    /// What it takes in safe mode; none if it has no such mode or is started with options.
    #[serde(default)]
    pub safe_mode: Option<Capabilities>,
}

impl Probe {
    /// Whether sessions pay for formulas of these fragments.
    pub fn prefers_warm(&self, fragments: Fragments) -> bool {
        fragment::prefers_warm(&self.costs, fragments)
    }

    /// The fragments of formulas that are run in sessions.
    pub fn warm_kinds(&self) -> impl Iterator<Item = Fragment> {
        self.costs.iter().filter(|cost| cost.prefers_warm()).map(|cost| cost.kind)
    }

    /// Processor time of a tiny formula in a session; none if sessions do not work for any kind of formula.
    pub fn warm_cpu_ms(&self) -> Option<f64> {
        let arithmetic = self.costs.iter().find(|cost| cost.kind == Fragment::Arithmetic);
        let measured = arithmetic.or_else(|| self.costs.iter().find(|cost| cost.warm_cpu_ms.is_some()));
        measured.and_then(|cost| cost.warm_cpu_ms)
    }

    /// The dialect that formulas are put to it in.
    pub fn dialect(&self) -> Dialect {
        dialect(self.takes_new_names, self.takes_old_names)
    }

    /// The dialects it takes, in words.
    pub fn dialects(&self) -> &'static str {
        match (self.takes_new_names, self.takes_old_names) {
            (true, true) => "2.5 2.6",
            (true, false) => "2.6",
            (false, true) => "2.5",
            (false, false) => "-",
        }
    }
}

fn dialect(takes_new_names: bool, takes_old_names: bool) -> Dialect {
    if takes_old_names && !takes_new_names { Dialect::V25 } else { Dialect::V26 }
}

const TINY: &str = "(declare-fun x () Int)\n(assert (> x 2))\n(assert (< x 4))\n(check-sat)\n";
const TINY_UNSAT: &str = "(declare-fun x () Int)\n(assert (> x 2))\n(assert (< x 3))\n(check-sat)\n";
const BIT_VECTORS: &str =
    "(set-logic QF_BV)\n(declare-fun x () (_ BitVec 4))\n(assert (= (bvadd x #x1) #x0))\n(check-sat)\n";
const NEW_NAMES: &str =
    "(set-logic QF_SLIA)\n(declare-fun s () String)\n(assert (str.in_re s (str.to_re \"a\")))\n(check-sat)\n";
const OLD_NAMES: &str =
    "(set-logic QF_S)\n(declare-fun s () String)\n(assert (str.in.re s (str.to.re \"a\")))\n(check-sat)\n";
const VERSION: &str = "(get-info :version)\n(check-sat)\n";

/// Formulas measured; the fastest counts, because a loaded machine only adds.
const REPEATS: usize = 3;

/// How long one solver is asked, on the clock. On an idle machine it takes a few seconds.
pub const PROBE_TIME: Duration = Duration::from_secs(300);

/// Output of one run of a solver that is probed; all that solvers are asked takes much less.
const MAX_OUTPUT: usize = 1 << 20;

/// Whether nothing has to be asked any more.
pub fn is_cached(solver: &Solver, cache: &Cache) -> bool {
    cache.get::<Probe>(ENTRY, solver, REVISION).is_some()
}

/// What is known of a solver, asked now if it is not, until the given moment; then it is an error of kind `TimedOut`.
pub fn probe_cached(solver: &Solver, cache: &Cache, until: Instant) -> io::Result<Probe> {
    if let Some(probe) = cache.get(ENTRY, solver, REVISION) {
        return Ok(probe);
    }
    if let Some(plain) = without_options(solver) {
        let known = probe_cached(&plain, cache, until)?;
        if known.works {
            let probe = probe_options(solver, known, until)?;
            return Ok(keep(probe, solver, cache));
        }
    }
    probe_anew(solver, cache, until)
}

/// The solver without the options that users gave it; none if it has none, or needs them to read its input.
fn without_options(solver: &Solver) -> Option<Solver> {
    let args = solver_args(&solver.invocation.args);
    let usual = solver.family.stdin_args();
    let is_usual = args.len() > usual.len() && args.iter().zip(usual).all(|(arg, usual)| arg == usual);
    if solver.family == Family::Generic || !is_usual {
        return None;
    }
    let mut plain = solver.clone();
    let given = args.len() - usual.len();
    plain.invocation.args.truncate(solver.invocation.args.len() - given);
    Some(plain)
}

/// Asks a solver whatever is known of it already, and keeps what it says.
pub fn probe_anew(solver: &Solver, cache: &Cache, until: Instant) -> io::Result<Probe> {
    Ok(keep(probe(solver, until)?, solver, cache))
}

/// Keeps what was learned. What does not work may do so when the machine has less to do.
fn keep(probe: Probe, solver: &Solver, cache: &Cache) -> Probe {
    if probe.works {
        cache.put(ENTRY, solver, REVISION, &probe);
    }
    probe
}

const ENTRY: &str = "probe";

/// Stands for all that solvers are asked, so that answers to other questions are not taken for answers to these. A test
/// says what it must be.
const REVISION: &str = "5e579a07eb663ac1";

/// Asks a solver everything, until the given moment.
pub fn probe(solver: &Solver, until: Instant) -> io::Result<Probe> {
    let asking = Asking { solver, until: Some(until.min(clock::now() + PROBE_TIME)) };
    let mut probe = asking.works()?;
    if !probe.works {
        return Ok(probe);
    }
    probe.version = asking.version(asking.cold_limits())?;
    let answers = |script: &str| -> io::Result<Answer> { Ok(asking.run(script)?.answer) };
    probe.takes_new_names = answers(NEW_NAMES)? == Answer::Sat;
    probe.takes_old_names = answers(OLD_NAMES)? == Answer::Sat;
    probe.costs = fragment::measure(&asking, probe.dialect())?;
    probe.capabilities = capability::learn(&asking, probe.dialect())?;
    probe.safe_mode = capability::learn_safe_mode(&asking, probe.dialect(), &probe.capabilities)?;
    Ok(probe)
}

/// Asks a solver with options what they change, until the given moment: whether it works, what it costs, and what it takes
/// of that which it refuses without them. The rest is what is known of it without options.
fn probe_options(solver: &Solver, known: Probe, until: Instant) -> io::Result<Probe> {
    let asking = Asking { solver, until: Some(until.min(clock::now() + PROBE_TIME)) };
    let probe = asking.works()?;
    if !probe.works {
        return Ok(probe);
    }
    let capabilities = capability::learn_with_options(&asking, known.dialect(), &known.capabilities)?;
    Ok(Probe { cold_cpu_ms: probe.cold_cpu_ms, capabilities, safe_mode: None, ..known })
}

/// A solver that is asked until some moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'s> {
    pub solver: &'s Solver,
    pub until: Option<Instant>,
}

impl Asking<'_> {
    fn cold_limits(&self) -> Limits {
        Limits { output: MAX_OUTPUT, until: self.until, ..Limits::for_seconds(5.0) }
    }

    fn run(&self, script: &str) -> io::Result<Run> {
        let raw = cold::run(&self.solver.invocation, script, &self.cold_limits())?;
        Ok(read_run(&self.solver.name, &raw))
    }

    /// Whether the solver answers trivial formulas, why not, and what one costs.
    fn works(&self) -> io::Result<Probe> {
        let &Asking { solver, until } = self;
        let mut probe = Probe {
            works: false,
            version: None,
            takes_new_names: false,
            takes_old_names: false,
            cold_cpu_ms: 0.0,
            costs: Vec::new(),
            capabilities: Capabilities::default(),
            failure: None,
            safe_mode: None,
        };
        // A program that has to be ended is not asked more: it may sleep or flood each time, even after an answer.
        let (first, raw) = smoke_test(solver, TINY, until)?;
        let is_hopeless = matches!(raw.end, End::Cut(_) | End::Flooded);
        let takes_ints =
            !is_hopeless && first == Answer::Sat && self.run(TINY_UNSAT)?.answer == Answer::Unsat;
        if !takes_ints && (is_hopeless || smoke_test(solver, BIT_VECTORS, until)?.0 != Answer::Sat) {
            probe.failure = Some(smoke::explain(&raw, first, solver));
            return Ok(probe);
        }
        probe.works = true;
        let tiny = if takes_ints { TINY } else { BIT_VECTORS };
        probe.cold_cpu_ms = f64::INFINITY;
        for _ in 0..REPEATS {
            probe.cold_cpu_ms = probe.cold_cpu_ms.min(self.run(tiny)?.cpu_ms);
        }
        Ok(probe)
    }

    /// What the solver says of itself: to a command, or to an option if it does not know that.
    fn version(&self, limits: Limits) -> io::Result<Option<String>> {
        let raw = cold::run(&self.solver.invocation, VERSION, &limits)?;
        let told = version_in(&text_of(&raw.stdout));
        // A program that did not end by itself would not either with the option, and one that none knows may do anything.
        if told.is_some() || !matches!(raw.end, End::Exited(_)) || self.solver.family == Family::Generic {
            return Ok(told);
        }
        let mut invocation = self.solver.invocation.clone();
        invocation.args.push("--version".into());
        let raw = cold::run(&invocation, "", &limits)?;
        Ok(version_number(&text_of(&raw.stdout)))
    }
}

/// How long a solver may sleep instead of answering a trivial formula.
const SMOKE_SLEEP: Duration = Duration::from_secs(5);

fn smoke_test(solver: &Solver, script: &str, until: Option<Instant>) -> io::Result<(Answer, Raw)> {
    let limits = Limits { wall: SMOKE_SLEEP, output: MAX_OUTPUT, until, ..Limits::for_seconds(5.0) };
    let raw = cold::run(&solver.invocation, script, &limits)?;
    Ok((read_run(&solver.name, &raw).answer, raw))
}

/// What a solver says of itself; none if it says nothing in a second. Kept like all that solvers are asked.
pub fn version_cached(solver: &Solver, cache: &Cache) -> io::Result<Option<String>> {
    let known = cache.get::<Probe>(ENTRY, solver, REVISION).map(|probe| probe.version);
    if let Some(version) = known.or_else(|| cache.get(VERSION_ENTRY, solver, VERSION)) {
        return Ok(version);
    }
    let second = Duration::from_secs(1);
    let limits = Limits { wall: second, cpu: second * 2, output: 1 << 16, ..Limits::default() };
    let version = Asking { solver, until: None }.version(limits)?;
    if version.is_some() {
        cache.put(VERSION_ENTRY, solver, VERSION, &version);
    }
    Ok(version)
}

const VERSION_ENTRY: &str = "version";

/// The version in `(:version "4.8.7")`.
fn version_in(output: &str) -> Option<String> {
    let rest = output.split(":version").nth(1)?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The first word of a text that begins with a digit, if it is a version.
fn version_number(output: &str) -> Option<String> {
    let mut words = output.split_whitespace();
    let is_version =
        |word: &&str| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.');
    words.find(is_version).map(|word| word.trim_end_matches(',').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Invocation;
    use crate::{capability, fragment};

    #[test]
    fn the_revision_is_that_of_the_questions() {
        let fixed = [TINY, TINY_UNSAT, BIT_VECTORS, NEW_NAMES, OLD_NAMES, VERSION].concat();
        let asked = fixed + &fragment::samples_text() + &capability::questions_text();
        assert_eq!(&blake3::hash(asked.as_bytes()).to_hex()[..16], REVISION);
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(
            version_in("(:version \"4.8.7 - build hashcode\")\nsat"),
            Some("4.8.7 - build hashcode".to_owned())
        );
        assert_eq!(version_in("(error \"no\")"), None);
        assert_eq!(version_number("0.9.1\n"), Some("0.9.1".to_owned()));
        assert_eq!(version_number("This is Boolector 3.2.4, of 2024\n"), Some("3.2.4".to_owned()));
        assert_eq!(version_number("(error \"invalid option\")"), None);
    }

    fn with_args(family: Family, args: &[&str]) -> Solver {
        let args = args.iter().map(Into::into).collect();
        let invocation =
            Invocation { program: "/solver".into(), args, environment: Vec::new(), is_confined: true };
        Solver { name: "s".to_owned(), family, invocation }
    }

    #[test]
    fn what_is_known_without_options_is_that_of_the_same_program_with_what_it_needs() {
        let plain = |family, args: &[&str]| {
            without_options(&with_args(family, args)).map(|plain| plain.invocation.args)
        };
        assert_eq!(
            plain(Family::Cvc5, &["--lang=smt2", "--check-proofs"]).unwrap(),
            [Family::Cvc5.stdin_args()[0]]
        );
        let driver = ["-ISB", "/a/driver.py"];
        assert_eq!(plain(Family::Bitwuzla, &[driver[0], driver[1], "--rewrite-level=0"]).unwrap(), driver);
        assert_eq!(plain(Family::Cvc5, &["--lang=smt2"]), None);
        assert_eq!(plain(Family::Z3, &["smt.seed=1", "-in"]), None);
        assert_eq!(plain(Family::Generic, &["-in"]), None);
    }
}

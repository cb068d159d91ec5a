//! What a solver can do, learned by asking it once.
//!
//! [`probe`] asks; [`probe_cached`] asks only if nobody has asked this program with these options before.

use std::io;

use serde::{Deserialize, Serialize};
use smelt_oracle::run::Answer;
use smelt_smtlib::op::Dialect;

use crate::answer::read_run;
use crate::cache::Cache;
use crate::capability::{self, Capabilities};
use crate::cold;
use crate::kind::{self, Cost, Kind, Kinds};
use crate::limits::Limits;
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
    /// What it takes in safe mode; none if it has no such mode or is started with options.
    #[serde(default)]
    pub safe_mode: Option<Capabilities>,
}

impl Probe {
    /// Whether sessions pay for formulas of these kinds.
    pub fn prefers_warm(&self, kinds: Kinds) -> bool {
        kind::prefers_warm(&self.costs, kinds)
    }

    /// The kinds of formulas that are run in sessions.
    pub fn warm_kinds(&self) -> impl Iterator<Item = Kind> {
        self.costs.iter().filter(|cost| cost.prefers_warm()).map(|cost| cost.kind)
    }

    /// Processor time of a tiny formula in a session; none if sessions do not work for any kind of formula.
    pub fn warm_cpu_ms(&self) -> Option<f64> {
        let arithmetic = self.costs.iter().find(|cost| cost.kind == Kind::Arithmetic);
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

/// What is known of a solver, asked now if it is not.
pub fn probe_cached(solver: &Solver, cache: &Cache) -> io::Result<Probe> {
    if let Some(probe) = cache.get(ENTRY, solver, REVISION) {
        return Ok(probe);
    }
    probe_anew(solver, cache)
}

/// Asks a solver whatever is known of it already, and keeps what it says.
pub fn probe_anew(solver: &Solver, cache: &Cache) -> io::Result<Probe> {
    let probe = probe(solver)?;
    // What does not work may do so when the machine has less to do.
    if probe.works {
        cache.put(ENTRY, solver, REVISION, &probe);
    }
    Ok(probe)
}

const ENTRY: &str = "probe";

/// Stands for all that solvers are asked, so that answers to other questions are not taken for answers to these. A test
/// says what it must be.
const REVISION: &str = "1546f3e597388bb3";

/// Asks a solver everything.
pub fn probe(solver: &Solver) -> io::Result<Probe> {
    let limits = Limits::for_seconds(5.0);
    let cold_run = |script: &str| -> io::Result<_> {
        let raw = cold::run(&solver.invocation, script, &limits)?;
        Ok((read_run(&solver.name, &raw), raw))
    };
    let answers = |script: &str| -> io::Result<Answer> { Ok(cold_run(script)?.0.answer) };
    let takes_ints = answers(TINY)? == Answer::Sat && answers(TINY_UNSAT)? == Answer::Unsat;
    let works = takes_ints || answers(BIT_VECTORS)? == Answer::Sat;
    let tiny = if takes_ints { TINY } else { BIT_VECTORS };
    let mut cold_cpu_ms = f64::INFINITY;
    for _ in 0..REPEATS {
        cold_cpu_ms = cold_cpu_ms.min(cold_run(tiny)?.0.cpu_ms);
    }
    let (_, raw) = cold_run(VERSION)?;
    let takes_new_names = answers(NEW_NAMES)? == Answer::Sat;
    let takes_old_names = answers(OLD_NAMES)? == Answer::Sat;
    let mut probe = Probe {
        works,
        version: version_in(&String::from_utf8_lossy(&raw.stdout)),
        takes_new_names,
        takes_old_names,
        cold_cpu_ms,
        costs: Vec::new(),
        capabilities: Capabilities::default(),
        safe_mode: None,
    };
    // Nothing is to be learned from a program that answers nothing.
    if works {
        probe.costs = kind::measure(solver, probe.dialect())?;
        probe.capabilities = capability::learn(solver, probe.dialect())?;
        probe.safe_mode = capability::learn_safe_mode(solver, probe.dialect())?;
    }
    Ok(probe)
}

/// The version in `(:version "4.8.7")`.
fn version_in(output: &str) -> Option<String> {
    let rest = output.split(":version").nth(1)?;
    rest.split('"').nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{capability, kind};

    #[test]
    fn the_revision_is_that_of_the_questions() {
        let fixed = [TINY, TINY_UNSAT, BIT_VECTORS, NEW_NAMES, OLD_NAMES, VERSION].concat();
        let asked = fixed + &kind::samples_text() + &capability::questions_text();
        assert_eq!(&blake3::hash(asked.as_bytes()).to_hex()[..16], REVISION);
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(
            version_in("(:version \"4.8.7 - build hashcode\")\nsat"),
            Some("4.8.7 - build hashcode".to_owned())
        );
        assert_eq!(version_in("(error \"no\")"), None);
    }
}

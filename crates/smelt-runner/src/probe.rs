//! What a solver can do, learned by asking it a few formulas once.

use std::io;

use serde::{Deserialize, Serialize};
use smelt_oracle::run::Answer;

use crate::answer::read_run;
use crate::cold;
use crate::limits::Limits;
use crate::session::Session;
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
    /// The same in a session that is warm; none if sessions do not work or give other answers.
    pub warm_cpu_ms: Option<f64>,
}

impl Probe {
    /// Whether sessions pay.
    pub fn prefers_warm(&self) -> bool {
        self.warm_cpu_ms.is_some_and(|warm| warm * 1.5 < self.cold_cpu_ms)
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

/// Asks a solver a few formulas.
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
    let mut session = Session::new(solver.clone(), limits);
    let mut warm_cpu_ms = Some(f64::INFINITY);
    for number in 0..=REPEATS {
        let run = session.run(tiny)?;
        if run.answer != Answer::Sat {
            warm_cpu_ms = None;
            break;
        }
        // The first answer includes the start.
        if number > 0 {
            warm_cpu_ms = warm_cpu_ms.map(|best| best.min(run.cpu_ms));
        }
    }
    let (_, raw) = cold_run(VERSION)?;
    Ok(Probe {
        works,
        version: version_in(&String::from_utf8_lossy(&raw.stdout)),
        takes_new_names: answers(NEW_NAMES)? == Answer::Sat,
        takes_old_names: answers(OLD_NAMES)? == Answer::Sat,
        cold_cpu_ms,
        warm_cpu_ms: warm_cpu_ms.filter(|_| works),
    })
}

/// The version in `(:version "4.8.7")`.
fn version_in(output: &str) -> Option<String> {
    let rest = output.split(":version").nth(1)?;
    rest.split('"').nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(
            version_in("(:version \"4.8.7 - build hashcode\")\nsat"),
            Some("4.8.7 - build hashcode".to_owned())
        );
        assert_eq!(version_in("(error \"no\")"), None);
    }

    #[test]
    fn sessions_pay_if_they_are_clearly_faster() {
        let probe = |warm| Probe {
            works: true,
            version: None,
            takes_new_names: true,
            takes_old_names: false,
            cold_cpu_ms: 15.0,
            warm_cpu_ms: warm,
        };
        assert!(probe(Some(3.0)).prefers_warm());
        assert!(!probe(Some(14.0)).prefers_warm());
        assert!(!probe(None).prefers_warm());
    }
}

//! Solvers under test: how formulas are put to them.

use std::io;

use smelt_oracle::checked::Version;
use smelt_oracle::run::Run;
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_runner::probe::{Probe, probe};
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;

use crate::drift;

/// A solver under test.
#[derive(Debug, Clone)]
pub struct Target {
    /// The solver.
    pub solver: Solver,
    /// What it can do.
    pub probe: Probe,
    /// Operators for which it follows an older definition.
    pub drifting: Vec<Op>,
}

impl Target {
    /// Probes a solver: what it takes, what a start costs, where its definitions differ from the standard.
    pub fn new(solver: Solver) -> io::Result<Target> {
        let probe = probe(&solver)?;
        let mut target = Target { solver, probe, drifting: Vec::new() };
        target.drifting = drift::find(&target)?;
        Ok(target)
    }

    /// The dialect that formulas are printed in for it.
    pub fn dialect(&self) -> Dialect {
        if self.probe.takes_old_names && !self.probe.takes_new_names { Dialect::V25 } else { Dialect::V26 }
    }

    /// A script of declarations, assertions and one check, as this solver takes it, followed by a request for the model
    /// unless it asks for something itself.
    pub fn text(&self, terms: &mut Terms, script: &Script) -> String {
        let mut printer = Printer::new(terms, self.dialect(), Layout::Shared);
        printer.script(script);
        let asks_for_something = |command: &Command| {
            matches!(command, Command::GetModel | Command::GetValue(_) | Command::GetUnsatCore)
        };
        let request = if script.commands.iter().any(asks_for_something) { "" } else { "(get-model)\n" };
        format!("{}{}{request}", self.preamble(), printer.finish())
    }

    /// Its release, as far as its name or the solver itself tells.
    pub fn version(&self) -> Option<Version> {
        let named = self.solver.name.split_once('@').and_then(|(_, version)| Version::parse(version));
        named.or_else(|| Version::parse(self.probe.version.as_deref()?))
    }

    /// What must stand before every formula.
    pub(crate) fn preamble(&self) -> &'static str {
        match self.solver.family {
            // Z3 chooses better without a logic than with `ALL`.
            Family::Z3 => "(set-option :produce-models true)\n",
            Family::Cvc4 => "(set-option :produce-models true)\n(set-logic ALL_SUPPORTED)\n",
            Family::Cvc5 | Family::Bitwuzla | Family::Yices | Family::Smelt | Family::Generic => {
                "(set-option :produce-models true)\n(set-logic ALL)\n"
            }
        }
    }

    /// Runs a script in a fresh process.
    pub fn run_cold(&self, script: &str, limits: &Limits) -> io::Result<Run> {
        let raw = cold::run(&self.solver.invocation, script, limits)?;
        Ok(read_run(&self.solver.name, &raw))
    }
}

/// A target with its session, if sessions pay for it.
#[derive(Debug)]
pub struct Runner<'t> {
    target: &'t Target,
    session: Option<Session>,
    limits: Limits,
}

impl<'t> Runner<'t> {
    /// A runner that has not started anything yet.
    pub fn new(target: &'t Target, limits: Limits) -> Self {
        let session = target.probe.prefers_warm().then(|| Session::new(target.solver.clone(), limits));
        Runner { target, session, limits }
    }

    /// The target.
    pub fn target(&self) -> &'t Target {
        self.target
    }

    /// Whether the next run is one in a session.
    pub fn is_warm(&self) -> bool {
        self.session.is_some()
    }

    /// Everything that the session was asked, up to the last formula; nothing if there is none.
    pub fn history(&self) -> &[String] {
        self.session.as_ref().map_or(&[], Session::history)
    }

    /// Runs a script, warm if that pays.
    pub fn run(&mut self, script: &str) -> io::Result<Run> {
        match &mut self.session {
            Some(session) => session.run(script),
            None => self.target.run_cold(script, &self.limits),
        }
    }
}

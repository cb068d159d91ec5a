//! Solvers under test: how formulas are printed for them, and which formulas they are not sent.

use std::io;
use std::time::Instant;

use smelt_oracle::evaluated::Version;
use smelt_oracle::objectives::{has_objectives, without_objectives};
use smelt_oracle::run::Run;
use smelt_runner::answer::read_run;
use smelt_runner::cache::Cache;
use smelt_runner::capability::Capabilities;
use smelt_runner::clock;
use smelt_runner::cold;
use smelt_runner::fragment::Fragments;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::options::{NOT_SAFE, SAFE};
use smelt_runner::probe::{PROBE_TIME, Probe, probe_cached};
use smelt_runner::script_profile::ScriptProfile;
use smelt_runner::solver::{Invocation, Solver};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::{Command, Role, Script};
use smelt_smtlib::term::Terms;

use crate::drift::{self, Meanings};
use crate::omission::Omission;

/// A solver under test.
#[derive(Debug, Clone)]
pub struct Target {
    /// The solver.
    pub solver: Solver,
    /// What it can do.
    pub probe: Probe,
    /// Where it means something else than the standard.
    pub meanings: Meanings,
    /// Whether it is run in sessions.
    pub mode: Mode,
    /// BLAKE3 of the content of its program, where that can be read.
    pub hash: Option<String>,
    /// A name that no other program and no other options have, where it is known which program answers.
    pub identity: Option<String>,
    /// The target that it is with more options, if it is.
    pub options_of: Option<String>,
}

/// When a solver is run in sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Where that was measured to pay.
    #[default]
    Auto,
    /// Always, if a session of it works at all.
    Warm,
    /// Never.
    Cold,
    /// The same, and incrementally: formulas are pushed and popped instead of forgotten with all else.
    Incremental,
}

impl Target {
    /// Probes a solver: what it takes, what a start costs, where its definitions differ from the standard.
    pub fn new(solver: Solver) -> io::Result<Target> {
        Target::cached(solver, &Cache::none())
    }

    /// The same, asking only what was not asked before.
    pub fn cached(solver: Solver, cache: &Cache) -> io::Result<Target> {
        Target::cached_until(solver, cache, clock::now() + PROBE_TIME)
    }

    /// The same, until the given moment; then it is an error of kind `TimedOut`.
    pub fn cached_until(solver: Solver, cache: &Cache, until: Instant) -> io::Result<Target> {
        let probe = probe_cached(&solver, cache, until)?;
        let hash = cache.content_hash(&solver).ok();
        let identity = cache.identity(&solver);
        let meanings = Meanings::default();
        let mut target =
            Target { solver, probe, meanings, mode: Mode::Auto, hash, identity, options_of: None };
        // Nothing is to be learned from a program that answers nothing.
        if target.probe.works {
            target.meanings = drift::find_cached(&target, cache, until)?;
        }
        Ok(target)
    }

    /// The dialect that formulas are printed in for it.
    pub fn dialect(&self) -> Dialect {
        self.probe.dialect()
    }

    /// The fragments of formula that a script is, or none if this solver is known not to take it: then it is not sent.
    pub fn takes(&self, terms: &Terms, script: &Script) -> Option<Fragments> {
        let profile = ScriptProfile::of(terms, script);
        self.takes_all_of(terms, script, &profile).then_some(profile.fragments)
    }

    /// Whether this solver is not known to refuse a script with these profile, in safe mode or outside of it.
    pub fn takes_all_of(&self, terms: &Terms, script: &Script, profile: &ScriptProfile) -> bool {
        self.why_not(terms, script, profile).is_none()
    }

    /// Why this solver is not sent a script with these profile; none if it is.
    pub fn why_not(&self, terms: &Terms, script: &Script, profile: &ScriptProfile) -> Option<Omission> {
        if !self.takes_safely(terms, script, profile)
            && let Err(lacking) = self.probe.capabilities.takes(terms, script, profile)
        {
            return Some(Omission::lacking(lacking));
        }
        let op = profile.operators.iter().find(|op| self.meanings.none.contains(op))?;
        Some(Omission::Unknown(op.info().name.to_owned()))
    }

    /// Whether this solver has a safe mode, and takes a script with these profile in it.
    fn takes_safely(&self, terms: &Terms, script: &Script, profile: &ScriptProfile) -> bool {
        let safe_mode = self.probe.safe_mode.as_ref();
        safe_mode.is_some_and(|taken| taken.takes(terms, script, profile).is_ok())
    }

    /// The command that comes first in the text of a script: that of safe mode, where the solver has one and takes the
    /// script in it, because that is what its developers take reports about.
    fn safe_mode(&self, terms: &Terms, script: &Script) -> &'static str {
        if self.probe.safe_mode.is_none()
            || !self.takes_safely(terms, script, &ScriptProfile::of(terms, script))
        {
            return "";
        }
        self.solver.family.safe_mode().unwrap_or_default()
    }

    /// Whether a text is run in safe mode; none if solvers of this family have no such mode.
    pub fn is_safe(&self, text: &str) -> Option<bool> {
        let command = self.solver.family.safe_mode()?;
        Some(text.contains(command) || self.solver.invocation.args.iter().any(|arg| arg == SAFE))
    }

    /// From now on runs with default options everywhere.
    pub fn leave_safe_mode(&mut self) {
        self.probe.safe_mode = None;
    }

    /// The same, and the command line says so, so that whatever keeps it keeps this too.
    pub fn refuse_safe_mode(&mut self) {
        if self.probe.safe_mode.take().is_some() {
            self.solver.invocation.args.push(NOT_SAFE.into());
        }
    }

    /// Whether profile have operators that this solver defines in an older way.
    pub fn drifts_on(&self, profile: &ScriptProfile) -> bool {
        self.older_in(profile).is_some()
    }

    /// That profile have an operator which this solver defines in an older way, if they have one.
    pub fn older_in(&self, profile: &ScriptProfile) -> Option<Omission> {
        let op = profile.operators.iter().find(|op| self.meanings.older.contains(op))?;
        Some(Omission::Older(op.info().name.to_owned()))
    }

    /// A script as this solver takes it, without objectives if it knows none, followed by a request for the model unless it asks for something itself. The
    /// options that it sets come first, and before them the safe mode: the text says all that the solver is run with
    /// besides its command line.
    pub fn text(&self, terms: &mut Terms, script: &Script) -> String {
        let safe_mode = self.safe_mode(terms, script);
        self.text_after(safe_mode, terms, script)
    }

    /// The same with default options. Times are compared so: releases without a safe mode would have other options than
    /// those with one.
    pub fn plain_text(&self, terms: &mut Terms, script: &Script) -> String {
        self.text_after("", terms, script)
    }

    fn text_after(&self, safe_mode: &str, terms: &mut Terms, script: &Script) -> String {
        // Objectives say nothing about which models there are.
        let without =
            (!self.takes_objectives() && has_objectives(script)).then(|| without_objectives(terms, script));
        let script = without.as_ref().unwrap_or(script);
        // Options that a script sets later are set then.
        let start = script.commands.iter().take_while(|command| command.role() == Role::Setting).count();
        let (options, mut rest): (Vec<&Command>, Vec<&Command>) =
            script.commands[..start].iter().partition(|command| matches!(command, Command::SetOption(..)));
        rest.extend(&script.commands[start..]);
        let mut printed = |commands: &[&Command]| {
            let mut printer = Printer::new(terms, self.dialect(), Layout::Shared);
            printer.commands(commands.iter().copied());
            printer.finish()
        };
        let (options, rest) = (printed(&options), printed(&rest));
        let asks_for_something = |command: &Command| {
            matches!(
                command,
                Command::GetModel | Command::GetValue(_) | Command::GetUnsatCore | Command::GetProof
            )
        };
        let request = if script.commands.iter().any(asks_for_something) { "" } else { "(get-model)\n" };
        let is_incremental =
            |command: &Command| matches!(command, Command::Push(_) | Command::CheckSatAssuming(_));
        let checks = script.commands.iter().filter(|command| **command == Command::CheckSat).count();
        let has_levels = self.mode == Mode::Incremental || checks > 1;
        let incremental = match has_levels || script.commands.iter().any(is_incremental) {
            true => self.solver.family.incremental(),
            false => "",
        };
        let preamble = match script.logic() {
            Some(_) => PRODUCE_MODELS.to_owned(),
            None => self.preamble(),
        };
        let head = format!("{safe_mode}{incremental}{options}{preamble}");
        self.between().script(&head, &format!("{rest}{request}"))
    }

    /// Whether it knows the commands about objectives.
    fn takes_objectives(&self) -> bool {
        self.probe.capabilities.takes_command("maximize")
    }

    /// What tells how it wants formulas.
    pub fn wording(&self) -> Wording<'_> {
        Wording {
            dialect: self.dialect(),
            preamble: self.preamble(),
            between: self.between(),
            incremental: self.solver.family.incremental(),
            safe_mode: self.probe.safe_mode.as_ref(),
            takes_objectives: self.takes_objectives(),
        }
    }

    /// What stands between the formulas of a session.
    pub(crate) fn between(&self) -> Isolation {
        match self.mode {
            Mode::Incremental => Isolation::PushPop,
            Mode::Auto | Mode::Warm | Mode::Cold => Isolation::Reset,
        }
    }

    /// Its release, as far as its name or the solver itself tells. With drawn options it is no release that could be
    /// compared with others.
    pub fn version(&self) -> Option<Version> {
        if self.options_of.is_some() {
            return None;
        }
        let named = self.solver.name.split_once('@').and_then(|(_, version)| Version::parse(version));
        named.or_else(|| Version::parse(self.probe.version.as_deref()?))
    }

    /// What must stand before every formula.
    fn preamble(&self) -> String {
        format!("{PRODUCE_MODELS}{}", self.solver.family.logic())
    }

    /// What must come before many small questions about strings, with levels, in one process.
    pub(crate) fn question_preamble(&self) -> String {
        let safe_mode = self.probe.safe_mode.as_ref().and(self.solver.family.safe_mode()).unwrap_or_default();
        format!("{safe_mode}{}{}", self.solver.family.incremental(), self.preamble())
    }

    /// Runs a script in a fresh process, just as a user would start it.
    pub fn run_cold(&self, script: &str, limits: &Limits) -> io::Result<Run> {
        self.run_as(&self.solver.invocation, script, limits)
    }

    pub(crate) fn run_as(&self, invocation: &Invocation, script: &str, limits: &Limits) -> io::Result<Run> {
        let raw = cold::run(invocation, script, limits)?;
        Ok(read_run(&self.solver.name, &raw))
    }
}

/// What makes solvers print models.
pub const PRODUCE_MODELS: &str = "(set-option :produce-models true)\n";

/// How a solver wants formulas: two with the same get the same text.
#[derive(Debug, Clone, PartialEq)]
pub struct Wording<'t> {
    dialect: Dialect,
    preamble: String,
    between: Isolation,
    incremental: &'static str,
    safe_mode: Option<&'t Capabilities>,
    takes_objectives: bool,
}

#[cfg(test)]
pub(crate) mod tests {
    use smelt_runner::capability::Feature;
    use smelt_runner::family::Family;
    use smelt_smtlib::read::read_script_as;

    use super::*;

    const FLOATS: &str = "(declare-const x Float32)(assert (fp.isNaN x))(check-sat)";
    pub(crate) const INTEGERS: &str = "(declare-const x Int)(assert (> x 2))(check-sat)";
    const QUANTIFIED: &str = "(assert (forall ((x Int)) (> x 2)))(check-sat)";

    /// A target that takes everything outside of safe mode, and everything but this inside of it.
    pub(crate) fn target(family: Family, refused: &[Feature]) -> Target {
        let features = |refused: &[Feature]| {
            let written = serde_json::json!({
                "taken": [], "refused": [], "refused_sorts": ["Float"], "refused_features": refused,
                "spellings": {}, "commands": {},
            });
            serde_json::from_value::<Capabilities>(written).unwrap()
        };
        let invocation = Invocation {
            program: "/bin/solver".into(),
            args: Vec::new(),
            environment: Vec::new(),
            is_confined: false,
        };
        let probe = Probe {
            works: true,
            version: None,
            takes_new_names: true,
            takes_old_names: false,
            cold_cpu_ms: 1.0,
            costs: Vec::new(),
            capabilities: Capabilities::default(),
            failure: None,
            safe_mode: family.safe_mode().map(|_| features(refused)),
        };
        Target {
            solver: Solver { name: family.name().to_owned(), family, invocation },
            probe,
            meanings: Meanings::default(),
            mode: Mode::Auto,
            hash: None,
            identity: None,
            options_of: None,
        }
    }

    fn text(target: &Target, script: &str) -> String {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, script, Dialect::V26);
        assert!(reading.diagnostics.is_empty());
        assert!(target.takes(&terms, &reading.script).is_some());
        target.text(&mut terms, &reading.script)
    }

    #[test]
    fn cvc5_is_run_in_safe_mode_where_that_takes_the_formula_and_with_default_options_elsewhere() {
        let cvc5 = target(Family::Cvc5, &[Feature::Quantifiers]);
        let safe = "(set-option :safe-mode safe)\n";
        assert!(text(&cvc5, INTEGERS).starts_with(safe));
        for script in [FLOATS, QUANTIFIED] {
            let text = text(&cvc5, script);
            assert!(!text.contains("safe-mode") && !text.contains("-exp"), "{text}");
            assert_eq!(cvc5.is_safe(&text), Some(false));
        }
        assert_eq!(cvc5.is_safe(&text(&cvc5, INTEGERS)), Some(true));
        let z3 = target(Family::Z3, &[]);
        assert_eq!(text(&z3, INTEGERS).matches("set-option").count(), 1);
        assert_eq!(z3.is_safe(&text(&z3, INTEGERS)), None);
    }

    #[test]
    fn objectives_are_only_sent_to_solvers_that_know_them() {
        let script = "(set-option :opt.priority box)(declare-const x Int)(assert (> x 2))(minimize x)(check-sat)(get-objectives)";
        let knowing = target(Family::Z3, &[]);
        let whole = text(&knowing, script);
        assert!(
            whole.contains("(minimize x)") && whole.starts_with("(set-option :opt.priority box)"),
            "{whole}"
        );
        let mut other = target(Family::Bitwuzla, &[]);
        let written = serde_json::json!({
            "taken": [], "refused": [], "refused_sorts": [], "refused_features": [], "spellings": {},
            "commands": {"maximize": false},
        });
        other.probe.capabilities = serde_json::from_value(written).unwrap();
        let plain = text(&other, script);
        assert!(
            !plain.contains("opt.") && !plain.contains("imize") && !plain.contains("objectives"),
            "{plain}"
        );
        assert!(plain.contains("(check-sat)\n(get-model)"), "{plain}");
        assert_ne!(knowing.wording(), other.wording());
    }

    #[test]
    fn safe_mode_can_be_switched_off_and_the_command_line_says_so() {
        let mut cvc5 = target(Family::Cvc5, &[]);
        cvc5.refuse_safe_mode();
        assert!(!text(&cvc5, INTEGERS).contains("safe-mode"));
        assert_eq!(cvc5.solver.invocation.args, [NOT_SAFE]);
        let mut z3 = target(Family::Z3, &[]);
        z3.refuse_safe_mode();
        assert!(z3.solver.invocation.args.is_empty());
    }

    #[test]
    fn what_is_pushed_and_popped_begins_with_the_option_that_allows_it() {
        let cvc5 = Target { mode: Mode::Incremental, ..target(Family::Cvc5, &[]) };
        let text = text(&cvc5, INTEGERS);
        let (head, rest) = text.split_once("(push 1)\n").unwrap();
        assert!(
            head.contains("(set-option :incremental true)\n") && head.contains("(set-logic ALL)\n"),
            "{text}"
        );
        assert!(rest.starts_with("(declare-"), "{text}");
    }
}

//! The solver as a library: declare, assert, check, ask for values and cores.
//!
//! A [`Solver`] owns the arena of its terms. Assertions are kept as they were given, because a model is checked on
//! them, and in lowered form, because that is what is solved. Nothing is carried over from one check to the next but
//! the memo of the rewriter and the models that were found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use smelt_semantics::environment::Environment;
use smelt_semantics::eval::{EvalResult, Evaluator};
use smelt_semantics::model::Model;
use smelt_semantics::print::value_text;
use smelt_smtlib::diagnostic::Diagnostics;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Scope, read_command, read_term};
use smelt_smtlib::script::{Command, Definition};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{AttributeValue, Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::ablation::Parts;
use crate::effort::{Effort, Interrupt};
use crate::engines::{self, Context, EngineOutcome};
use crate::log::{Event, Log};
use crate::model::{self, Assignment, Checked};
use crate::model_cache::Earlier;
use crate::preprocess::lower::{Defined, Lowering};
use crate::preprocess::recursive_maps;
use crate::proof::record::{Record, Recorder};
use crate::proof::write::{self, Subject};
use crate::rewrite::{Rewriter, Room};
use crate::schedule::pipeline::Pipeline;
use crate::schedule::select::Policy;
use crate::statistics::Statistics;
use crate::{Answer, Reason};

/// The stack of the thread that races.
const RIVAL_STACK_BYTES: usize = 64 << 20;

/// How to solve.
#[derive(Debug, Clone)]
pub struct Options {
    /// Units of effort for each check, about a microsecond each.
    pub effort: u64,
    /// Rewrite rules that are switched off.
    pub disabled_rules: Vec<String>,
    /// The only engine to use; those of an arm if none.
    pub engine: Option<&'static str>,
    /// How the arm is chosen.
    pub policy: Policy,
    /// Whether another arm is tried at the same time, in a thread of its own.
    pub races: bool,
    /// What may be used besides.
    pub parts: Parts,
    /// Units of effort for making an unsatisfiable core smaller.
    pub core_effort: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            effort: u64::MAX,
            disabled_rules: Vec::new(),
            engine: None,
            policy: Policy::default(),
            races: false,
            parts: Parts::all(),
            core_effort: 2_000_000,
        }
    }
}

impl Options {
    /// The names of all engines.
    pub fn engines() -> impl Iterator<Item = &'static str> {
        engines::ENGINES.iter().map(|engine| engine.name())
    }

    /// The name of an engine as [`Options::engine`] takes it.
    pub fn engine_named(name: &str) -> Option<&'static str> {
        Options::engines().find(|engine| *engine == name)
    }

    /// Whether there is a rewrite rule of this name, for [`Options::disabled_rules`].
    pub fn has_rule(name: &str) -> bool {
        Rewriter::has_rule(name)
    }
}

/// A solver with its assertions.
pub struct Solver {
    pub(crate) terms: Terms,
    pub(crate) scope: Scope,
    options: Options,
    interrupt: Arc<AtomicBool>,
    /// Set by the winner of a race, to stop the other solver.
    rival: Option<Arc<AtomicBool>>,
    /// Whether this is the one who takes the other arm.
    is_rival: bool,
    /// Declarations, definitions and assertions in force, in their order.
    commands: Vec<Command>,
    assertions: Vec<Assertion>,
    levels: Vec<Level>,
    /// Definitions that were replaced, to be restored by a pop.
    hidden: Vec<(Symbol, Option<Defined>)>,
    lowering: Lowering,
    rewriter: Rewriter,
    earlier: Earlier,
    statistics: Statistics,
    log: Log,
    /// Whether refutations are recorded.
    records: bool,
    last: LastCheck,
}

#[derive(Debug, Clone)]
struct Assertion {
    original: Term,
    /// None if lowering it was given up.
    lowered: Option<Term>,
    /// The name that an annotation gives it.
    name: Option<Symbol>,
}

/// How much there was when a scope was opened.
#[derive(Debug, Clone, Copy)]
struct Level {
    commands: usize,
    assertions: usize,
    hidden: usize,
}

/// What the last check found.
#[derive(Debug, Default)]
struct LastCheck {
    answer: Option<Answer>,
    environment: Environment,
    model: Option<Model>,
    assumptions: Vec<Term>,
    /// How the check went, if that is recorded and there is no model.
    record: Option<Record>,
    /// The assumptions and named assertions of a refutation, once they were asked for.
    core: Option<Core>,
}

#[derive(Debug, Clone, Default)]
struct Core {
    assumptions: Vec<Term>,
    names: Vec<Symbol>,
}

impl Default for Solver {
    fn default() -> Self {
        Solver::new()
    }
}

impl Solver {
    /// Nothing declared, nothing asserted.
    pub fn new() -> Self {
        Solver::with_options(Options::default())
    }

    /// As [`Solver::new`], solving as the options say.
    pub fn with_options(options: Options) -> Self {
        Solver {
            terms: Terms::new(),
            scope: Scope::new(),
            rewriter: Rewriter::without(&options.disabled_rules),
            options,
            interrupt: Arc::new(AtomicBool::new(false)),
            rival: None,
            is_rival: false,
            commands: Vec::new(),
            assertions: Vec::new(),
            levels: Vec::new(),
            hidden: Vec::new(),
            lowering: Lowering::default(),
            earlier: Earlier::default(),
            statistics: Statistics::new(),
            log: Log::silent(),
            records: false,
            last: LastCheck::default(),
        }
    }

    /// The arena of all terms, to build some.
    pub fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// The flag that stops a check when it is set.
    pub fn interrupt_flag(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    /// Makes this flag the one that stops checks.
    pub fn set_interrupt_flag(&mut self, flag: Arc<AtomicBool>) {
        self.interrupt = flag;
    }

    /// Changes how many units of effort each check may spend.
    pub fn set_effort(&mut self, units: u64) {
        self.options.effort = units;
    }

    /// Reports what checks do to a listener.
    pub fn set_listener(&mut self, listener: impl FnMut(&Event) + Send + 'static) {
        self.log = Log::to(listener);
    }

    /// Reports what checks do to the listener of another log.
    pub(crate) fn set_log(&mut self, log: Log) {
        self.log = log;
    }

    /// The log with its listener; this solver is silent afterwards.
    pub(crate) fn take_log(&mut self) -> Log {
        std::mem::take(&mut self.log)
    }

    /// Keeps from now on how checks come to say `unsat`. The loser of a race keeps nothing.
    pub fn record_refutations(&mut self) {
        self.records = true;
        self.rewriter.record_steps();
    }

    /// Whether it is kept how checks come to say `unsat`.
    pub fn records_refutations(&self) -> bool {
        self.records
    }

    /// How the last check came to say `unsat`, as a refutation log for a script of which it is the check of this number.
    pub fn refutation(&mut self, check_number: usize) -> Option<String> {
        let record = self.last.record.as_ref()?;
        let declared = self.scope.declarations().map(|declaration| declaration.name).collect();
        let subject = Subject { check_number, declared };
        Some(write::text(&mut self.terms, &self.rewriter, record, subject))
    }

    /// What checks did so far, counted.
    pub fn statistics(&mut self) -> &Statistics {
        self.rewriter.take_counts(&mut self.statistics);
        &self.statistics
    }

    /// Declares a constant of a sort that is written as in SMT-LIB.
    pub fn declare(&mut self, name: &str, sort: &str) -> Result<Term, Diagnostics> {
        let mut written = String::new();
        smelt_smtlib::print::write_symbol(name, &mut written);
        self.run_text(&format!("(declare-const {written} {sort})"))?;
        self.term(&written)
    }

    /// Reads a term over the declared symbols.
    pub fn term(&mut self, text: &str) -> Result<Term, Diagnostics> {
        read_term(&mut self.terms, &mut self.scope, text, Dialect::V26)
    }

    /// Reads a term of sort Bool and asserts it.
    pub fn assert_text(&mut self, text: &str) -> Result<(), Diagnostics> {
        self.run_text(&format!("(assert {text})"))
    }

    fn run_text(&mut self, text: &str) -> Result<(), Diagnostics> {
        let mut tape = Tape::new();
        Scanner::new(text).read(&mut tape)?;
        let command = read_command(&mut self.terms, &mut self.scope, text, &tape, Dialect::V26)?;
        self.add(command);
        Ok(())
    }

    /// Asserts a term of sort Bool.
    pub fn assert(&mut self, term: Term) {
        self.add(Command::Assert(term));
    }

    /// Takes in a declaration, a definition or an assertion; other commands change nothing.
    pub fn add(&mut self, command: Command) {
        self.last.answer = None;
        match &command {
            Command::Assert(term) => {
                let lowered = self.lower(*term);
                let name = self.assertion_name(*term);
                self.assertions.push(Assertion { original: *term, lowered, name });
            }
            Command::DefineConst(definition) | Command::DefineFun(definition) => {
                self.define(definition.clone(), false);
            }
            Command::DefineFunRec(definition) => self.define(definition.clone(), true),
            Command::DefineFunsRec(definitions) => {
                for definition in definitions.clone() {
                    self.define(definition, true);
                }
            }
            Command::DeclareConst(..) | Command::DeclareFun(..) | Command::DeclareDatatypes(_) => {}
            _ => return,
        }
        self.commands.push(command);
    }

    fn define(&mut self, definition: Definition, is_recursive: bool) {
        let name = definition.name;
        let known = if is_recursive { self.without_recursion(&definition) } else { None };
        let defined = match known {
            Some(definition) => Defined { definition, is_recursive: false },
            None => Defined { definition, is_recursive },
        };
        let before = self.lowering.set_meaning(name, Some(defined));
        self.hidden.push((name, before));
    }

    fn without_recursion(&mut self, definition: &Definition) -> Option<Definition> {
        let mut effort = Effort::new(self.options.effort, self.interrupt.clone());
        recursive_maps::without_recursion(&mut self.terms, &mut self.rewriter, definition, &mut effort)
    }

    fn lower(&mut self, term: Term) -> Option<Term> {
        let mut effort = Effort::new(self.options.effort, self.interrupt.clone());
        let lowered = self.lowering.lower(&mut self.terms, term, &mut effort).ok();
        self.hidden.append(&mut self.lowering.named);
        lowered
    }

    fn assertion_name(&self, term: Term) -> Option<Symbol> {
        let Head::Annotated(attributes) = self.terms.head(term) else { return None };
        self.terms.attributes(attributes).iter().find_map(|attribute| match attribute.value {
            AttributeValue::Name(name) => Some(name),
            _ => None,
        })
    }

    /// Opens scopes.
    pub fn push(&mut self, levels: u32) {
        let level = Level {
            commands: self.commands.len(),
            assertions: self.assertions.len(),
            hidden: self.hidden.len(),
        };
        self.levels.extend((0..levels).map(|_| level));
        self.last.answer = None;
    }

    /// Closes scopes, with all that was declared, defined and asserted in them. False if fewer are open.
    pub fn pop(&mut self, levels: u32) -> bool {
        let Some(kept) = self.levels.len().checked_sub(levels as usize) else { return false };
        self.last.answer = None;
        if let Some(level) = self.levels.get(kept).copied() {
            self.commands.truncate(level.commands);
            self.assertions.truncate(level.assertions);
            for (name, before) in self.hidden.drain(level.hidden..).rev() {
                self.lowering.set_meaning(name, before);
            }
        }
        self.levels.truncate(kept);
        true
    }

    /// As [`Solver::pop`], but declarations and definitions stay.
    pub fn pop_assertions(&mut self, levels: u32) -> bool {
        let Some(kept) = self.levels.len().checked_sub(levels as usize) else { return false };
        self.last.answer = None;
        if let Some(level) = self.levels.get(kept).copied() {
            self.assertions.truncate(level.assertions);
            self.keep_only_names(level.commands);
        }
        self.levels.truncate(kept);
        true
    }

    /// Replaces assertions from a command on by definitions of the names that they give to terms.
    fn keep_only_names(&mut self, first: usize) {
        for command in self.commands.split_off(first) {
            match command {
                Command::Assert(term) => {
                    let named = self.names_in(term).into_iter();
                    self.commands.extend(named.map(|(name, body)| {
                        let sort = self.terms.sort(body);
                        Command::DefineConst(Definition { name, params: Vec::new(), sort, body })
                    }));
                }
                other => self.commands.push(other),
            }
        }
    }

    /// The names that annotations give to terms, inner ones first.
    fn names_in(&self, term: Term) -> Vec<(Symbol, Term)> {
        let mut found = Vec::new();
        for part in subterms(&self.terms, &[term]) {
            let Head::Annotated(attributes) = self.terms.head(part) else { continue };
            for attribute in self.terms.attributes(attributes) {
                if let AttributeValue::Name(name) = attribute.value {
                    found.push((name, self.terms.args(part)[0]));
                }
            }
        }
        found
    }

    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The assertions in force, as they were given.
    pub fn assertions(&self) -> impl Iterator<Item = Term> + '_ {
        self.assertions.iter().map(|assertion| assertion.original)
    }

    /// Forgets all assertions and scopes; declarations stay if they are global.
    pub fn reset_assertions(&mut self, keeps_declarations: bool) {
        self.levels.clear();
        self.assertions.clear();
        self.last = LastCheck::default();
        if keeps_declarations {
            self.keep_only_names(0);
        } else {
            self.commands.clear();
            self.hidden.clear();
            self.lowering = Lowering::default();
        }
    }

    /// Decides whether the assertions have a model.
    pub fn check(&mut self) -> Answer {
        self.check_assuming(&[])
    }

    /// Decides whether the assertions and some assumptions have a model.
    pub fn check_assuming(&mut self, assumptions: &[Term]) -> Answer {
        if self.options.races { self.race(assumptions) } else { self.check_alone(assumptions) }
    }

    /// Decides by two arms at the same time; the first to decide ends the other.
    fn race(&mut self, assumptions: &[Term]) -> Answer {
        let [own_end, rival_end] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let mut rival = self.fork();
        self.rival = Some(own_end.clone());
        rival.rival = Some(rival_end.clone());
        let (answer, rival_answer) = thread::scope(|scope| {
            let work = || {
                let answer = rival.check_alone(assumptions);
                if answer.is_decided() {
                    own_end.store(true, Ordering::Relaxed);
                }
                answer
            };
            let thread = thread::Builder::new().stack_size(RIVAL_STACK_BYTES).spawn_scoped(scope, work);
            let answer = self.check_alone(assumptions);
            if answer.is_decided() {
                rival_end.store(true, Ordering::Relaxed);
            }
            let rival_answer = thread.ok().and_then(|thread| match thread.join() {
                Ok(answer) => Some(answer),
                Err(panic) => std::panic::resume_unwind(panic),
            });
            (answer, rival_answer)
        });
        let answer = match rival_answer {
            // A bug is reported whatever the other one says.
            Some(failed @ Answer::Unknown(Reason::FailedModelCheck(_))) => failed,
            _ if matches!(answer, Answer::Unknown(Reason::FailedModelCheck(_))) => answer,
            Some(decided) if decided.is_decided() && !answer.is_decided() => {
                std::mem::swap(self, &mut rival);
                self.log = rival.take_log();
                self.statistics.add("race.won-by-rival", 1);
                decided
            }
            _ => answer,
        };
        self.add_statistics(&rival.statistics);
        (self.rival, self.is_rival) = (None, false);
        answer
    }

    /// A copy of the solver for the other arm, without a listener.
    fn fork(&self) -> Solver {
        Solver {
            terms: self.terms.clone(),
            scope: self.scope.clone(),
            options: self.options.clone(),
            interrupt: self.interrupt.clone(),
            rival: None,
            is_rival: true,
            commands: self.commands.clone(),
            assertions: self.assertions.clone(),
            levels: self.levels.clone(),
            hidden: self.hidden.clone(),
            lowering: self.lowering.clone(),
            rewriter: self.rewriter.clone(),
            earlier: self.earlier.clone(),
            statistics: Statistics::new(),
            log: Log::silent(),
            records: false,
            last: LastCheck::default(),
        }
    }

    fn check_alone(&mut self, assumptions: &[Term]) -> Answer {
        let lowered_assumptions: Vec<Option<Term>> =
            assumptions.iter().map(|assumption| self.lower(*assumption)).collect();
        self.last = LastCheck { assumptions: assumptions.to_vec(), ..LastCheck::default() };
        let lowered: Option<Vec<Term>> =
            self.assertions.iter().map(|assertion| assertion.lowered).chain(lowered_assumptions).collect();
        let answer = match lowered {
            None => Answer::Unknown(Reason::Effort),
            Some(lowered) => {
                let is_first = self.earlier.is_empty();
                match self.check_lowered(&lowered, assumptions) {
                    // Quantifiers can be evaluated for simple values best, which those of earlier checks may not be.
                    (Answer::Unknown(Reason::Incomplete(_) | Reason::Unsupported(_)), true) if !is_first => {
                        self.earlier = Earlier::default();
                        self.check_lowered(&lowered, assumptions).0
                    }
                    (answer, _) => answer,
                }
            }
        };
        self.last.answer = Some(answer.clone());
        answer
    }

    /// The answer, and whether there was a model to be evaluated.
    fn check_lowered(&mut self, lowered: &[Term], assumptions: &[Term]) -> (Answer, bool) {
        let mut recorder = self.recorder(assumptions, lowered);
        match self.solve(lowered, self.options.effort, &mut recorder) {
            EngineOutcome::Sat(assignment) => (self.check_model(lowered, assumptions, assignment), true),
            EngineOutcome::Unsat(_) => {
                self.last.record = recorder.into_record();
                (Answer::Unsat, false)
            }
            EngineOutcome::Unknown(reason) => (Answer::Unknown(self.explain(lowered, reason)), false),
        }
    }

    /// Records a check, beginning with its assertions, if proofs are recorded.
    fn recorder(&self, assumptions: &[Term], lowered: &[Term]) -> Recorder {
        if !self.records {
            return Recorder::off();
        }
        let mut recorder = Recorder::on();
        let originals = self.assertions.iter().map(|assertion| assertion.original);
        for (position, original) in originals.chain(assumptions.iter().copied()).enumerate() {
            recorder.input(position, original);
            recorder.derive("lower", &[original], lowered[position]);
        }
        recorder
    }

    fn solve(&mut self, lowered: &[Term], effort: u64, recorder: &mut Recorder) -> EngineOutcome {
        let interrupt = match &self.rival {
            Some(rival) => Interrupt::with_rival(self.interrupt.clone(), rival.clone()),
            None => self.interrupt.clone().into(),
        };
        self.rewriter.set_room(Room::of_effort(&self.terms, effort));
        let mut effort = Effort::new(effort, interrupt.clone());
        self.rewriter.set_interrupt_flag(interrupt);
        let mut shared = Vec::new();
        let ctx = Context {
            terms: &mut self.terms,
            rewriter: &mut self.rewriter,
            effort: &mut effort,
            statistics: &mut self.statistics,
            parts: self.options.parts,
            log: &mut self.log,
            recorder,
            shared: &mut shared,
            earlier: &mut self.earlier,
        };
        let Options { engine: only_engine, policy, .. } = self.options;
        let mut pipeline = Pipeline { ctx, only_engine, policy, is_rival: self.is_rival };
        pipeline.solve(lowered)
    }

    /// Evaluates the original assertions under a model of the lowered ones; only then the answer is `sat`. Quantifiers
    /// over all integers or strings have no value there, but what says the same without them has.
    fn check_model(&mut self, lowered: &[Term], assumptions: &[Term], assignment: Assignment) -> Answer {
        let mut commands = self.commands.clone();
        commands.push(Command::CheckSatAssuming(assumptions.to_vec()));
        let environment = Environment::of(&self.terms, &commands);
        let model = model::complete(&mut self.terms, &environment, &assignment);
        let mut checked = model::check(&self.terms, &environment, &model);
        if matches!(checked, Checked::Open(_)) && self.abstraction(lowered).is_none() {
            let mut same = environment.clone();
            same.assertions = lowered.to_vec();
            if model::check(&self.terms, &same, &model) == Checked::Holds {
                checked = Checked::Holds;
            }
        }
        self.last.environment = environment;
        match checked {
            Checked::Holds => {
                self.last.model = Some(model);
                Answer::Sat
            }
            Checked::Open(reason) => Answer::Unknown(Reason::Incomplete(reason)),
            Checked::Fails(position) => match self.abstraction(lowered) {
                Some(reason) => Answer::Unknown(Reason::Unsupported(reason.to_owned())),
                None => Answer::Unknown(Reason::FailedModelCheck(format!("assertion {}", position + 1))),
            },
        }
    }

    /// What was left out of the lowered terms, if anything was.
    fn abstraction(&self, lowered: &[Term]) -> Option<&'static str> {
        subterms(&self.terms, lowered).into_iter().find_map(|term| match self.terms.head(term) {
            Head::Global(name) => self.lowering.reason(name),
            _ => None,
        })
    }

    /// A reason that names what is not supported, where something is not.
    fn explain(&self, lowered: &[Term], reason: Reason) -> Reason {
        match (&reason, self.abstraction(lowered)) {
            (Reason::Incomplete(_), Some(unsupported)) => Reason::Unsupported(unsupported.to_owned()),
            _ => reason,
        }
    }

    /// Replaces the answer of the last check by another, without a model.
    pub(crate) fn forget_answer(&mut self, answer: Answer) {
        self.last.answer = Some(answer);
        self.last.model = None;
    }

    /// Counts what another solver did as if this one had done it.
    pub(crate) fn add_statistics(&mut self, other: &Statistics) {
        for (name, count) in other.iter() {
            self.statistics.add(name, count);
        }
    }

    /// Terms that an annotation gives a name, in the order of their names' first use.
    pub(crate) fn named_terms(&self) -> Vec<(Symbol, Term)> {
        let mut found: Vec<(Symbol, Term)> = Vec::new();
        for assertion in &self.assertions {
            for (name, term) in self.names_in(assertion.original) {
                if self.terms.sort(term) == smelt_smtlib::sort::Sort::BOOL
                    && !found.iter().any(|(known, _)| *known == name)
                {
                    found.push((name, term));
                }
            }
        }
        found
    }

    /// The answer of the last check, unless something changed since.
    pub fn last_answer(&self) -> Option<&Answer> {
        self.last.answer.as_ref()
    }

    /// The model that the last check found.
    pub fn model(&self) -> Option<&Model> {
        self.last.answer.as_ref()?;
        self.last.model.as_ref()
    }

    /// The value of a term under the model that the last check found.
    pub fn value(&mut self, term: Term) -> Option<EvalResult> {
        self.last.answer.as_ref()?;
        let model = self.last.model.as_ref()?.completed();
        let environment = &self.last.environment;
        Some(Evaluator::new(&self.terms, environment, &model).eval(term))
    }

    /// The value of a term that is written as in SMT-LIB, written the same way.
    pub fn value_text(&mut self, text: &str) -> Option<String> {
        let term = self.term(text).ok()?;
        self.value_text_of(term)
    }

    /// The value of a term as SMT-LIB text.
    pub fn value_text_of(&mut self, term: Term) -> Option<String> {
        let value = self.value(term)?.ok()?;
        let sort = self.terms.sort(term);
        value_text(&mut self.terms, &self.last.environment, &value, sort)
    }

    /// Declared symbols of the last check with their definitions in its model.
    pub fn definitions(&self) -> Vec<Definition> {
        let Some(model) = self.model() else { return Vec::new() };
        let declared = self.last.environment.declared.iter();
        declared.filter_map(|(name, _, _)| model.definition(*name)).cloned().collect()
    }

    /// Assumptions of the last check that cannot hold together; empty if the check did not say `unsat`.
    pub fn unsat_assumptions(&mut self) -> Vec<Term> {
        self.core().map_or_else(Vec::new, |core| core.assumptions.clone())
    }

    /// Names of assertions that cannot hold together with the assertions without a name.
    pub fn unsat_core(&mut self) -> Vec<Symbol> {
        self.core().map_or_else(Vec::new, |core| core.names.clone())
    }

    /// Leaves out what is not needed for a refutation, one after the other.
    fn core(&mut self) -> Option<&Core> {
        if self.last.answer != Some(Answer::Unsat) {
            return None;
        }
        if self.last.core.is_none() {
            self.last.core = Some(self.find_core());
        }
        self.last.core.as_ref()
    }

    fn find_core(&mut self) -> Core {
        let assumptions = self.last.assumptions.clone();
        let mut fixed: Vec<Term> = Vec::new();
        // Each candidate is an assumption or the name of an assertion, with its lowered form.
        let mut candidates: Vec<(Result<Term, Symbol>, Term)> = Vec::new();
        for assertion in self.assertions.clone() {
            let Some(lowered) = assertion.lowered else { continue };
            match assertion.name {
                Some(name) => candidates.push((Err(name), lowered)),
                None => fixed.push(lowered),
            }
        }
        for assumption in assumptions {
            if let Some(lowered) = self.lower(assumption) {
                candidates.push((Ok(assumption), lowered));
            }
        }
        let share = self.options.core_effort / (candidates.len() as u64 + 1);
        let mut position = 0;
        while position < candidates.len() {
            let others = candidates.iter().enumerate().filter(|(other, _)| *other != position);
            let without: Vec<Term> =
                fixed.iter().copied().chain(others.map(|(_, (_, term))| *term)).collect();
            if matches!(self.solve(&without, share, &mut Recorder::off()), EngineOutcome::Unsat(_)) {
                let _ = candidates.remove(position);
            } else {
                position += 1;
            }
        }
        let mut core = Core::default();
        for (candidate, _) in candidates {
            match candidate {
                Ok(assumption) => core.assumptions.push(assumption),
                Err(name) => core.names.push(name),
            }
        }
        core
    }
}

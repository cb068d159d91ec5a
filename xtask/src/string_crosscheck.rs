//! Compares our string solver with its own evaluator and with real solvers on random formulas.
//!
//! Formulas around a planted model are solved by us alone: `unsat` is wrong there. Random formulas are also given to
//! other solvers, in sessions that stay open. Every model that we print is read back and evaluated on the formula as it
//! was written. Where answers differ, the model of whoever says `sat` is evaluated, which decides who is right.
//! Limits are counted effort for us and milliseconds for the others; without an answer there is nothing to compare.

mod clock;
mod formula;
mod huge;
mod incremental;
mod quantified;
mod scripts;
mod tally;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_oracle::evaluated::{Formula as CheckedFormula, ModelCheck};
use smelt_oracle::run::Answer;
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_runner::solver::{Finder, Solver};
use smelt_runner::versions::Store;
use smelt_semantics::Budget;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::term::Terms;
use smelt_solver::{Options as SolverOptions, Policy, Session as SolverSession, Splitter};

use crate::task;
use clock::Clock;
use formula::{Formula, Generator, Kind};
use tally::{Problem, Tally};

/// Compare the string solver with planted models, or with other solvers on random formulas
#[derive(Debug, Parser)]
#[command(name = "cargo xtask string-crosscheck")]
struct Options {
    /// Which formulas
    #[arg(value_enum)]
    formulas: Formulas,
    /// With quantifiers and choices between languages; whether a plant holds is then found by trying few values
    #[arg(long)]
    quantified: bool,
    /// With numbers around the ends of machine words and beyond: counts of loops, lengths, positions, other integers
    #[arg(long, conflicts_with = "quantified")]
    huge: bool,
    /// How many
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The first formula of this seed
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Units of effort that we may spend on one formula, about a microsecond each
    #[arg(long, default_value_t = 50_000)]
    effort: u64,
    /// Our engine or arm to be tried, as `smelt solve` names it [default: as it chooses]
    #[arg(long, value_parser = Way::named)]
    way: Option<Way>,
    /// A solver to compare with on random formulas, as `smelt run` names it; repeatable
    #[arg(long = "solver", value_name = "NAME@VERSION")]
    solvers: Vec<String>,
    /// The folder with installed releases: `solvers` in the cache of smelt
    #[arg(long)]
    store: Option<PathBuf>,
    /// Milliseconds that another solver may spend on one formula
    #[arg(long, default_value_t = 200)]
    limit_ms: u64,
    /// Workers, each with sessions of its own
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Print every formula with our answer
    #[arg(long)]
    list: bool,
}

/// What of our solver is tried.
#[derive(Debug, Clone, Copy)]
enum Way {
    Engine(&'static str),
    Arm(Policy),
}

impl Way {
    fn named(name: &str) -> std::result::Result<Way, String> {
        let engine = SolverOptions::engine_named(name).map(Way::Engine);
        let way = engine.or_else(|| Policy::named(name).map(Way::Arm));
        way.ok_or_else(|| format!("there is no engine and no arm `{name}`"))
    }
}

/// One of so many formulas with long loops goes to other solvers.
const LONG_LOOPS_SHARE: u64 = 50;

/// Processor time far beyond the limit of effort.
const SLOW: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Formulas {
    /// True in a model that is known; solved by us alone
    Planted,
    /// Anything; solved by all
    Random,
    /// Scripts with several checks, scopes and names that change their meaning; solved by all
    Incremental,
}

/// Runs the task with its arguments, the first of which is its name.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    task::main(args, run)
}

fn run(options: &Options) -> Result<usize> {
    let solvers = match options.formulas {
        Formulas::Planted => Vec::new(),
        Formulas::Random | Formulas::Incremental => find_solvers(options)?,
    };
    let start = Instant::now();
    let total = Mutex::new(Tally::new(solvers.iter().map(|solver| solver.name.clone())));
    task::share_out(options.jobs, options.count, |numbers| {
        let mut worker = Worker::new(options, &solvers);
        while let Some(number) = numbers.take() {
            let mut tally = Tally::new(solvers.iter().map(|solver| solver.name.clone()));
            match options.formulas {
                Formulas::Incremental => worker.compare_script(options.from + number, &mut tally)?,
                Formulas::Planted => worker.compare(options.from + number, Kind::Planted, &mut tally)?,
                Formulas::Random => worker.compare(options.from + number, Kind::Random, &mut tally)?,
            }
            for problem in &tally.problems {
                println!("formula {} of seed {}: {problem}\n", options.from + number, options.seed);
            }
            let mut total = total.lock().expect("no worker panics while it holds the lock");
            total.add(tally);
            if (number + 1).is_multiple_of(1_000) {
                eprintln!("{:.0} s: {}", start.elapsed().as_secs_f64(), total.line());
            }
        }
        Ok(())
    })?;
    let total = total.into_inner().expect("no worker panicked while it held the lock");
    print!("{}", total.report());
    Ok(total.our_problems())
}

fn find_solvers(options: &Options) -> Result<Vec<Solver>> {
    let root = options.store.clone().context("`--store` is needed to find other solvers")?;
    let path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect());
    let store = Store::new(root);
    let finder = Finder { store: &store, path: path.unwrap_or_default(), own: None };
    options.solvers.iter().map(|name| finder.find(name).map_err(Into::into)).collect()
}

struct Worker<'a> {
    options: &'a Options,
    others: Vec<(&'a Solver, Session)>,
}

/// What we say about a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ours {
    Sat,
    Unsat,
    Unknown,
    /// Something is wrong with us, whatever the right answer is.
    Broken(String),
}

impl<'a> Worker<'a> {
    fn new(options: &'a Options, solvers: &'a [Solver]) -> Self {
        // The limit that solvers keep themselves is asked for in the script; this one ends the process.
        let limits =
            Limits { memory: Some(2 << 30), ..Limits::for_seconds(2.0 + options.limit_ms as f64 / 1e3) };
        let others = solvers
            .iter()
            .map(|solver| (solver, Session::new(solver.clone(), Isolation::Reset, limits)))
            .collect();
        Worker { options, others }
    }

    fn compare(&mut self, number: u64, kind: Kind, tally: &mut Tally) -> Result<()> {
        let seed = task::seed_of(self.options.seed, number);
        let generator = Generator::new(kind, Xoshiro256PlusPlus::seed_from_u64(seed));
        let generator = if self.options.quantified { generator.quantified() } else { generator };
        let generator = if self.options.huge { generator.huge() } else { generator };
        let formula = generator.formula();
        if self.options.list {
            // Before it is solved, so that a formula on which we hang is seen.
            println!("; {number}\n{}", formula.text());
        }
        let clock = Clock::start();
        let ours = self.ours(&formula);
        let time = clock.elapsed();
        tally.count_ours(&ours, time);
        if self.options.list {
            println!("; {ours:?} in {time:?}\n");
        }
        // Effort is counted, not measured: something that takes this long is not counted as it should be.
        if time > SLOW {
            tally.problems.push(Problem::slow(&formula, time));
        }
        if let Ours::Broken(what) = &ours {
            let smaller = shrink(&formula, |smaller| matches!(self.ours(smaller), Ours::Broken(_)));
            tally.problems.push(Problem::broken(&smaller, what));
        }
        if kind == Kind::Planted && ours == Ours::Unsat {
            let smaller = shrink(&formula, |smaller| self.ours(smaller) == Ours::Unsat);
            tally.problems.push(Problem::refuted_plant(&smaller));
        }
        // Others unroll loops; what comes of it is no answer but costs more than all other formulas.
        let is_asked = !huge::has_long_loops(&formula.text()) || number.is_multiple_of(LONG_LOOPS_SHARE);
        for position in 0..if is_asked { self.others.len() } else { 0 } {
            let theirs = self.ask(position, &formula)?;
            tally.count_theirs(position, theirs, &ours);
            let differs = matches!(
                (&ours, theirs),
                (Ours::Sat, Answer::Unsat) | (Ours::Unsat, Answer::Sat) | (_, Answer::Crash)
            );
            if differs {
                let problem = self.judge(position, &formula, &ours, theirs)?;
                tally.problems.push(problem);
            }
        }
        Ok(())
    }

    fn solver_options(&self) -> SolverOptions {
        let mut options = SolverOptions { effort: self.options.effort, ..SolverOptions::default() };
        match self.options.way {
            Some(Way::Engine(engine)) => options.engine = Some(engine),
            Some(Way::Arm(policy)) => options.policy = policy,
            None => {}
        }
        options
    }

    /// Our answer; a model is read back as it was printed and evaluated on the text of the formula.
    fn ours(&self, formula: &Formula) -> Ours {
        let text = formula.text();
        let options = self.solver_options();
        let solved = catch_unwind(AssertUnwindSafe(|| {
            let mut session = SolverSession::new(options.clone(), None);
            let script = format!("{text}(check-sat)\n(get-model)\n");
            let replies: Vec<String> = Splitter::new()
                .feed(&script)
                .iter()
                .map(|piece| session.run(piece).text)
                .filter(|reply| !reply.is_empty())
                .collect();
            (replies, session.has_failed_model_check())
        }));
        let (replies, has_failed_model_check) = match solved {
            Ok(solved) => solved,
            Err(_) => return Ours::Broken("panic".to_owned()),
        };
        if has_failed_model_check {
            return Ours::Broken("failed model check".to_owned());
        }
        match replies.first().map(String::as_str) {
            Some("unsat") => Ours::Unsat,
            Some("unknown") => Ours::Unknown,
            Some("sat") => {
                let output = replies[1..].join("\n");
                match check_model(&text, &output) {
                    ModelCheck::Accepted => Ours::Sat,
                    // The evaluator leaves quantifiers over all integers or strings open.
                    ModelCheck::Undecided if self.options.quantified => Ours::Sat,
                    other => Ours::Broken(format!("the printed model is {other:?}: {output}")),
                }
            }
            other => Ours::Broken(format!("the answer is {other:?}")),
        }
    }

    fn script(&self, solver: &Solver, formula: &Formula) -> String {
        let limit = solver.family.check_limit_of(self.options.limit_ms);
        format!("{limit}{}{}(check-sat)\n", solver.family.logic(), formula.text())
    }

    fn ask(&mut self, position: usize, formula: &Formula) -> Result<Answer> {
        let script = self.script(self.others[position].0, formula);
        let (solver, session) = &mut self.others[position];
        Ok(session.run(&script).with_context(|| format!("cannot run `{}`", solver.name))?.answer)
    }

    /// Asks again in a fresh process with a longer limit and a model, and evaluates it.
    fn judge(&self, position: usize, formula: &Formula, ours: &Ours, theirs: Answer) -> Result<Problem> {
        let solver = self.others[position].0;
        let logic = solver.family.logic();
        let script =
            format!("(set-option :produce-models true)\n{logic}{}(check-sat)\n(get-model)\n", formula.text());
        let raw = cold::run(&solver.invocation, &script, &Limits::for_seconds(10.0))
            .with_context(|| format!("cannot run `{}`", solver.name))?;
        let run = read_run(&solver.name, &raw);
        let opinion = match (ours, run.answer) {
            (_, Answer::Crash) => format!("{} crashes", solver.name),
            _ if theirs == Answer::Crash => format!("{} crashed in its session only", solver.name),
            (Ours::Sat, Answer::Unsat) => format!("{} is wrong: our model holds", solver.name),
            (Ours::Unsat, Answer::Sat) => match check_model(&formula.text(), &run.output) {
                ModelCheck::Accepted => {
                    return Ok(Problem::refuted_model(formula, &solver.name, &run.output));
                }
                ModelCheck::Refuted(_) => format!("{}'s model does not hold", solver.name),
                check => return Ok(Problem::disputed(formula, &solver.name, &format!("{check:?}"))),
            },
            (_, again) => format!("{} says {} in a fresh process", solver.name, again.word()),
        };
        Ok(Problem::theirs(formula, &opinion))
    }
}

fn check_model(text: &str, output: &str) -> ModelCheck {
    let mut terms = Terms::new();
    let script = format!("{text}(check-sat)\n");
    let reading = read_script_as(&mut terms, &script, Dialect::V26);
    let formula = CheckedFormula::new(&terms, &reading);
    formula.check_model(&mut terms, output, Dialect::V26, Budget::default())
}

/// Leaves out assertions for as long as the formula stays bad.
fn shrink(formula: &Formula, is_bad: impl Fn(&Formula) -> bool) -> Formula {
    let mut smaller = formula.clone();
    let mut position = 0;
    while position < smaller.assertions.len() {
        let mut assertions = smaller.assertions.clone();
        assertions.remove(position);
        let candidate = smaller.with(assertions);
        if is_bad(&candidate) {
            smaller = candidate;
        } else {
            position += 1;
        }
    }
    smaller
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(text: &[&str]) -> Formula {
        Formula {
            declarations: vec!["(declare-const x Int)".to_owned()],
            assertions: text.iter().map(|text| (*text).to_owned()).collect(),
            plant: Vec::new(),
        }
    }

    #[test]
    fn shrinking_keeps_what_is_needed() {
        let formula = small(&["(> x 0)", "(< x 5)", "(< x 0)"]);
        let contradicts =
            |formula: &Formula| formula.text().contains("> x 0") && formula.text().contains("< x 0");
        assert_eq!(shrink(&formula, contradicts).assertions, ["(> x 0)", "(< x 0)"]);
    }

    #[test]
    fn a_model_is_evaluated_on_the_text() {
        let text = small(&["(> x 0)"]).text();
        let accepted = check_model(&text, "((define-fun x () Int 1))");
        assert_eq!(accepted, ModelCheck::Accepted);
        let refuted = check_model(&text, "((define-fun x () Int 0))");
        assert_eq!(refuted, ModelCheck::Refuted(vec![1]));
    }
}

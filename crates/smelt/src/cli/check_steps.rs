//! `smelt check-steps`: are the steps of the proofs that solvers print true?

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_oracle::flatten::flatten;
use smelt_oracle::proof_request::proof_request;
use smelt_oracle::run::{Answer, Run};
use smelt_proof::steps::{
    FalseStep, ProofFormat, RuleTally, StepTable, TestLimits, read_proof, standalone, test_steps,
};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_runner::signals;
use smelt_runner::solver::Solver;
use smelt_semantics::environment::Environment;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{script_text, term_text};
use smelt_smtlib::read::read_script;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use crate::config::memory::MemoryArg;
use crate::config::solvers::{find_or_install, installation};
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;
use smelt_campaign::inputs::{self, ScriptInput, UnreadableInput};

/// Test the steps of proofs that z3 and cvc5 print
///
/// Each step of the proof of an `unsat` is evaluated on small values: a step without premises must be true under every
/// assignment, others wherever their premises are. The table counts the steps of each rule; a step that is false is
/// printed as a script of its own, whose assertions any solver should find satisfiable.
/// Exit status 1 if a step is false.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: smelt check-steps benchmarks/ --solver z3@5.4.0")]
pub(crate) struct Args {
    /// Files, folders (all .smt2 files below them) or - for standard input
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// A solver to ask for proofs: z3 or cvc5 as a path, NAME, NAME@VERSION, or NAME=COMMAND LINE; repeatable [default: none]
    #[arg(short, long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// A file with the proof of the only FILE [default: ask the solvers]
    #[arg(long, value_name = "PROOF", conflicts_with = "solvers")]
    proof: Option<PathBuf>,
    /// The format to ask cvc5 for: cpc or alethe
    #[arg(long, value_name = "FORMAT", default_value = "cpc", value_parser = format_named)]
    format: ProofFormat,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", default_value_t = 10.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Assignments that each step is evaluated under
    #[arg(long, value_name = "N", default_value_t = 64)]
    assignments: usize,
    /// Seed of the assignments
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per proof instead of the table [default: text]
    #[arg(long)]
    json: bool,
    /// Also write the proof of each file to this folder [default: no]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many files at once [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

fn format_named(word: &str) -> Result<ProofFormat, String> {
    match word {
        "cpc" => Ok(ProofFormat::Cpc),
        "alethe" => Ok(ProofFormat::Alethe),
        _ => Err("expected cpc or alethe".to_owned()),
    }
}

/// What was found out about one proof, also a line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Outcome {
    file: String,
    solver: String,
    /// The answer, or `unreadable` where there is an `unsat` and no proof that can be read.
    answer: &'static str,
    problem: Option<String>,
    cpu_ms: f64,
    steps: usize,
    alone: Counts,
    with_premises: Counts,
    false_steps: Vec<FalseLine>,
    #[serde(skip)]
    table: StepTable,
}

#[derive(Debug, Default, Serialize)]
struct Counts {
    seen: u64,
    checked: u64,
    false_steps: u64,
}

#[derive(Debug, Serialize)]
struct FalseLine {
    rule: String,
    line: u32,
    conclusion: String,
    script: String,
}

impl From<&RuleTally> for Counts {
    fn from(tally: &RuleTally) -> Self {
        Counts { seen: tally.seen, checked: tally.checked, false_steps: tally.false_steps }
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if !args.timeout.is_finite() || args.timeout <= 0.0 {
        return Err(CliError::usage("the timeout must be a positive number of seconds"));
    }
    if args.proof.is_none() && args.solvers.is_empty() {
        return Err(CliError::usage("name a solver with --solver, or a proof with --proof"));
    }
    let proof = match &args.proof {
        Some(path) => {
            Some(fs::read_to_string(path).map_err(|error| CliError::unreadable(path.display(), &error))?)
        }
        None => None,
    };
    let solvers = match args.solvers.as_slice() {
        [] => Vec::new(),
        names => find_or_install(&installation(), names, streams)?,
    };
    let inputs = inputs::collect(&args.paths);
    let jobs = args.jobs.unwrap_or_else(parallel::all_cores);
    let before = signals::cpu();
    let (mut table, mut worst) = (StepTable::default(), Exit::Done);
    let (mut solving_ms, mut proofs, mut unreadable) = (0.0, 0u64, 0u64);
    parallel::in_order(
        &inputs,
        jobs,
        |input| outcomes(input, args, &solvers, proof.as_deref()),
        |found| {
            let found = match found {
                Ok(found) => found,
                Err(problem) => {
                    worst = Exit::BadInput;
                    return streams.diagnostics(&crate::render::diagnostics::render_unreadable(&problem));
                }
            };
            for outcome in found {
                if outcome.answer == "unsat" {
                    proofs += 1;
                    solving_ms += outcome.cpu_ms;
                }
                if let Some(problem) = &outcome.problem {
                    unreadable += u64::from(outcome.answer == "unreadable");
                    if !args.json {
                        let text = format!("{} {}: {problem}\n", outcome.file, outcome.solver);
                        streams.message(&text)?;
                    }
                }
                if !outcome.false_steps.is_empty() && worst == Exit::Done {
                    worst = Exit::Findings;
                }
                table.add(&outcome.table);
                if args.json {
                    streams.json_line(&outcome)?;
                } else {
                    for step in &outcome.false_steps {
                        writeln!(streams.results(), "{}", described(&outcome, step))?;
                    }
                }
            }
            Ok::<(), std::io::Error>(())
        },
    )?;
    if !args.json {
        let checking_ms = (signals::cpu() - before).as_secs_f64() * 1e3;
        write!(streams.results(), "{}", rendered(&table))?;
        writeln!(
            streams.results(),
            "{proofs} proofs, {unreadable} unreadable; processor time: solving {solving_ms:.0} ms, checking {checking_ms:.0} ms"
        )?;
    }
    Ok(worst)
}

fn outcomes(
    input: &Result<ScriptInput, UnreadableInput>,
    args: &Args,
    solvers: &[Solver],
    proof: Option<&str>,
) -> Result<Vec<Outcome>, UnreadableInput> {
    let input = input.clone()?;
    let text = inputs::read(&input)?;
    if let Some(proof) = proof {
        return Ok(vec![tested(&input.name(), "proof", &text, proof, args)]);
    }
    Ok(solvers.iter().map(|solver| asked(&input.name(), &text, solver, args)).collect())
}

fn silent(file: &str, solver: &str, answer: &'static str, problem: Option<String>) -> Outcome {
    Outcome {
        file: file.to_owned(),
        solver: solver.to_owned(),
        answer,
        problem,
        cpu_ms: 0.0,
        steps: 0,
        alone: Counts::default(),
        with_premises: Counts::default(),
        false_steps: Vec::new(),
        table: StepTable::default(),
    }
}

/// Asks a solver for a proof and tests its steps.
fn asked(file: &str, text: &str, solver: &Solver, args: &Args) -> Outcome {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, text).script;
    let family = solver.family.name();
    let Some(script) = flatten(&script) else {
        return silent(
            file,
            &solver.name,
            "unread",
            Some("the script has no check, or unknown commands".to_owned()),
        );
    };
    let format = (family == "cvc5").then_some(args.format);
    let Some(asking) = proof_request(&mut terms, &script, family, format) else {
        return silent(file, &solver.name, "unread", Some("proofs of this solver are not read".to_owned()));
    };
    let question = script_text(&mut terms, &asking);
    let limits = Limits { output: MAX_PROOF, ..Limits::for_seconds(args.timeout) };
    let run: Run = match cold::run(&solver.invocation, &question, &limits) {
        Ok(raw) => read_run(&solver.name, &raw),
        Err(error) => return silent(file, &solver.name, "error", Some(error.to_string())),
    };
    if run.answer != Answer::Unsat {
        return silent(file, &solver.name, run.answer.word(), None);
    }
    if let Some(folder) = &args.out {
        let name = file.replace(['/', '\\'], "_");
        let path: &Path = folder;
        if let Err(error) = fs::create_dir_all(path)
            .and_then(|()| fs::write(path.join(format!("{name}.{}.proof", solver.name)), &run.output))
        {
            return silent(file, &solver.name, "error", Some(error.to_string()));
        }
    }
    let plain = script_text(&mut terms, &script);
    Outcome { cpu_ms: run.cpu_ms, ..tested(file, &solver.name, &plain, &run.output, args) }
}

/// Bytes of a proof.
const MAX_PROOF: usize = 256 << 20;

/// Tests the steps of a proof of a script.
fn tested(file: &str, solver: &str, text: &str, proof: &str, args: &Args) -> Outcome {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, text);
    let environment = Environment::at_last_check(&terms, &reading.script);
    let derivation = match read_proof(&mut terms, &reading.scope, proof, Dialect::V26) {
        Ok(derivation) => derivation,
        Err(problem) => return silent(file, solver, "unreadable", Some(problem.to_string())),
    };
    let limits = TestLimits { assignments: args.assignments, seed: args.seed, ..TestLimits::default() };
    let test = test_steps(&mut terms, &environment, &derivation, None, limits);
    let false_steps =
        test.false_steps.iter().map(|step| false_line(&mut terms, &reading.script, step)).collect();
    let [alone, with_premises] = test.table.sums();
    Outcome {
        steps: derivation.steps.len(),
        alone: Counts::from(&alone),
        with_premises: Counts::from(&with_premises),
        false_steps,
        table: test.table,
        ..silent(file, solver, "unsat", None)
    }
}

fn false_line(terms: &mut Terms, script: &Script, step: &FalseStep) -> FalseLine {
    FalseLine {
        rule: step.rule.clone(),
        line: step.line,
        conclusion: term_text(terms, step.conclusion),
        script: standalone(terms, script, step, true),
    }
}

fn described(outcome: &Outcome, step: &FalseLine) -> String {
    format!(
        "; {} {}: the step by `{}` on line {} is false:\n{}",
        outcome.file, outcome.solver, step.rule, step.line, step.script
    )
}

/// The table of rules, the most frequent first.
fn rendered(table: &StepTable) -> String {
    let mut text = String::new();
    let sums = table.sums();
    for ((title, tallies), sum) in
        [("without premises", &table.alone), ("with premises", &table.inferred)].into_iter().zip(&sums)
    {
        let mut rules: Vec<(&String, &RuleTally)> = tallies.iter().collect();
        rules.sort_by_key(|(name, tally)| (std::cmp::Reverse(tally.seen), *name));
        text.push_str(&format!("{:<40} {:>9} {:>9} {:>7}  not checked\n", title, "seen", "checked", "false"));
        for (name, tally) in rules {
            text.push_str(&row(name, tally));
        }
        let share = if sum.seen == 0 { 0.0 } else { 100.0 * sum.checked as f64 / sum.seen as f64 };
        text.push_str(&row(&format!("all claims, {share:.1} % checked"), sum));
    }
    text
}

fn row(name: &str, tally: &RuleTally) -> String {
    let reasons = tally.unchecked.iter().map(|(reason, count)| format!("{} {count}", reason.word()));
    let reasons: Vec<String> = reasons.collect();
    let line = format!(
        "{name:<40} {:>9} {:>9} {:>7}  {}",
        tally.seen,
        tally.checked,
        tally.false_steps,
        reasons.join(", ")
    );
    format!("{}\n", line.trim_end())
}

//! `smelt hunt`: the main job, a campaign against solvers.

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use smelt_campaign::hunt::{self, HuntError, Plan, Totals};
use smelt_campaign::record::Findings;
use smelt_campaign::seeds::Seeds;
use smelt_campaign::target::{Mode, Target};
use smelt_oracle::judge::{Judge, judge, judges};
use smelt_oracle::run::Answer;
use smelt_runner::limits::Limits;
use smelt_testgen::built_in::SEEDS;
use smelt_testgen::technique::{Technique, technique, techniques};

use crate::exit::{Exit, Failure};
use crate::inputs;
use crate::parallel;
use crate::report;
use crate::solvers::{Place, find_or_install};
use crate::streams::Streams;

/// Hunt for bugs: mutate seeds, run solvers on them, judge, confirm, record
///
/// Every model is evaluated by smelt itself, and a solver is blamed only with evidence: a model that our evaluator
/// accepts, or one that it refutes, or a crash. What is found is confirmed in fresh processes and written to a folder
/// of its own below DIR/findings. Exit status 1 if there are findings.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt hunt seeds/ --solver z3@4.8.7 --solver z3@latest --solver cvc5@latest --time 10m"
)]
pub(crate) struct Args {
    /// Seed formulas: files or folders [default: built-in seeds]
    #[arg(value_name = "SEEDS")]
    seeds: Vec<PathBuf>,
    /// A solver: NAME, NAME@VERSION (installed if it is not), or NAME=COMMAND LINE; repeatable
    /// [default: all that are installed or on the PATH]
    #[arg(short, long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// How long to hunt, such as 90s, 10m or 2h [default: 2m, or no limit with --cases]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// How many cases to make, rounded up to whole chains [default: no limit]
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", default_value_t = 2.0)]
    timeout: f64,
    /// Techniques to use in turn, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    technique: Vec<String>,
    /// Judges to hear, separated by commas, or `all` [default: all but those of performance]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    judge: Vec<String>,
    /// Where chance starts: the same seed makes the same cases
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// How many workers [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Whether solvers are kept running between formulas: where that pays, always, or never
    #[arg(long, value_name = "MODE", default_value = "auto")]
    mode: Warmth,
    /// The campaign's folder
    #[arg(long, value_name = "DIR", default_value = "smelt-campaign")]
    dir: PathBuf,
    /// Say what would be done, and do nothing [default: hunt]
    #[arg(long)]
    dry_run: bool,
}

/// The values of `--mode`.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Warmth {
    Auto,
    Warm,
    Cold,
}

impl From<Warmth> for Mode {
    fn from(warmth: Warmth) -> Mode {
        match warmth {
            Warmth::Auto => Mode::Auto,
            Warmth::Warm => Mode::Warm,
            Warmth::Cold => Mode::Cold,
        }
    }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.char_indices().find(|(_, character)| character.is_alphabetic()) {
        Some((position, _)) => text.split_at(position),
        None => (text, "s"),
    };
    let seconds = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`; use s, m or h")),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(Duration::from_secs_f64(number * seconds)),
        _ => Err("expected a positive number with a unit, such as 90s, 10m or 2h".to_owned()),
    }
}

const DEFAULT_TIME: Duration = Duration::from_secs(120);

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let place = Place::of_user();
    let mut solvers = match find_or_install(&place, &args.solvers, streams)? {
        Ok(solvers) => solvers,
        Err(exit) => return Ok(exit),
    };
    if args.solvers.is_empty() {
        solvers = place.finder().all();
    }
    if solvers.is_empty() {
        streams.error("no solvers found; get one with `smelt solvers install z3@latest`")?;
        return Ok(Exit::BadInput);
    }
    let Some(techniques) = chosen_techniques(&args.technique, streams)? else { return Ok(Exit::BadInput) };
    let Some(judges) = chosen_judges(&args.judge, streams)? else { return Ok(Exit::BadInput) };
    let Some(seeds) = read_seeds(&args.seeds, streams)? else { return Ok(Exit::BadInput) };
    let max_time = args.time.or_else(|| args.cases.is_none().then_some(DEFAULT_TIME));
    let names: Vec<&str> = solvers.iter().map(|solver| solver.name.as_str()).collect();
    let technique_names: Vec<&str> = techniques.iter().map(|technique| technique.name()).collect();
    streams.message(&format!(
        "{} seeds, techniques {}, solvers {}, findings to {}\n",
        seeds.len(),
        technique_names.join(" "),
        names.join(" "),
        args.dir.display()
    ))?;
    if args.dry_run {
        return Ok(Exit::Done);
    }
    let mut targets = Vec::new();
    for solver in solvers {
        let name = solver.name.clone();
        match Target::cached(solver, &place.cache()) {
            Ok(target) if target.probe.works => targets.push(Target { mode: args.mode.into(), ..target }),
            Ok(_) => streams
                .message(&format!("leaving out {name}: it does not answer a formula of three lines\n"))?,
            Err(error) => streams.message(&format!("leaving out {name}: {error}\n"))?,
        }
    }
    for target in targets.iter().filter(|target| !target.drifting.is_empty()) {
        let ops: Vec<&str> = target.drifting.iter().map(|op| op.info().name).collect();
        streams.message(&format!(
            "{} follows an older definition of {}\n",
            target.solver.name,
            ops.join(" ")
        ))?;
    }
    let plan = Plan {
        targets,
        seeds: Seeds::new(seeds),
        techniques,
        judges,
        random_seed: args.seed,
        jobs: args.jobs.unwrap_or_else(parallel::all_cores).get(),
        max_cases: args.cases,
        max_time,
        limits: Limits::for_seconds(args.timeout),
        folder: args.dir.clone(),
    };
    let progress = Progress::new();
    match hunt::run(&plan, &AtomicBool::new(false), &|totals| progress.show(totals)) {
        Ok((totals, findings)) => {
            progress.finish();
            conclude(args, &totals, &findings, progress.started.elapsed(), streams)
        }
        Err(error) => {
            streams.error(&error.to_string())?;
            let exit =
                if matches!(error, HuntError::NoSeeds) { Exit::BadInput } else { Exit::EnvironmentFailed };
            Ok(exit)
        }
    }
}

fn chosen_techniques(
    names: &[String],
    streams: &mut Streams,
) -> Result<Option<Vec<Box<dyn Technique>>>, Failure> {
    if names.is_empty() {
        return Ok(Some(techniques()));
    }
    let mut chosen = Vec::new();
    for name in names {
        match technique(name) {
            Some(technique) => chosen.push(technique),
            None => {
                let known: Vec<&str> = techniques().iter().map(|technique| technique.name()).collect();
                streams.error(&format!("unknown technique `{name}`; there are {}", known.join(", ")))?;
                return Ok(None);
            }
        }
    }
    Ok(Some(chosen))
}

fn chosen_judges(
    names: &[String],
    streams: &mut Streams,
) -> Result<Option<Vec<&'static dyn Judge>>, Failure> {
    if names.is_empty() {
        return Ok(Some(judges().into_iter().filter(|judge| judge.is_usual()).collect()));
    }
    if names == ["all"] {
        return Ok(Some(judges()));
    }
    let mut chosen = Vec::new();
    for name in names {
        match judge(name) {
            Some(judge) => chosen.push(judge),
            None => {
                let known: Vec<&str> = judges().iter().map(|judge| judge.name()).collect();
                streams.error(&format!("unknown judge `{name}`; there are {}", known.join(", ")))?;
                return Ok(None);
            }
        }
    }
    Ok(Some(chosen))
}

fn read_seeds(paths: &[PathBuf], streams: &mut Streams) -> Result<Option<Vec<(String, String)>>, Failure> {
    if paths.is_empty() {
        let seeds = SEEDS.iter().map(|seed| (seed.name.to_owned(), seed.source.to_owned())).collect();
        return Ok(Some(seeds));
    }
    let mut seeds = Vec::new();
    for input in inputs::collect(paths) {
        match input.and_then(|input| Ok((input.name(), inputs::read(&input)?))) {
            Ok(seed) => seeds.push(seed),
            Err(problem) => streams.message(&report::render_unreadable(&problem))?,
        }
    }
    if seeds.is_empty() {
        return Ok(None);
    }
    Ok(Some(seeds))
}

/// A line on standard error that says how the hunt goes.
struct Progress {
    started: Instant,
    last: Mutex<Instant>,
    is_terminal: bool,
}

impl Progress {
    fn new() -> Self {
        let now = Instant::now();
        Progress { started: now, last: Mutex::new(now), is_terminal: std::io::stderr().is_terminal() }
    }

    fn show(&self, totals: &Totals) {
        let pause = if self.is_terminal { Duration::from_millis(200) } else { Duration::from_secs(15) };
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.elapsed() < pause {
            return;
        }
        *last = Instant::now();
        let secs = self.started.elapsed().as_secs_f64().max(0.001);
        let line = format!(
            "{:.0} s: {} cases ({:.0}/s), {} runs, {} new findings",
            secs,
            totals.cases,
            totals.cases as f64 / secs,
            totals.runs,
            totals.new_findings
        );
        let end = if self.is_terminal { "\r" } else { "\n" };
        let _ = write!(std::io::stderr(), "{line}{end}");
    }

    fn finish(&self) {
        if self.is_terminal {
            let _ = writeln!(std::io::stderr());
        }
    }
}

fn conclude(
    args: &Args,
    totals: &Totals,
    findings: &Findings,
    elapsed: Duration,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let answers: Vec<String> = totals
        .answers
        .iter()
        .map(|(answer, count): &(Answer, u64)| format!("{} {count}", answer.word()))
        .collect();
    let [accepted, refuted, undecided] = totals.models;
    let out = streams.results();
    writeln!(
        out,
        "{} cases, {} runs in {:.0} s, {:.0} s of them processor time in solvers",
        totals.cases,
        totals.runs,
        elapsed.as_secs_f64(),
        totals.solver_cpu.as_secs_f64()
    )?;
    writeln!(out, "answers: {}", answers.join(", "))?;
    writeln!(out, "models: {accepted} accepted, {refuted} refuted, {undecided} undecided")?;
    if totals.unconfirmed > 0 {
        writeln!(out, "{} verdicts did not show again in fresh processes", totals.unconfirmed)?;
    }
    let all = findings.all();
    if all.is_empty() {
        writeln!(out, "no findings")?;
        return Ok(Exit::Done);
    }
    writeln!(out, "\n{:<22} {:<24} {:>8} {:>7}  smallest", "class", "solver", "findings", "cases")?;
    let mut rest = all.as_slice();
    while let Some(first) = rest.first() {
        let is_same = |finding: &&&smelt_campaign::record::Finding| {
            finding.verdict.class == first.verdict.class && finding.verdict.culprit == first.verdict.culprit
        };
        let count = rest.iter().take_while(is_same).count();
        let cases: u64 = rest[..count].iter().map(|finding| finding.count).sum();
        let culprit = first.verdict.culprit.as_deref().unwrap_or("-");
        writeln!(
            out,
            "{:<22} {culprit:<24} {count:>8} {cases:>7}  {}",
            first.verdict.class.word(),
            first.id
        )?;
        rest = &rest[count..];
    }
    writeln!(out, "\nreports: {}/findings/*/report.md", args.dir.display())?;
    Ok(Exit::Findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse_time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(parse_time("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_time("5"), Ok(Duration::from_secs(5)));
        assert!(parse_time("5 days").is_err());
        assert!(parse_time("-1s").is_err());
    }
}

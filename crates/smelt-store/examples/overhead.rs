//! Measures what recording costs: processor time and bytes for each clean case with three runs.
//!
//! `cargo run --release -p smelt-store --example overhead`

use std::io::Write;
use std::time::{Duration, Instant};

use smelt_oracle::evaluated::ModelWord;
use smelt_oracle::run::Answer;
use smelt_store::configuration::{
    Budget, Configuration, Origin, SeedRecord, Sharing, SolverCommand, SolverConfiguration,
};
use smelt_store::recorder::{CaseRecord, ChainEnd, ChainRecord, Recorder, RunRecord, Session};
use smelt_store::store::{Store, database};
use smelt_store::totals::Totals;
use smelt_store::yields::CaseYield;

const CHAINS: u64 = 20_000;
const STEPS: u32 = 10;
const SOLVERS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut store = Store::open(folder.path())?;
    let configuration = Configuration {
        solvers: (0..SOLVERS).map(solver).collect(),
        techniques: Vec::new(),
        judges: Vec::new(),
        random_seed: 0,
        timeout_secs: 2.0,
        chain_length: STEPS,
        sharing: Sharing::Yield,
        triples: None,
        slowdown: None,
    };
    let seed = SeedRecord { name: "seed".to_owned(), origin: Origin::BuiltIn, hash: String::new() };
    store.begin_campaign(&configuration, &[seed], &Budget::default())?;
    let session = Session { smelt: "measurement", jobs: 1, own_cpu: || Duration::ZERO };
    let (started, used) = (Instant::now(), processor_time()?);
    let recorder = Recorder::start(store, Totals::default(), session)?;
    for number in 0..CHAINS {
        let technique = "operator".to_owned();
        recorder.begin(ChainRecord { number, seed: 0, technique, random_seed: number })?;
        for step in 1..=STEPS {
            recorder.case(clean_case(number, step))?;
        }
        recorder.end(number, ChainEnd::Done)?;
    }
    let (store, totals) = recorder.finish()?;
    let micros_per_case = |time: Duration| time.as_secs_f64() * 1e6 / totals.cases as f64;
    let mut out = std::io::stdout();
    writeln!(out, "{} cases, {} runs", totals.cases, totals.runs)?;
    writeln!(out, "processor time: {:.1} us a case", micros_per_case(processor_time()? - used))?;
    writeln!(out, "clock:          {:.1} us a case", micros_per_case(started.elapsed()))?;
    let started = Instant::now();
    let unfinished = store.unfinished()?;
    let finding_the_place = started.elapsed();
    drop(store);
    let bytes = std::fs::metadata(database(folder.path()))?.len();
    writeln!(out, "size:           {:.1} bytes a case", bytes as f64 / totals.cases as f64)?;
    writeln!(
        out,
        "to resume:      {:.1} ms to find chain {}",
        finding_the_place.as_secs_f64() * 1e3,
        unfinished.next
    )?;
    Ok(())
}

fn solver(number: usize) -> SolverConfiguration {
    let command = SolverCommand {
        solver: format!("solver-{number}"),
        program: "solver".to_owned(),
        args: Vec::new(),
        environment: Vec::new(),
        version: None,
        hash: None,
    };
    SolverConfiguration { command, family: "generic".to_owned(), dialect: None, mode: None, options_of: None }
}

fn clean_case(chain: u64, step: u32) -> CaseRecord {
    let runs = (0..SOLVERS)
        .map(|solver| RunRecord {
            solver,
            answer: if chain.is_multiple_of(2) { Answer::Sat } else { Answer::Unsat },
            limit: None,
            model: chain.is_multiple_of(2).then_some(ModelWord::Accepted),
            message: None,
            cpu: Duration::from_micros(3000 + chain % 500),
            wall: Duration::from_micros(3100 + chain % 700),
        })
        .collect();
    CaseRecord {
        chain,
        step,
        runs,
        found: CaseYield { has_claim: true, ..CaseYield::default() },
        ..CaseRecord::default()
    }
}

/// Processor time of this process and all its threads, those that ended included, to the hundredth of a second.
fn processor_time() -> std::io::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks =
        |position: usize| fields.get(position).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Ok(Duration::from_millis(10 * (ticks(11) + ticks(12))))
}

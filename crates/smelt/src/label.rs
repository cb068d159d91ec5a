//! What seeds are that do not say it: the built-in solver is asked, and the solvers of a hunt.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use smelt_campaign::labels::{Asked, Informant, Labels, find_label, with_label};
use smelt_campaign::target::Target;
use smelt_oracle::run::Answer;
use smelt_runner::limits::Limits;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::term::Terms;
use smelt_solver::front::{Session, Splitter};
use smelt_solver::solver::Options;
use smelt_testgen::seed::Seed;

use crate::parallel;

/// Units of effort that the built-in solver may spend on a seed; about a tenth of a second.
const EFFORT: u64 = 100_000;
/// Processor time for each other solver on a seed, in seconds.
const TIMEOUT_SECS: f64 = 0.3;

/// Who is asked, and for how long.
pub(crate) struct Source<'t> {
    targets: &'t [Target],
    labels: Labels,
    /// After so long the other seeds stay as they are.
    most: Option<Duration>,
}

impl<'t> Source<'t> {
    /// The built-in solver alone, whose answers need not be kept: they are the same every time.
    pub(crate) fn built_in() -> Self {
        Source { targets: &[], labels: Labels::unkept(), most: None }
    }

    /// Also some solvers, for a while. What was said is kept.
    pub(crate) fn with(targets: &'t [Target], labels: Labels, most: Duration) -> Self {
        Source { targets, labels, most: Some(most) }
    }
}

/// Seeds by name and text, with labels in front where somebody knows what they are.
pub(crate) fn labelled(seeds: Vec<(String, String)>, source: &Source<'_>) -> Vec<(String, String)> {
    let started = Instant::now();
    let labels: Mutex<Vec<(String, String)>> = Mutex::new(Vec::with_capacity(seeds.len()));
    let label = |(name, text): &(String, String)| {
        if let Some(label) = source.labels.get(text) {
            return label;
        }
        let is_late = source.most.is_some_and(|most| started.elapsed() > most);
        let label = if is_late { Some(String::new()) } else { ask(name, text, source.targets) };
        if let Some(label) = &label {
            source.labels.keep(text, label);
        }
        label.unwrap_or_default()
    };
    let done: Result<(), ()> = parallel::in_order(&seeds, parallel::all_cores(), label, |label| {
        let mut labelled = labels.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (name, text) = &seeds[labelled.len()];
        labelled.push((name.clone(), with_label(&label, text)));
        Ok(())
    });
    done.expect("taking a label does not fail");
    labels.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn ask(name: &str, text: &str, targets: &[Target]) -> Option<String> {
    let mut informants: Vec<Box<dyn Informant + '_>> = vec![Box::new(BuiltIn)];
    let limits = Limits::for_seconds(TIMEOUT_SECS);
    informants.extend(targets.iter().map(|target| Box::new(Asked { target, limits }) as Box<dyn Informant>));
    find_label(name, text, &mut informants)
}

/// The built-in solver, in this process.
struct BuiltIn;

impl Informant for BuiltIn {
    fn family(&self) -> &str {
        "smelt"
    }

    fn ask(&mut self, terms: &mut Terms, seed: &Seed) -> Option<(Answer, String)> {
        let options = Options { effort: EFFORT, ..Options::default() };
        let mut session = Session::new(options, Some(Dialect::V26));
        let mut splitter = Splitter::new();
        let script = format!("{}(get-model)\n", script_text(terms, &seed.script));
        let mut pieces = splitter.feed(&script);
        pieces.extend(splitter.finish());
        let mut answer = None;
        for piece in &pieces {
            let reply = session.run(piece);
            match reply.text.as_str() {
                "sat" => answer = Some(Answer::Sat),
                "unsat" => return Some((Answer::Unsat, String::new())),
                "" => {}
                _ if answer.is_some() => return Some((Answer::Sat, reply.text)),
                _ => return None,
            }
        }
        None
    }
}

//! What seeds are that do not say it, and whether those are unsatisfiable that say so: the built-in solver is asked, and
//! the solvers of a hunt.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use smelt_campaign::labels::{
    Asked, Informant, Labels, check_label, claims_unsat, find_label, objection, unconfirmed, with_label,
};
use smelt_campaign::target::Target;
use smelt_oracle::run::Answer;
use smelt_runner::limits::Limits;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::script_text;
use smelt_smtlib::term::Terms;
use smelt_solver::front::{Session, Splitter};
use smelt_solver::solver::Options;
use smelt_testgen::built_in::SEEDS;
use smelt_testgen::seed::{EXPECT_LINE, Seed};

use crate::parallel;

/// Units of effort that the built-in solver may spend on a seed; about a tenth of a second.
const EFFORT: u64 = 100_000;
/// Processor time for each other solver on a seed, in seconds. Most are ended by their own effort long before.
const TIMEOUT_SECS: f64 = 3.0;
/// Where time must not decide, this many seeds are asked about, the first ones.
const MAX_ASKED: usize = 400;

/// Who is asked, what, and for how long.
pub(crate) struct Source<'t> {
    targets: &'t [Target],
    labels: Labels,
    /// After so long the other seeds stay as they are.
    most: Option<Duration>,
    /// Whether seeds are asked about that say nothing themselves.
    looks_for_labels: bool,
}

impl<'t> Source<'t> {
    /// The built-in solver alone, whose answers need not be kept: they are the same every time.
    pub(crate) fn built_in() -> Self {
        Source { targets: &[], labels: Labels::unkept(), most: None, looks_for_labels: true }
    }

    /// Also some solvers, for a while. What was said is kept, and what seeds say themselves is checked.
    pub(crate) fn with(targets: &'t [Target], labels: Labels, most: Duration) -> Self {
        Source { targets, labels, most: Some(most), looks_for_labels: true }
    }

    /// The same for a number of seeds instead of a while, so that labels do not depend on how fast the machine is.
    pub(crate) fn by_number(self) -> Self {
        Source { most: None, ..self }
    }

    /// The same for those seeds only that say something themselves.
    pub(crate) fn checking_only(self) -> Self {
        Source { looks_for_labels: false, ..self }
    }
}

/// What came of labelling seeds.
#[derive(Debug, Default)]
pub(crate) struct Labelling {
    /// How many seeds said nothing themselves, and of how many of them something is known now.
    pub without: usize,
    pub found: usize,
    /// How many seeds were not asked about for want of time.
    pub late: usize,
    /// Seeds whose labels were dropped, with the reason.
    pub dropped: Vec<(String, String)>,
    /// How many seeds have a label that no solver has confirmed.
    pub unconfirmed: usize,
}

/// What a seed is given in front, and how that came about.
struct Given {
    label: String,
    is_late: bool,
    /// Whether the seed says nothing itself.
    is_without: bool,
}

/// Seeds by name and text, with labels in front where somebody knows what they are.
pub(crate) fn labelled(
    seeds: Vec<(String, String)>,
    source: &Source<'_>,
) -> (Vec<(String, String)>, Labelling) {
    let started = Instant::now();
    let built_in: HashSet<&str> = SEEDS.iter().map(|seed| seed.source).collect();
    let taken: Mutex<(Vec<(String, String)>, Labelling)> = Mutex::default();
    // Those that solvers would be asked about after the first ones.
    let is_asked_about =
        |text: &str| !text.starts_with(EXPECT_LINE) || claims_unsat(text) && !built_in.contains(text);
    let asked_about = seeds.iter().filter(|(_, text)| is_asked_about(text));
    let rest: HashSet<&str> = asked_about.skip(MAX_ASKED).map(|(name, _)| name.as_str()).collect();
    let is_late = |name: &str| match source.most {
        Some(most) => started.elapsed() > most,
        None => !source.targets.is_empty() && rest.contains(name),
    };
    let label = |(name, text): &(String, String)| {
        let claims_unsat = claims_unsat(text);
        let is_checked = claims_unsat && !source.targets.is_empty() && !built_in.contains(text.as_str());
        let given = |label: String| Given {
            label,
            is_late: false,
            is_without: source.looks_for_labels && !text.starts_with(EXPECT_LINE),
        };
        if !is_checked && (claims_unsat || !source.looks_for_labels) {
            return given(String::new());
        }
        if let Some(label) = source.labels.get(text) {
            return given(label);
        }
        // What was not asked is not kept, so that it is asked when the campaign goes on.
        if is_late(name) {
            let label = if is_checked { unconfirmed() } else { String::new() };
            return Given { is_late: true, ..given(label) };
        }
        let label = ask(name, text, is_checked, source.targets);
        if let Some(label) = &label {
            source.labels.keep(text, label);
        }
        given(label.unwrap_or_default())
    };
    let done: Result<(), ()> = parallel::in_order(&seeds, parallel::all_cores(), label, |given| {
        let mut taken = taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (labelled, labelling) = &mut *taken;
        let (name, text) = &seeds[labelled.len()];
        labelling.add(name, &given);
        labelled.push((name.clone(), with_label(&given.label, text)));
        Ok(())
    });
    done.expect("taking a label does not fail");
    taken.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Labelling {
    fn add(&mut self, name: &str, given: &Given) {
        if let Some(reason) = objection(&given.label) {
            self.dropped.push((name.to_owned(), reason.to_owned()));
        } else if given.label == unconfirmed() {
            self.unconfirmed += 1;
        }
        self.late += usize::from(given.is_late);
        self.without += usize::from(given.is_without);
        self.found += usize::from(given.is_without && !given.label.is_empty());
    }

    /// What users should know, in lines.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (name, reason) in self.dropped.iter().take(MOST_TOLD) {
            text.push_str(&format!("warning: the label of seed `{name}` is not used: {reason}\n"));
        }
        if self.dropped.len() > MOST_TOLD {
            let more = self.dropped.len() - MOST_TOLD;
            text.push_str(&format!("warning: nor are the labels of {more} more seeds, for such reasons\n"));
        }
        if self.unconfirmed > 0 {
            text.push_str(&format!(
                "labels `unsat` of {} seeds are not confirmed by any solver; no solver is blamed by them\n",
                self.unconfirmed
            ));
        }
        if self.without > 0 {
            let late = match self.late {
                0 => String::new(),
                late => format!("; {late} were not reached"),
            };
            text.push_str(&format!("labelled {} of {} seeds{late}\n", self.found, self.without));
        }
        text
    }
}

/// So many dropped labels are told one by one.
const MOST_TOLD: usize = 5;

fn ask(name: &str, text: &str, is_checked: bool, targets: &[Target]) -> Option<String> {
    let mut informants: Vec<Box<dyn Informant + '_>> = vec![Box::new(BuiltIn)];
    let limits = Limits::for_seconds(TIMEOUT_SECS);
    informants.extend(targets.iter().map(|target| Box::new(Asked { target, limits }) as Box<dyn Informant>));
    if is_checked {
        return check_label(name, text, &mut informants);
    }
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

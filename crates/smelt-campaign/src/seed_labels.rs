//! Labels seeds that have no label, and checks labels `unsat`, by asking the built-in solver and the solvers of a hunt;
//! says why seeds cannot be used.
//!
//! The built-in solver is asked as any other, in a process with limits: a seed may be made to fill the memory.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use smelt_runner::family::Family;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;
use smelt_smtlib::print::script_text;
use smelt_smtlib::source::{LineColumn, line_column};
use smelt_smtlib::term::Terms;
use smelt_testgen::built_in::SEEDS;
use smelt_testgen::seed::{EXPECT_LINE, Seed, SeedError};
use smelt_trial::target::Target;

use crate::labels::{
    Asked, Informant, Labels, Replies, SeedReply, StatusTrust, check_label, claims_unsat, find_label,
    objection, unconfirmed, with_label,
};

/// Units of effort that the built-in solver may spend on a seed; about a tenth of a second. Its answers are the same
/// every time, as they are not under a limit on time.
const EFFORT: u64 = 100_000;
/// Processor time for the built-in solver on a seed, in seconds, in case that effort is counted wrongly.
const OWN_TIMEOUT_SECS: f64 = 5.0;
/// Memory for the built-in solver, in bytes.
const OWN_MEMORY: u64 = 1 << 30;
/// Processor time for each other solver on a seed, in seconds. Most are ended by their own effort long before.
const TIMEOUT_SECS: f64 = 3.0;
/// Where time must not decide, this many seeds are asked about, the first ones.
const MAX_ASKED: usize = 400;

/// The solvers that are asked, for how long, and where answers are kept.
pub struct Source<'t> {
    own: OwnSolver,
    targets: &'t [Target],
    labels: Labels,
    /// After this time the remaining seeds stay as they are.
    most: Option<Duration>,
    /// Whether seeds are asked about that say nothing themselves.
    looks_for_labels: bool,
    /// Whether what files say of themselves counts.
    trust: StatusTrust,
    /// What solvers said of seeds before, for whatever purpose.
    replies: Option<Replies>,
    /// Where time must not decide, this many seeds are asked about, the first ones.
    max_asked: usize,
}

impl<'t> Source<'t> {
    /// The built-in solver alone, whose answers need not be kept: they are the same every time.
    pub fn built_in(own: Option<Solver>) -> Self {
        Source {
            own: OwnSolver::new(own),
            targets: &[],
            labels: Labels::unkept(),
            most: None,
            looks_for_labels: true,
            trust: StatusTrust::Ignored,
            replies: None,
            max_asked: MAX_ASKED,
        }
    }

    /// Also some solvers, for a while. What was said is kept, and what seeds say themselves is checked.
    pub fn with(own: Option<Solver>, targets: &'t [Target], labels: Labels, most: Duration) -> Self {
        Source { targets, labels, most: Some(most), ..Source::built_in(own) }
    }

    /// Also some solvers, for as long as it takes to ask them about every seed.
    pub fn patient(own: Option<Solver>, targets: &'t [Target], replies: Replies) -> Self {
        Source { targets, replies: Some(replies), max_asked: usize::MAX, ..Source::built_in(own) }
    }

    /// The same, and what files say of themselves counts or not.
    pub fn trusting(self, trust: StatusTrust) -> Self {
        Source { trust, ..self }
    }

    /// The same, and what solvers said before is not asked again.
    pub fn remembering(self, replies: Replies) -> Self {
        Source { replies: Some(replies), ..self }
    }

    /// The same for a number of seeds instead of a while, so that labels do not depend on how fast the machine is.
    pub fn by_number(self) -> Self {
        Source { most: None, ..self }
    }

    /// The same for those seeds only that say something themselves.
    pub fn checking_only(self) -> Self {
        Source { looks_for_labels: false, ..self }
    }
}

/// The result of labelling seeds.
#[derive(Debug, Default)]
pub struct Labelling {
    /// How many seeds had no label.
    pub without: usize,
    /// How many of them have one now.
    pub found: usize,
    /// How many seeds were not asked about for want of time.
    pub late: usize,
    /// How many of these labels rest on the agreement of solvers.
    pub agreed: usize,
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

/// Seeds by name and text, with labels in front where a solver knows what they are. `progress` is given the number of
/// seeds that are done.
pub fn labelled(
    seeds: Vec<(String, String)>,
    source: &Source<'_>,
    progress: &mut dyn FnMut(usize),
) -> (Vec<(String, String)>, Labelling) {
    let started = Instant::now();
    let built_in: HashSet<&str> = SEEDS.iter().map(|seed| seed.source).collect();
    let taken: Mutex<(Vec<(String, String)>, Labelling)> = Mutex::default();
    // Those that solvers would be asked about after the first ones.
    let is_asked_about =
        |text: &str| !text.starts_with(EXPECT_LINE) || claims_unsat(text) && !built_in.contains(text);
    let asked_about = seeds.iter().filter(|(_, text)| is_asked_about(text));
    let rest: HashSet<&str> = asked_about.skip(source.max_asked).map(|(name, _)| name.as_str()).collect();
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
        let label = ask(name, text, is_checked, source);
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
        progress(labelled.len());
        Ok(())
    });
    done.expect("taking a label does not fail");
    let (mut labelled, labelling) = taken.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    // Those that were not reached because the user wants an end stay as they are.
    let rest = seeds.into_iter().skip(labelled.len());
    labelled.extend(rest);
    (labelled, labelling)
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
        let has_label = given.is_without && given.label.starts_with(EXPECT_LINE);
        self.found += usize::from(has_label);
        self.agreed += usize::from(has_label && given.label.contains(" agreed by "));
    }

    /// What users should know, in lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, reason) in self.dropped.iter().take(MAX_REPORTED) {
            text.push_str(&format!("warning: the label of seed `{name}` is not used: {reason}\n"));
        }
        if self.dropped.len() > MAX_REPORTED {
            let more = self.dropped.len() - MAX_REPORTED;
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
            let agreed = match self.agreed {
                0 => String::new(),
                agreed => format!(", {agreed} of them as solvers agree"),
            };
            text.push_str(&format!("labelled {} of {} seeds{agreed}{late}\n", self.found, self.without));
        }
        text
    }
}

/// Report at most this many seeds that cannot be used one by one.
const MAX_UNUSABLE: usize = 5;

/// Why seeds cannot be used, a line for each of the first ones; empty if all can.
pub fn why_unusable<'s>(seeds: impl Iterator<Item = &'s (String, String)>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut more = 0;
    for (name, text) in seeds {
        let Err(error) = Seed::read(&mut Terms::new(), name, text) else { continue };
        if lines.len() == MAX_UNUSABLE {
            more += 1;
            continue;
        }
        lines.push(match error {
            SeedError::Problem { problem, .. } => {
                let LineColumn { line, column } = line_column(text, problem.span.start);
                format!("`{name}:{line}:{column}`: {}", problem.message)
            }
            SeedError::Rejected { .. } => format!("`{name}`: every solver that was asked rejects it"),
            SeedError::NoAssertion { .. } => format!("`{name}`: it asserts nothing"),
            SeedError::Entangled { .. } => {
                format!("`{name}`: its declarations depend on its assertions")
            }
        });
    }
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n  ")
}

/// Report at most this many dropped labels one by one.
const MAX_REPORTED: usize = 5;

fn ask(name: &str, text: &str, is_checked: bool, source: &Source<'_>) -> Option<String> {
    let limits = Limits::for_seconds(TIMEOUT_SECS);
    let replies = source.replies.as_ref();
    let asked = |target| Box::new(Asked { target, limits, replies }) as Box<dyn Informant + '_>;
    let mut informants: Vec<Box<dyn Informant + '_>> = source.targets.iter().map(asked).collect();
    informants.push(Box::new(&source.own));
    if is_checked {
        return check_label(name, text, &mut informants);
    }
    find_label(name, text, &mut informants, source.trust)
}

/// The built-in solver, in sessions that are kept from seed to seed: starting a process takes longer than most seeds.
struct OwnSolver {
    /// How to start it; none if this program cannot be found.
    solver: Option<Solver>,
    /// Sessions that are not in use.
    idle: Mutex<Vec<Session>>,
}

impl OwnSolver {
    fn new(solver: Option<Solver>) -> Self {
        OwnSolver { solver, idle: Mutex::default() }
    }

    fn start(&self) -> Option<Session> {
        let limits = Limits { memory: Some(OWN_MEMORY), ..Limits::for_seconds(OWN_TIMEOUT_SECS) };
        Some(Session::new(self.solver.clone()?, Isolation::Reset, limits))
    }

    /// The sessions that are not in use.
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Informant for &OwnSolver {
    fn family(&self) -> &str {
        Family::Smelt.name()
    }

    fn is_external(&self) -> bool {
        false
    }

    fn ask(&mut self, terms: &mut Terms, seed: &Seed) -> Option<SeedReply> {
        let idle = self.idle().pop();
        let mut session = idle.or_else(|| self.start())?;
        let run = session.run(&question(&script_text(terms, &seed.script))).ok()?;
        self.idle().push(session);
        Some(SeedReply::of(run))
    }
}

/// What the built-in solver is sent about a seed.
fn question(script: &str) -> String {
    format!("(set-option :reproducible-resource-limit {EFFORT})\n{script}(get-model)\n")
}

#[cfg(test)]
mod tests {
    use smelt_oracle::run::Answer;
    use smelt_runner::solver::Invocation;

    use super::*;

    /// Answers every formula as a solver in a session does, and ends without an answer where one is called `x`.
    const PROGRAM: &str = r#"while read -r line; do
        case $line in
            *"x Int"*) kill -9 $$;;
            *smelt:*) rest=${line#*\"}; echo sat; echo "()"; echo "${rest%%\"*}";;
        esac
    done"#;

    #[test]
    fn a_seed_that_ends_the_process_of_the_built_in_solver_leaves_the_others_alone() {
        let args = ["-c", PROGRAM].map(Into::into).to_vec();
        let invocation =
            Invocation { program: "/bin/sh".into(), args, environment: Vec::new(), is_confined: false };
        let solver = Solver { name: "smelt".to_owned(), family: Family::Smelt, invocation };
        let own = OwnSolver { solver: Some(solver), idle: Mutex::default() };
        let mut answers = Vec::new();
        for name in ["a", "x", "b"] {
            let mut terms = Terms::new();
            let text = format!("(declare-const {name} Int)(assert (> {name} 1))(check-sat)");
            let seed = Seed::read(&mut terms, name, &text).unwrap();
            let asked = (&own).ask(&mut terms, &seed);
            answers.push(asked.is_some_and(|reply| reply.answer == Answer::Sat));
        }
        assert_eq!(answers, [true, false, true]);
        assert_eq!(own.idle().len(), 1);
    }

    #[test]
    fn the_built_in_solver_has_a_limit_of_effort_so_that_its_answers_do_not_depend_on_time() {
        assert!(question("").starts_with("(set-option :reproducible-resource-limit 100000)\n"));
    }
}

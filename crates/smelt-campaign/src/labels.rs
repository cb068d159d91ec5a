//! What seeds are that do not say it: found out once by asking solvers, and kept.
//!
//! A label is the comment lines that a seed could have had itself. `; expect: sat` with a model is *certain*: our
//! evaluator accepts the model, and it does not matter who printed it. `; expect: unsat agreed by cvc5 and z3` is *agreed*:
//! two families of solvers say so and none says otherwise; no solver is blamed by it. The `:status` of a file, or what a
//! comment `; EXPECT:` of a regression says, is one more vote where the user trusts it, and never enough alone. Nothing
//! is also an answer, and kept like the others, so that a campaign that goes on makes the cases it would have made; what
//! was not asked for want of time is asked when the campaign goes on. Solvers that can count their effort are limited by
//! that and not by time, so that labels do not depend on the machine.
//!
//! The line `; accepted by: cvc5 z3` names the families that read the seed; one that no solver reads is no seed.
//!
//! What a seed says itself is checked before it is believed, if it says `unsat`. A model that our evaluator accepts, or two
//! families that say `sat`, drop the label; else one solver that says `unsat` too confirms it. What is neither confirmed nor dropped
//! is believed with a doubt: no solver is blamed by it.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use smelt_oracle::case::{Basis, Expectation, Label};
use smelt_oracle::references::lineage;
use smelt_oracle::run::{Answer, Run};
use smelt_runner::files::write_whole;
use smelt_runner::limits::Limits;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::term::Terms;
use smelt_testgen::ground_truth::Truth;
use smelt_testgen::seed::{ACCEPTED_LINE, EXPECT_LINE, MODEL_LINE, Seed};

use smelt_trial::target::Target;

/// Somebody who may know what a formula is.
pub trait Informant {
    /// The family of solvers that it belongs to.
    fn family(&self) -> &str;

    /// Whether it reads all that solvers read, so that what it rejects is ill-formed for one solver at least.
    fn is_external(&self) -> bool {
        true
    }

    /// What it says of the check of a seed; none if it was not asked.
    fn ask(&mut self, terms: &mut Terms, seed: &Seed) -> Option<SeedReply>;
}

/// What somebody says of a seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedReply {
    /// The answer to its check.
    pub answer: Answer,
    /// What was printed after a `sat`, which may have a model in it.
    pub output: String,
}

impl SeedReply {
    /// What there is to keep of a run.
    pub fn of(run: Run) -> SeedReply {
        let output = if run.answer == Answer::Sat { run.output } else { String::new() };
        SeedReply { answer: run.answer, output }
    }
}

/// A solver that is asked in a process of its own.
#[derive(Debug)]
pub struct Asked<'t> {
    /// The solver.
    pub target: &'t Target,
    /// What a run may use; where the solver counts its effort, that ends it long before.
    pub limits: Limits,
    /// Where replies are kept; none if they are not.
    pub replies: Option<&'t Replies>,
}

impl Informant for Asked<'_> {
    fn family(&self) -> &str {
        self.target.solver.family.name()
    }

    fn ask(&mut self, terms: &mut Terms, seed: &Seed) -> Option<SeedReply> {
        if self.target.takes(terms, &seed.script).is_none() {
            return Some(SeedReply { answer: Answer::Rejected, output: String::new() });
        }
        let effort = self.target.solver.family.effort_limit();
        let text = format!("{effort}{}", self.target.text(terms, &seed.script));
        // A program whose content is not known may be another one tomorrow.
        let kept = self.replies.zip(self.target.identity.as_deref());
        if let Some(reply) = kept.and_then(|(replies, program)| replies.get(program, &text)) {
            return Some(reply);
        }
        let reply = SeedReply::of(self.target.run_cold(&text, &self.limits).ok()?);
        if let Some((replies, program)) = kept {
            replies.keep(program, &text, &reply);
        }
        Some(reply)
    }
}

/// What solvers said of seeds, kept for the user by the content of the program and of what it was sent.
#[derive(Debug, Clone)]
pub struct Replies {
    folder: PathBuf,
}

impl Replies {
    /// Replies that are kept in a folder, which need not exist yet.
    pub fn in_folder(folder: PathBuf) -> Self {
        Replies { folder }
    }

    fn get(&self, program: &str, text: &str) -> Option<SeedReply> {
        serde_json::from_str(&fs::read_to_string(self.path(program, text)).ok()?).ok()
    }

    fn keep(&self, program: &str, text: &str, reply: &SeedReply) {
        let path = self.path(program, text);
        let Ok(content) = serde_json::to_string(reply) else { return };
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        // What is not kept is asked again.
        drop(made.and_then(|()| write_whole(&path, content.as_bytes())));
    }

    fn path(&self, program: &str, text: &str) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        hasher.update(program.as_bytes());
        hasher.update(&[0]);
        hasher.update(text.as_bytes());
        let name = hasher.finalize().to_hex();
        self.folder.join(&name[..2]).join(format!("{}.json", &name[2..40]))
    }
}

/// Larger seeds are not asked about.
const MAX_BYTES: usize = 20_000;

/// What precedes the reason in the line that says why the label of a seed was dropped.
const DROPPED_LINE: &str = "; label dropped: ";

/// Why the label that a seed had was dropped, if it was.
pub fn objection(label: &str) -> Option<&str> {
    label.lines().find_map(|line| line.strip_prefix(DROPPED_LINE))
}

/// The label for a seed that says `unsat` and was not asked about.
pub fn unconfirmed() -> String {
    unsat_line(Basis::Unconfirmed)
}

fn unsat_line(basis: Basis) -> String {
    format!("{EXPECT_LINE}{}\n", Label { expectation: Expectation::Unsat, basis })
}

/// Whether the first line of a seed says that it is unsatisfiable.
pub fn claims_unsat(text: &str) -> bool {
    let line = text.lines().next().and_then(|line| line.strip_prefix(EXPECT_LINE));
    line.is_some_and(|label| label.trim() == "unsat")
}

/// The comment lines that say what comes of the label `unsat` of a seed, empty if it is confirmed; none if the seed cannot
/// be used or is not asked about.
pub fn check_label(name: &str, text: &str, informants: &mut [Box<dyn Informant + '_>]) -> Option<String> {
    let mut terms = Terms::new();
    let seed = Seed::read(&mut terms, name, text).ok()?;
    if !matches!(seed.truth, Truth::Unsat(_)) {
        return None;
    }
    if text.len() > MAX_BYTES {
        return Some(unconfirmed());
    }
    let dropped = |reason: String| Some(format!("{EXPECT_LINE}none\n{DROPPED_LINE}{reason}\n"));
    let (mut confirming, mut contradicting): (Vec<String>, Vec<String>) = Default::default();
    for informant in informants {
        let family = informant.family().to_owned();
        let list = match informant.ask(&mut terms, &seed) {
            Some(SeedReply { answer: Answer::Sat, output }) => {
                if certain_label(name, text, &output).is_some() {
                    return dropped(format!(
                        "it says `unsat`, but the model that {family} prints satisfies it"
                    ));
                }
                &mut contradicting
            }
            Some(SeedReply { answer: Answer::Unsat, .. }) => &mut confirming,
            _ => continue,
        };
        if !list.iter().any(|known| lineage(known) == lineage(&family)) {
            list.push(family);
        }
    }
    if contradicting.len() >= 2 {
        return dropped(format!("it says `unsat`, but {} say `sat`", contradicting.join(" and ")));
    }
    Some(if confirming.is_empty() { unconfirmed() } else { String::new() })
}

/// Whether what files say of themselves counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatusTrust {
    /// It does not.
    #[default]
    Ignored,
    /// It is one more vote.
    Vote,
}

impl StatusTrust {
    /// Whether it counts.
    pub fn of(is_trusted: bool) -> Self {
        if is_trusted { StatusTrust::Vote } else { StatusTrust::Ignored }
    }
}

/// How the vote of a file about itself is called.
const STATUS: &str = "status";

/// The comment lines that say what a seed is, empty if nobody knows; none if the seed says so itself or is not asked
/// about.
pub fn find_label(
    name: &str,
    text: &str,
    informants: &mut [Box<dyn Informant + '_>],
    trust: StatusTrust,
) -> Option<String> {
    let mut terms = Terms::new();
    if text.len() > MAX_BYTES {
        return None;
    }
    let seed = Seed::read(&mut terms, name, text).ok()?;
    if !matches!(seed.truth, Truth::Unknown) {
        return None;
    }
    let mut votes = Votes::default();
    let mut certain = None;
    for informant in informants {
        // The built-in solver comes last, and is asked where the others do not know: most seeds are not of its theory.
        if !informant.is_external() && (certain.is_some() || !votes.agreed_label().is_empty()) {
            continue;
        }
        let Some(SeedReply { answer, output }) = informant.ask(&mut terms, &seed) else { continue };
        let family = informant.family();
        if informant.is_external() {
            votes.is_shown = true;
            if !matches!(answer, Answer::Rejected | Answer::Error) {
                add(&mut votes.accepting, family);
            }
        }
        match answer {
            Answer::Sat if certain.is_none() => {
                certain = certain_label(name, text, &output);
                add_vote(&mut votes.sat, family);
            }
            Answer::Sat => add_vote(&mut votes.sat, family),
            Answer::Unsat => add_vote(&mut votes.unsat, family),
            _ => {}
        }
    }
    if trust == StatusTrust::Vote {
        match said_by_file(&seed, text) {
            Expectation::Sat => add_vote(&mut votes.sat, STATUS),
            Expectation::Unsat => add_vote(&mut votes.unsat, STATUS),
            Expectation::None => {}
        }
    }
    Some(match certain {
        Some(label) => with_label(&label, &votes.accepted_line()),
        None => with_label(&votes.agreed_label(), &votes.accepted_line()),
    })
}

fn add(families: &mut Vec<String>, family: &str) {
    if families.iter().all(|known| known != family) {
        families.push(family.to_owned());
    }
}

/// Adds the vote of a family, unless one of the same lineage has voted: two of these are one opinion.
fn add_vote(families: &mut Vec<String>, family: &str) {
    if families.iter().all(|known| lineage(known) != lineage(family)) {
        families.push(family.to_owned());
    }
}

/// What was said of a seed.
#[derive(Debug, Default)]
struct Votes {
    sat: Vec<String>,
    unsat: Vec<String>,
    /// Whether solvers were asked besides the built-in one.
    is_shown: bool,
    /// Those of them that read the seed.
    accepting: Vec<String>,
}

impl Votes {
    /// That it is unsatisfiable, if two say so and nobody contradicts them.
    fn agreed_label(&self) -> String {
        if !self.sat.is_empty() || self.unsat.len() < 2 {
            return String::new();
        }
        let mut families = self.unsat.clone();
        families.sort_unstable();
        unsat_line(Basis::Agreed(families))
    }

    fn accepted_line(&self) -> String {
        if !self.is_shown {
            return String::new();
        }
        let mut families = self.accepting.clone();
        families.sort_unstable();
        format!("{ACCEPTED_LINE}{}\n", families.join(" "))
    }
}

/// The label of a seed with this model, if it is one.
fn certain_label(name: &str, text: &str, output: &str) -> Option<String> {
    let label = format!("{EXPECT_LINE}sat\n{}", model_lines(output));
    let labelled = Seed::read(&mut Terms::new(), name, &with_label(&label, text)).ok()?;
    matches!(labelled.truth, Truth::Sat(_)).then_some(label)
}

/// What a file says of its first check, by its status or by a comment of a regression; nothing if these differ.
fn said_by_file(seed: &Seed, text: &str) -> Expectation {
    const COMMENT: &str = "; EXPECT:";
    let comment = text.lines().find_map(|line| line.strip_prefix(COMMENT)).filter(|_| seed.is_first_check);
    let commented = comment.map_or(Expectation::None, |said| Label::read(said).expectation);
    match (seed.expectation, commented) {
        (said, Expectation::None) | (Expectation::None, said) => said,
        (status, comment) if status == comment => status,
        _ => Expectation::None,
    }
}

/// A seed with its label in front.
pub fn with_label(label: &str, text: &str) -> String {
    format!("{label}{text}")
}

/// Each definition of a model as a comment line.
fn model_lines(output: &str) -> String {
    let mut scanner = Scanner::new(output);
    let mut tape = Tape::new();
    let mut lines = String::new();
    while let Ok(true) = scanner.read(&mut tape) {
        for child in tape.children(0) {
            let definition = tape.node(child).span.text(output);
            if definition.starts_with("(define-fun") || definition.starts_with("(declare-fun") {
                lines.push_str(&format!("{MODEL_LINE}{}\n", definition.replace(['\n', '\r'], " ")));
            }
        }
    }
    lines
}

/// Labels that were found before, one file each, named by the hash of the seed.
#[derive(Debug, Clone)]
pub struct Labels {
    folder: Option<PathBuf>,
}

impl Labels {
    /// Labels that are kept in a folder.
    pub fn in_folder(folder: PathBuf) -> Self {
        Labels { folder: Some(folder) }
    }

    /// Labels that are not kept.
    pub fn unkept() -> Self {
        Labels { folder: None }
    }

    /// The label of a seed, if it was found before.
    pub fn get(&self, text: &str) -> Option<String> {
        fs::read_to_string(self.path(text)?).ok()
    }

    /// Keeps the label of a seed. One that cannot be written is looked for again next time.
    pub fn keep(&self, text: &str, label: &str) {
        if let (Some(folder), Some(path)) = (&self.folder, self.path(text)) {
            let written = fs::create_dir_all(folder).and_then(|()| write_whole(&path, label.as_bytes()));
            // What is not kept is found again.
            drop(written);
        }
    }

    fn path(&self, text: &str) -> Option<PathBuf> {
        let name = blake3::hash(text.as_bytes()).to_hex();
        Some(self.folder.as_ref()?.join(format!("{name}.txt")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Says(&'static str, Answer, &'static str);

    impl Informant for Says {
        fn family(&self) -> &str {
            self.0
        }

        fn is_external(&self) -> bool {
            self.0 != "smelt"
        }

        fn ask(&mut self, _: &mut Terms, _: &Seed) -> Option<SeedReply> {
            Some(SeedReply { answer: self.1, output: self.2.to_owned() })
        }
    }

    const SEED: &str = "(declare-const x Int)(assert (> x 1))(check-sat)";

    fn label(text: &str, informants: Vec<Says>, trust: StatusTrust) -> Option<String> {
        let mut informants: Vec<Box<dyn Informant>> =
            informants.into_iter().map(|says| Box::new(says) as Box<dyn Informant>).collect();
        find_label("a", text, &mut informants, trust)
    }

    fn check(text: &str, informants: Vec<Says>, expected: Option<&str>) {
        assert_eq!(label(text, informants, StatusTrust::Ignored).as_deref(), expected);
    }

    #[test]
    fn a_model_is_taken_from_whoever_has_one() {
        let wrong = || Says("smelt", Answer::Sat, "((define-fun x () Int 1))");
        let right = || Says("z3", Answer::Sat, "(\n(define-fun x () Int\n 2)\n)");
        check(SEED, vec![wrong()], Some(""));
        let expected = "; expect: sat\n; model: (define-fun x () Int  2)\n; accepted by: z3\n";
        check(SEED, vec![wrong(), right()], Some(expected));
        check(SEED, vec![right(), Says("smelt", Answer::Unsat, "")], Some(expected));
    }

    #[test]
    fn two_families_agree_that_there_is_no_model_unless_one_contradicts() {
        let says = |family| Says(family, Answer::Unsat, "");
        check(SEED, vec![says("z3"), says("z3")], Some("; accepted by: z3\n"));
        let expected = "; expect: unsat agreed by cvc5 and z3\n; accepted by: cvc5 z3\n";
        check(SEED, vec![says("z3"), says("cvc5")], Some(expected));
        let contradicting = Says("yices", Answer::Sat, "");
        check(SEED, vec![says("z3"), says("cvc5"), contradicting], Some("; accepted by: cvc5 yices z3\n"));
    }

    #[test]
    fn what_no_solver_reads_is_noted() {
        let text = label(SEED, vec![Says("z3", Answer::Rejected, "")], StatusTrust::Ignored).unwrap();
        assert_eq!(text, "; accepted by: \n");
        assert!(Seed::read(&mut Terms::new(), "a", &with_label(&text, SEED)).is_err());
    }

    #[test]
    fn a_status_is_one_vote_if_it_is_trusted_and_never_enough_alone() {
        let status = format!("(set-info :status unsat){SEED}");
        let unsat = || Says("z3", Answer::Unsat, "");
        let agreed = "; expect: unsat agreed by status and z3\n; accepted by: z3\n";
        assert_eq!(label(&status, vec![unsat()], StatusTrust::Vote).as_deref(), Some(agreed));
        check(&status, vec![unsat()], Some("; accepted by: z3\n"));
        assert_eq!(label(&status, vec![], StatusTrust::Vote).as_deref(), Some(""));
        let comment = format!("; EXPECT: unsat\n{SEED}");
        assert_eq!(label(&comment, vec![unsat()], StatusTrust::Vote).as_deref(), Some(agreed));
        // The comment is about the first check, which is not the one that is read.
        let later = format!("; EXPECT: unsat\n(check-sat)\n{SEED}");
        assert_eq!(label(&later, vec![unsat()], StatusTrust::Vote).as_deref(), Some("; accepted by: z3\n"));
        let both = format!("; EXPECT: sat\n{status}");
        assert_eq!(label(&both, vec![unsat()], StatusTrust::Vote).as_deref(), Some("; accepted by: z3\n"));
    }

    #[test]
    fn replies_are_kept_by_the_content_of_the_program_and_of_what_it_was_sent() {
        let folder = tempfile::tempdir().unwrap();
        let replies = Replies::in_folder(folder.path().join("replies"));
        let reply = SeedReply { answer: Answer::Unsat, output: String::new() };
        replies.keep("a", "(check-sat)", &reply);
        assert_eq!(replies.get("a", "(check-sat)"), Some(reply));
        assert_eq!(replies.get("b", "(check-sat)"), None);
        assert_eq!(replies.get("a", "(check-sat) "), None);
    }

    #[test]
    fn who_says_what_it_is_needs_no_label() {
        let labelled = format!("; expect: unsat\n{SEED}");
        check(&labelled, vec![Says("a", Answer::Sat, "((define-fun x () Int 2))")], None);
    }

    const QUANTIFIED: &str =
        "; expect: unsat\n(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f x) x)))(check-sat)";

    fn check_own(text: &str, informants: Vec<Says>, expected: &str) {
        let mut informants: Vec<Box<dyn Informant>> =
            informants.into_iter().map(|says| Box::new(says) as Box<dyn Informant>).collect();
        assert_eq!(check_label("a", text, &mut informants).as_deref(), Some(expected));
    }

    #[test]
    fn a_label_is_dropped_if_two_families_contradict_it() {
        let sat = |family| Says(family, Answer::Sat, "");
        let dropped = "; expect: none\n; label dropped: it says `unsat`, but z3 and cvc5 say `sat`\n";
        check_own(QUANTIFIED, vec![sat("z3"), sat("cvc5")], dropped);
        assert_eq!(objection(dropped), Some("it says `unsat`, but z3 and cvc5 say `sat`"));
        let seed = Seed::read(&mut Terms::new(), "a", &with_label(dropped, QUANTIFIED)).unwrap();
        assert!(matches!(seed.truth, Truth::Unknown));
    }

    #[test]
    fn a_label_is_dropped_if_a_model_is_one() {
        let text = format!("; expect: unsat\n{SEED}");
        let model = Says("z3", Answer::Sat, "((define-fun x () Int 2))");
        let dropped =
            "; expect: none\n; label dropped: it says `unsat`, but the model that z3 prints satisfies it\n";
        check_own(&text, vec![model], dropped);
    }

    #[test]
    fn a_label_that_nobody_confirms_is_doubtful() {
        let says = |answer| Says("z3", answer, "");
        let doubtful = "; expect: unsat unconfirmed\n";
        check_own(QUANTIFIED, vec![says(Answer::Unknown)], doubtful);
        check_own(QUANTIFIED, vec![says(Answer::Sat)], doubtful);
        check_own(QUANTIFIED, vec![says(Answer::Unsat)], "");
        check_own(QUANTIFIED, vec![says(Answer::Sat), Says("cvc5", Answer::Unsat, "")], "");
        let seed = Seed::read(&mut Terms::new(), "a", &with_label(doubtful, QUANTIFIED)).unwrap();
        assert!(seed.basis == Basis::Unconfirmed && matches!(seed.truth, Truth::Unsat(_)));
    }

    #[test]
    fn labels_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let labels = Labels::in_folder(folder.path().join("labels"));
        assert_eq!(labels.get(SEED), None);
        labels.keep(SEED, "");
        assert_eq!(labels.get(SEED), Some(String::new()));
        Labels::unkept().keep(SEED, "a");
        assert_eq!(Labels::unkept().get(SEED), None);
    }
}

//! What seeds are that do not say it: found out once by asking solvers, and kept.
//!
//! A label is the comment lines that a seed could have had itself: `; expect: sat` with a model, or `; expect: unsat`. A
//! model counts if our evaluator accepts it, whoever found it. That there is none is believed if two families of
//! solvers say so. Nothing is also an answer, and kept like the others, so that a campaign that goes on makes the cases
//! it would have made; what was not asked for want of time is asked when the campaign goes on. Solvers that can count
//! their effort are limited by that and not by time, so that labels do not depend on the machine.
//!
//! What a seed says itself is checked before it is believed, if it says `unsat`. A model that our evaluator accepts, or two
//! families that say `sat`, drop the label; else one solver that says `unsat` too confirms it. What is neither confirmed nor dropped
//! is believed with a doubt: no solver is blamed by it.

use std::fs;
use std::path::PathBuf;

use smelt_oracle::run::Answer;
use smelt_runner::files::write_whole;
use smelt_runner::limits::Limits;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::term::Terms;
use smelt_testgen::seed::{EXPECT_LINE, MODEL_LINE, Seed, UNCONFIRMED};
use smelt_testgen::truth::Truth;

use smelt_trial::target::Target;

/// Somebody who may know what a formula is.
pub trait Informant {
    /// The family of solvers that it belongs to.
    fn family(&self) -> &str;

    /// The answer to the check of a seed, and the model that was printed after it; none if it cannot say.
    fn ask(&mut self, terms: &mut Terms, seed: &Seed) -> Option<(Answer, String)>;
}

/// A solver that is asked in a process of its own.
#[derive(Debug)]
pub struct Asked<'t> {
    /// The solver.
    pub target: &'t Target,
    /// What a run may use; where the solver counts its effort, that ends it long before.
    pub limits: Limits,
}

impl Informant for Asked<'_> {
    fn family(&self) -> &str {
        self.target.solver.family.name()
    }

    fn ask(&mut self, terms: &mut Terms, seed: &Seed) -> Option<(Answer, String)> {
        self.target.takes(terms, &seed.script)?;
        let effort = self.target.solver.family.effort_limit();
        let text = format!("{effort}{}", self.target.text(terms, &seed.script));
        let run = self.target.run_cold(&text, &self.limits).ok()?;
        Some((run.answer, run.output))
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
    format!("{EXPECT_LINE}{UNCONFIRMED}\n")
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
            Some((Answer::Sat, output)) => {
                let label = format!("{EXPECT_LINE}sat\n{}", model_lines(&output));
                let labelled = Seed::read(&mut terms, name, &with_label(&label, text));
                if labelled.is_ok_and(|labelled| matches!(labelled.truth, Truth::Sat(_))) {
                    return dropped(format!(
                        "it says `unsat`, but the model that {family} prints satisfies it"
                    ));
                }
                &mut contradicting
            }
            Some((Answer::Unsat, _)) => &mut confirming,
            _ => continue,
        };
        if !list.contains(&family) {
            list.push(family);
        }
    }
    if contradicting.len() >= 2 {
        return dropped(format!("it says `unsat`, but {} say `sat`", contradicting.join(" and ")));
    }
    Some(if confirming.is_empty() { unconfirmed() } else { String::new() })
}

/// The comment lines that say what a seed is, empty if nobody knows; none if the seed says so itself or is not asked
/// about.
pub fn find_label(name: &str, text: &str, informants: &mut [Box<dyn Informant + '_>]) -> Option<String> {
    let mut terms = Terms::new();
    if text.len() > MAX_BYTES {
        return None;
    }
    let seed = Seed::read(&mut terms, name, text).ok()?;
    if !matches!(seed.truth, Truth::Unknown) {
        return None;
    }
    let mut refuting: Vec<String> = Vec::new();
    for informant in informants {
        match informant.ask(&mut terms, &seed) {
            Some((Answer::Sat, output)) => {
                let label = format!("{EXPECT_LINE}sat\n{}", model_lines(&output));
                let Ok(labelled) = Seed::read(&mut terms, name, &with_label(&label, text)) else { continue };
                if matches!(labelled.truth, Truth::Sat(_)) {
                    return Some(label);
                }
            }
            Some((Answer::Unsat, _)) if refuting.iter().all(|family| family != informant.family()) => {
                refuting.push(informant.family().to_owned());
            }
            _ => {}
        }
    }
    Some(if refuting.len() >= 2 { format!("{EXPECT_LINE}unsat\n") } else { String::new() })
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

        fn ask(&mut self, _: &mut Terms, _: &Seed) -> Option<(Answer, String)> {
            Some((self.1, self.2.to_owned()))
        }
    }

    const SEED: &str = "(declare-const x Int)(assert (> x 1))(check-sat)";

    fn check(text: &str, informants: Vec<Says>, expected: Option<&str>) {
        let mut informants: Vec<Box<dyn Informant>> =
            informants.into_iter().map(|says| Box::new(says) as Box<dyn Informant>).collect();
        assert_eq!(find_label("a", text, &mut informants).as_deref(), expected);
    }

    #[test]
    fn a_model_is_taken_from_whoever_has_one() {
        let wrong = || Says("a", Answer::Sat, "((define-fun x () Int 1))");
        let right = || Says("a", Answer::Sat, "(\n(define-fun x () Int\n 2)\n)");
        check(SEED, vec![wrong()], Some(""));
        check(SEED, vec![wrong(), right()], Some("; expect: sat\n; model: (define-fun x () Int  2)\n"));
    }

    #[test]
    fn two_families_are_believed_that_there_is_no_model() {
        let says = |family| Says(family, Answer::Unsat, "");
        check(SEED, vec![says("a"), says("a")], Some(""));
        check(SEED, vec![says("a"), says("b")], Some("; expect: unsat\n"));
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
        assert!(seed.is_doubtful && matches!(seed.truth, Truth::Unsat(_)));
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

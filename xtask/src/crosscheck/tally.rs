//! What a run counted, and its report.

use std::collections::BTreeMap;
use std::fmt::Write;

use smelt_smtlib::op::{Op, Theory};

use super::catalogue::{Area, Form};
use super::judge::{Answer, Mode, Solver};

/// Answers of one solver in one mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answers {
    pub agrees: u64,
    pub differs: u64,
    pub unknown: u64,
    pub rejected: u64,
    pub failed: u64,
}

impl Answers {
    fn add(&mut self, answer: &Answer) {
        *match answer {
            Answer::Agrees => &mut self.agrees,
            Answer::Differs => &mut self.differs,
            Answer::Unknown => &mut self.unknown,
            Answer::Rejected(_) => &mut self.rejected,
            Answer::Failed(_) => &mut self.failed,
        } += 1;
    }

    fn merge(&mut self, other: Answers) {
        self.agrees += other.agrees;
        self.differs += other.differs;
        self.unknown += other.unknown;
        self.rejected += other.rejected;
        self.failed += other.failed;
    }

    /// How many were judged, one way or the other.
    pub fn judged(self) -> u64 {
        self.agrees + self.differs
    }
}

/// A term on which a solver and we differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    pub solver: Solver,
    pub mode: Mode,
    /// The name of what stands at the top of the smallest part that shows it.
    pub top: String,
    /// The question that shows it.
    pub question: String,
    pub term: String,
    pub our_value: String,
    pub their_value: String,
}

/// Counts of a run.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Terms with a value, by the form at the top.
    pub terms: BTreeMap<Form, u64>,
    /// Terms among them whose value is `true`.
    pub true_terms: BTreeMap<Form, u64>,
    /// Terms with a value that both solvers judged by folding.
    pub judged_by_both: BTreeMap<Form, u64>,
    pub answers: BTreeMap<(Form, Solver, Mode), Answers>,
    /// Terms without a value, by reason.
    pub skipped: BTreeMap<String, u64>,
    pub disagreements: Vec<Disagreement>,
    /// An example for each kind of rejection and failure.
    pub examples: BTreeMap<(Solver, String), (u64, String)>,
    /// Terms whose text reads back as another term.
    pub misread: Vec<String>,
}

/// Examples of rejections that are kept.
const MAX_EXAMPLES: usize = 60;

impl Tally {
    pub fn count(&mut self, form: Form, solver: Solver, mode: Mode, answer: &Answer, question: &str) {
        self.answers.entry((form, solver, mode)).or_default().add(answer);
        let reason = match answer {
            Answer::Rejected(reason) => reason.clone(),
            Answer::Failed(reason) => format!("{reason} ({}, {})", form.name(), mode.name()),
            Answer::Unknown => format!("unknown ({}, {})", form.name(), mode.name()),
            _ => return,
        };
        let key = (solver, gist(&reason));
        if self.examples.len() < MAX_EXAMPLES || self.examples.contains_key(&key) {
            self.examples.entry(key).or_insert_with(|| (0, question.to_owned())).0 += 1;
        }
    }

    pub fn merge(&mut self, other: Tally) {
        for (form, count) in other.terms {
            *self.terms.entry(form).or_default() += count;
        }
        for (form, count) in other.true_terms {
            *self.true_terms.entry(form).or_default() += count;
        }
        for (form, count) in other.judged_by_both {
            *self.judged_by_both.entry(form).or_default() += count;
        }
        for (key, answers) in other.answers {
            self.answers.entry(key).or_default().merge(answers);
        }
        for (key, count) in other.skipped {
            *self.skipped.entry(key).or_default() += count;
        }
        for (key, (count, example)) in other.examples {
            if self.examples.len() < MAX_EXAMPLES || self.examples.contains_key(&key) {
                self.examples.entry(key).or_insert((0, example)).0 += count;
            }
        }
        self.disagreements.extend(other.disagreements);
        self.misread.extend(other.misread);
    }

    fn sum(&self, solver: Solver, mode: Mode, wanted: impl Fn(Form) -> bool) -> Answers {
        let mut sum = Answers::default();
        for ((form, by, how), answers) in &self.answers {
            if (*by, *how) == (solver, mode) && wanted(*form) {
                sum.merge(*answers);
            }
        }
        sum
    }

    /// The terms that were evaluated.
    pub fn total(&self) -> u64 {
        self.terms.values().sum()
    }

    /// How many terms a solver judged in a mode.
    pub fn judged(&self, solver: Solver, mode: Mode) -> u64 {
        self.sum(solver, mode, |_| true).judged()
    }

    /// The whole report as Markdown.
    pub fn report(&self, command: &str, forms: &[Form], is_read: impl Fn(Form, Solver) -> bool) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "Written by `{command}`.\n");
        self.write_areas(&mut out);
        self.write_skipped(&mut out);
        self.write_judges(forms, is_read, &mut out);
        self.write_forms(forms, &mut out);
        self.write_disagreements(&mut out);
        let _ = writeln!(out, "## Examples of what solvers did not judge\n");
        for ((solver, reason), (count, example)) in &self.examples {
            let example: String = example.chars().take(300).collect();
            let _ = writeln!(out, "- {} x{count}: {reason}\n  `{example}`", solver.name());
        }
        if !self.misread.is_empty() {
            let _ = writeln!(out, "\n## Terms that read back as others\n");
            for text in &self.misread {
                let _ = writeln!(out, "- `{text}`");
            }
        }
        out
    }

    fn write_areas(&self, out: &mut String) {
        let _ = writeln!(out, "## Terms by theory of the operator at the top\n");
        let _ = writeln!(
            out,
            "| theory | terms | z3 folds | cvc5 folds | both | z3 proves | cvc5 proves | differ |\n|---|---|---|---|---|---|---|---|"
        );
        let row = |name: &str, wanted: &dyn Fn(Form) -> bool, out: &mut String| {
            let count = |counts: &BTreeMap<Form, u64>| -> u64 {
                counts.iter().filter(|(form, _)| wanted(**form)).map(|(_, count)| count).sum()
            };
            let judged = |solver, modes: &[Mode]| -> u64 {
                modes.iter().map(|mode| self.sum(solver, *mode, wanted).judged()).sum()
            };
            let differ: u64 = self
                .answers
                .iter()
                .filter(|((form, ..), _)| wanted(*form))
                .map(|(_, answers)| answers.differs)
                .sum();
            let proofs = [Mode::Prove, Mode::ProveWithin];
            let _ = writeln!(
                out,
                "| {name} | {} | {} | {} | {} | {} | {} | {differ} |",
                count(&self.terms),
                judged(Solver::Z3, &[Mode::Fold]),
                judged(Solver::Cvc5, &[Mode::Fold]),
                count(&self.judged_by_both),
                judged(Solver::Z3, &proofs),
                judged(Solver::Cvc5, &proofs),
            );
        };
        for area in Area::ALL {
            row(&area.name(), &|form: Form| form.area() == area, out);
        }
        row("all", &|_| true, out);
        out.push('\n');
    }

    fn write_skipped(&self, out: &mut String) {
        let _ =
            writeln!(out, "## Terms without a value (not counted above)\n\n| reason | terms |\n|---|---|");
        for (reason, count) in &self.skipped {
            let _ = writeln!(out, "| {reason} | {count} |");
        }
        out.push('\n');
    }

    /// Which operators only one solver judged, and which none.
    fn write_judges(&self, forms: &[Form], is_read: impl Fn(Form, Solver) -> bool, out: &mut String) {
        let judged = |form: Form, solver: Solver| {
            Mode::ALL.iter().any(|mode| self.sum(solver, *mode, |other| other == form).judged() > 0)
        };
        let mut only_z3 = Vec::new();
        let mut only_cvc5 = Vec::new();
        let mut none = Vec::new();
        for form in forms {
            let name = format!("`{}`", form.name());
            match (judged(*form, Solver::Z3), judged(*form, Solver::Cvc5)) {
                (true, true) => {}
                (true, false) => only_z3.push(name),
                (false, true) => {
                    let note =
                        if is_read(*form, Solver::Z3) { " (z3 reads it and does not decide it)" } else { "" };
                    only_cvc5.push(name + note);
                }
                (false, false) => none.push(name),
            }
        }
        let transcendentals: Vec<String> = Op::all()
            .filter(|op| op.info().theory == Theory::Transcendentals)
            .map(|op| format!("`{}`", op.info().name))
            .collect();
        let _ = writeln!(out, "## Operators that not both solvers judge\n");
        let _ = writeln!(out, "Only z3: {}.\n", only_z3.join(", "));
        let _ = writeln!(out, "Only cvc5: {}.\n", only_cvc5.join(", "));
        let _ = writeln!(out, "None: {}.\n", none.join(", "));
        let _ = writeln!(out, "No rational value, so never asked: {}.\n", transcendentals.join(", "));
    }

    fn write_forms(&self, forms: &[Form], out: &mut String) {
        let _ = writeln!(
            out,
            "## Terms by operator at the top\n\n| operator | terms | true | z3 | cvc5 | z3 proves | cvc5 proves | unknown or rejected |\n|---|---|---|---|---|---|---|---|"
        );
        for form in forms {
            let judged = |solver, mode| self.sum(solver, mode, |other| other == *form).judged();
            let lost: u64 = self
                .answers
                .iter()
                .filter(|((other, ..), _)| other == form)
                .map(|(_, answers)| answers.unknown + answers.rejected + answers.failed)
                .sum();
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {} | {} | {} | {} | {lost} |",
                form.name().replace('|', "\\|"),
                self.terms.get(form).copied().unwrap_or(0),
                self.true_terms.get(form).copied().unwrap_or(0),
                judged(Solver::Z3, Mode::Fold),
                judged(Solver::Cvc5, Mode::Fold),
                judged(Solver::Z3, Mode::Prove) + judged(Solver::Z3, Mode::ProveWithin),
                judged(Solver::Cvc5, Mode::Prove) + judged(Solver::Cvc5, Mode::ProveWithin),
            );
        }
        out.push('\n');
    }

    fn write_disagreements(&self, out: &mut String) {
        let _ = writeln!(out, "## Disagreements, each shrunk to its smallest part\n");
        let mut groups: BTreeMap<(Solver, Mode, &str), Vec<&Disagreement>> = BTreeMap::new();
        for found in &self.disagreements {
            groups.entry((found.solver, found.mode, &found.top)).or_default().push(found);
        }
        if groups.is_empty() {
            let _ = writeln!(out, "None.\n");
        }
        for ((solver, mode, top), group) in groups {
            let _ = writeln!(out, "### {} {} `{top}`: {}\n", solver.name(), mode.name(), group.len());
            let mut examples = group;
            examples.sort_by_key(|found| found.question.len());
            for found in examples.iter().take(12) {
                let _ = writeln!(
                    out,
                    "- `{}`\n  - ours: `{}`\n  - theirs: `{}`",
                    found.term, found.our_value, found.their_value
                );
                if found.mode != Mode::Fold {
                    let _ = writeln!(out, "  - asked: `{}`", found.question);
                }
            }
            out.push('\n');
        }
    }
}

/// A reason without the numbers and quoted terms in it, so that equal reasons are counted together.
fn gist(reason: &str) -> String {
    let unquoted: Vec<&str> = reason.split('\'').step_by(2).collect();
    let numberless: Vec<&str> =
        unquoted.iter().flat_map(|part| part.split(|character: char| character.is_ascii_digit())).collect();
    numberless
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("..")
        .chars()
        .take(110)
        .collect()
}

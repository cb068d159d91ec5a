//! The numbers of a study as CSV, one file for each figure, and all bug triggers.

use super::{Results, Study};
use smelt_oracle::finding::Class;
use smelt_oracle::foreign_text::csv_cell;

/// Classes that a study counts: bugs first, then what is nobody's fault.
pub(super) const CLASSES: [Class; 6] = [
    Class::SoundnessRefutation,
    Class::SoundnessSolution,
    Class::InvalidModel,
    Class::Crash,
    Class::Disputed,
    Class::Drift,
];

/// The files: their names and contents. Names and columns never change.
pub fn csv(study: &Study) -> Vec<(&'static str, String)> {
    vec![
        ("bugs.csv", bugs(study)),
        ("answers.csv", answers(study)),
        ("solved.csv", solved(study)),
        ("time.csv", time(study)),
        ("triggers.csv", triggers(study)),
        ("known.csv", known(study)),
    ]
}

/// A table as text.
struct Table(String);

impl Table {
    fn new(columns: &[&str]) -> Self {
        Table(format!("{}\n", columns.join(",")))
    }

    fn row(&mut self, cells: &[String]) {
        let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
        self.0.push_str(&format!("{}\n", cells.join(",")));
    }
}

fn bugs(study: &Study) -> String {
    let mut table = Table::new(&["theory", "solver", "class", "triggers"]);
    for (theory, release, results) in study.rows() {
        for class in CLASSES {
            let count = results.of_class(class).to_string();
            table.row(&[theory.name.clone(), release.name.clone(), class.word().to_owned(), count]);
        }
    }
    table.0
}

fn answers(study: &Study) -> String {
    let mut table = Table::new(&[
        "theory", "solver", "formulas", "runs", "sat", "unsat", "unknown", "timeout", "rejected", "crash",
    ]);
    for (theory, release, results) in study.rows() {
        let Results { runs, sat, unsat, unknown, timeout, rejected, crash, .. } = results;
        let counts = [&theory.formulas, runs, sat, unsat, unknown, timeout, rejected, crash];
        let names = [theory.name.clone(), release.name.clone()];
        let cells: Vec<String> =
            names.into_iter().chain(counts.into_iter().map(|count| count.to_string())).collect();
        table.row(&cells);
    }
    table.0
}

fn solved(study: &Study) -> String {
    let mut table = Table::new(&["theory", "solver", "timeout_secs", "solved"]);
    for (theory, release, results) in study.rows() {
        for (timeout, solved) in study.timeouts.iter().zip(&results.solved) {
            let cells = [theory.name.clone(), release.name.clone(), timeout.to_string(), solved.to_string()];
            table.row(&cells);
        }
    }
    table.0
}

fn time(study: &Study) -> String {
    let mut table = Table::new(&[
        "theory",
        "solver",
        "jointly_solved",
        "joint_cpu_secs",
        "cpu_secs",
        "solved",
        "solved_per_cpu_sec",
    ]);
    for theory in &study.theories {
        for (position, group) in study.groups.iter().enumerate() {
            for (release, results) in group.releases.iter().zip(&theory.results[position]) {
                table.row(&[
                    theory.name.clone(),
                    release.name.clone(),
                    theory.jointly_solved[position].to_string(),
                    format!("{:.6}", results.joint_secs),
                    format!("{:.6}", results.cpu_secs),
                    results.solved_at_last().to_string(),
                    results.throughput().map(|rate| format!("{rate:.3}")).unwrap_or_default(),
                ]);
            }
        }
    }
    table.0
}

fn triggers(study: &Study) -> String {
    let columns = ["class", "theory", "solver", "number", "grammar_index", "size", "note", "formula"];
    let mut table = Table::new(&columns);
    for trigger in &study.triggers {
        table.row(&[
            trigger.class.word().to_owned(),
            trigger.theory.clone(),
            trigger.solver.clone(),
            trigger.number.to_string(),
            trigger.formula.grammar_index.clone(),
            trigger.formula.size.to_string(),
            trigger.note.clone(),
            trigger.formula.script.trim_end().to_owned(),
        ]);
    }
    table.0
}

fn known(study: &Study) -> String {
    let mut table = Table::new(&["theory", "known", "formulas"]);
    for theory in &study.theories {
        for (status, count) in &theory.known {
            table.row(&[theory.name.clone(), status.words().to_owned(), count.to_string()]);
        }
    }
    table.0
}

//! What a comparison counts, and the problems that it finds.

use std::fmt;
use std::fmt::Write as _;
use std::time::Duration;

use smelt_oracle::run::Answer;

use super::Ours;
use super::formula::Formula;

/// Counts of one or more formulas.
#[derive(Debug)]
pub struct Tally {
    /// Scripts with several checks, each of which counts as a formula.
    pub scripts: u64,
    pub formulas: u64,
    sat: u64,
    unsat: u64,
    unknown: u64,
    broken: u64,
    our_time: Duration,
    slowest: Duration,
    others: Vec<Other>,
    pub problems: Vec<Problem>,
}

#[derive(Debug, Default)]
struct Other {
    name: String,
    decided: u64,
    /// Formulas that both of us decide.
    compared: u64,
    undecided: u64,
    rejected: u64,
}

impl Tally {
    pub fn new(others: impl Iterator<Item = String>) -> Self {
        Tally {
            scripts: 0,
            formulas: 0,
            sat: 0,
            unsat: 0,
            unknown: 0,
            broken: 0,
            our_time: Duration::ZERO,
            slowest: Duration::ZERO,
            others: others.map(|name| Other { name, ..Other::default() }).collect(),
            problems: Vec::new(),
        }
    }

    pub fn count_ours(&mut self, ours: &Ours, time: Duration) {
        self.formulas += 1;
        match ours {
            Ours::Sat => self.sat += 1,
            Ours::Unsat => self.unsat += 1,
            Ours::Unknown => self.unknown += 1,
            Ours::Broken(_) => self.broken += 1,
        }
        self.our_time += time;
        self.slowest = self.slowest.max(time);
    }

    pub fn count_theirs(&mut self, position: usize, theirs: Answer, ours: &Ours) {
        let other = &mut self.others[position];
        match theirs {
            Answer::Sat | Answer::Unsat => {
                other.decided += 1;
                other.compared += u64::from(matches!(ours, Ours::Sat | Ours::Unsat));
            }
            Answer::Error | Answer::Rejected => other.rejected += 1,
            _ => other.undecided += 1,
        }
    }

    pub fn add(&mut self, other: Tally) {
        self.scripts += other.scripts;
        self.formulas += other.formulas;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.broken += other.broken;
        self.our_time += other.our_time;
        self.slowest = self.slowest.max(other.slowest);
        for (mine, theirs) in self.others.iter_mut().zip(other.others) {
            mine.decided += theirs.decided;
            mine.compared += theirs.compared;
            mine.undecided += theirs.undecided;
            mine.rejected += theirs.rejected;
        }
        self.problems.extend(other.problems);
    }

    /// Problems that are ours: the others' are no failure of this task.
    pub fn our_problems(&self) -> usize {
        self.problems.iter().filter(|problem| problem.is_ours()).count()
    }

    /// The counts in one line.
    pub fn line(&self) -> String {
        let scripts = if self.scripts > 0 { format!("{} scripts, ", self.scripts) } else { String::new() };
        let mut line = format!(
            "{scripts}{} formulas: {} sat, {} unsat, {} unknown, {} broken",
            self.formulas, self.sat, self.unsat, self.unknown, self.broken
        );
        for other in &self.others {
            let _ = write!(line, "; {} decides {}, compared {}", other.name, other.decided, other.compared);
        }
        let _ = write!(line, "; {} problems, {} ours", self.problems.len(), self.our_problems());
        line
    }

    /// All counts, as a table.
    pub fn report(&self) -> String {
        let mut text =
            String::from("| solver | sat | unsat | undecided | rejected | decided by smelt too |\n");
        text.push_str("|---|---:|---:|---:|---:|---:|\n");
        let _ = writeln!(
            text,
            "| smelt | {} | {} | {} | {} | |",
            self.sat, self.unsat, self.unknown, self.broken
        );
        for other in &self.others {
            let _ = writeln!(
                text,
                "| {} | {} decided | | {} | {} | {} |",
                other.name, other.decided, other.undecided, other.rejected, other.compared
            );
        }
        let scripts =
            if self.scripts > 0 { format!("{} scripts with ", self.scripts) } else { String::new() };
        let _ = writeln!(
            text,
            "\n{scripts}{} formulas; smelt took {:.1} s, at most {:.2} s for one; {} problems, {} of them smelt's",
            self.formulas,
            self.our_time.as_secs_f64(),
            self.slowest.as_secs_f64(),
            self.problems.len(),
            self.our_problems()
        );
        text
    }
}

/// Something that has to be looked at.
#[derive(Debug, Clone)]
pub struct Problem {
    blame: Blame,
    what: String,
    formula: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    Ours,
    Theirs,
    Nobody,
}

impl Problem {
    pub fn slow(formula: &Formula, time: Duration) -> Self {
        Problem::new(Blame::Ours, formula, format!("smelt took {:.1} s", time.as_secs_f64()))
    }

    pub fn broken(formula: &Formula, what: &str) -> Self {
        Problem::new(Blame::Ours, formula, format!("smelt is broken: {what}"))
    }

    pub fn refuted_plant(formula: &Formula) -> Self {
        let plant = formula.plant.join(", ");
        Problem::new(Blame::Ours, formula, format!("smelt says unsat with {plant}"))
    }

    pub fn refuted_model(formula: &Formula, solver: &str, model: &str) -> Self {
        let what = format!("smelt says unsat, the model of {solver} holds:\n{model}");
        Problem::new(Blame::Ours, formula, what)
    }

    pub fn disputed(formula: &Formula, solver: &str, why: &str) -> Self {
        let what = format!("smelt says unsat, {solver} says sat, its model is {why}");
        Problem::new(Blame::Nobody, formula, what)
    }

    pub fn theirs(formula: &Formula, what: &str) -> Self {
        Problem::new(Blame::Theirs, formula, what.to_owned())
    }

    /// The same, found in a script with several checks.
    pub fn in_script(self, script: &str) -> Self {
        Problem { formula: format!("{}; at the end of\n{script}", self.formula), ..self }
    }

    /// Whether it has to be mended here, or may have to.
    pub fn is_ours(&self) -> bool {
        self.blame != Blame::Theirs
    }

    fn new(blame: Blame, formula: &Formula, what: String) -> Self {
        Problem { blame, what, formula: formula.text() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\n{}", self.what, self.formula)
    }
}

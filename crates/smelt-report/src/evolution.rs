//! An evolution study in numbers: bug triggers, solved formulas, time and throughput of each release and theory.
//!
//! [`Study::read`] counts what the record has, whether the study is complete or not. [`figures`] draws, [`tables`] writes
//! CSV, [`page`] puts all of it on one page.

pub mod figures;
pub mod listing;
pub mod page;
pub mod tables;

use std::collections::BTreeMap;

use smelt_oracle::evaluated::Version;
use smelt_oracle::finding::Class;
use smelt_oracle::references::{Known, Status, lineage};
use smelt_oracle::run::{Answer, Limit};
use smelt_store::error::StoreError;
use smelt_store::study::{
    FormulaRecord, Role, RunRow, SolverRecord, StudyConfiguration, StudyStore, known_of,
};

/// A study, counted.
#[derive(Debug, Clone)]
pub struct Study {
    /// What it is about.
    pub configuration: StudyConfiguration,
    /// All time limits in seconds, the smallest first.
    pub timeouts: Vec<f64>,
    /// The releases by lineage, each from old to new.
    pub groups: Vec<Group>,
    /// The theories.
    pub theories: Vec<Theory>,
    /// All runs of releases in which something is wrong, confirmed, the worst first.
    pub triggers: Vec<Trigger>,
}

/// Releases of one lineage.
#[derive(Debug, Clone)]
pub struct Group {
    /// `Z3`, `CVC4/cvc5` or the name of a family.
    pub name: String,
    /// From old to new.
    pub releases: Vec<Release>,
}

/// A release.
#[derive(Debug, Clone)]
pub struct Release {
    /// Its full name.
    pub name: String,
    /// Its name in a plot of its group.
    pub label: String,
    id: u32,
    family: String,
}

/// A theory.
#[derive(Debug, Clone)]
pub struct Theory {
    /// Its name.
    pub name: String,
    /// How many formulas it has.
    pub formulas: u32,
    /// How many formulas are known how well.
    pub known: Vec<(Status, u32)>,
    /// References that are wrong, by name, and on how many formulas.
    pub wrong_references: Vec<(String, u32)>,
    /// By group and release.
    pub results: Vec<Vec<Results>>,
    /// By group: how many formulas all its releases solve.
    pub jointly_solved: Vec<u32>,
}

/// What came of the formulas of a theory with a release.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// How many it was run on.
    pub runs: u32,
    /// Of these, `sat`.
    pub sat: u32,
    /// `unsat`.
    pub unsat: u32,
    /// `unknown`.
    pub unknown: u32,
    /// No answer within the limits.
    pub timeout: u32,
    /// Not taken: an operator that it does not know, a parse error. Never a bug.
    pub rejected: u32,
    /// Crashes, confirmed or not.
    pub crash: u32,
    /// Confirmed, by class.
    pub classes: BTreeMap<Class, u32>,
    /// Decided, and not shown to be wrong, for each time limit.
    pub solved: Vec<u32>,
    /// Given up for each time limit.
    pub unknown_within: Vec<u32>,
    /// Processor time of all runs in seconds.
    pub cpu_secs: f64,
    /// Processor time on the formulas that all releases of the group solve.
    pub joint_secs: f64,
}

/// A run of a release in which something is wrong.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// The theory.
    pub theory: String,
    /// The release.
    pub solver: String,
    /// What is wrong.
    pub class: Class,
    /// The number of the formula in the study.
    pub number: u32,
    /// The formula.
    pub formula: FormulaRecord,
    /// What more there is to say.
    pub note: String,
}

impl Results {
    /// How many are of this class.
    pub fn of_class(&self, class: Class) -> u32 {
        self.classes.get(&class).copied().unwrap_or(0)
    }

    /// Wrong answers.
    pub fn unsound(&self) -> u32 {
        self.of_class(Class::SoundnessRefutation) + self.of_class(Class::SoundnessSolution)
    }

    /// Triggers of bugs for which the release is to blame.
    pub fn bugs(&self) -> u32 {
        self.unsound() + self.of_class(Class::InvalidModel) + self.of_class(Class::Crash)
    }

    /// Solved at the largest time limit.
    pub fn solved_at_last(&self) -> u32 {
        self.solved.last().copied().unwrap_or(0)
    }

    /// Formulas solved per second of processor time, all runs counted.
    pub fn throughput(&self) -> Option<f64> {
        (self.cpu_secs > 0.0).then(|| f64::from(self.solved_at_last()) / self.cpu_secs)
    }

    fn add(&mut self, run: &Effective, timeouts: &[f64]) {
        self.runs += 1;
        self.cpu_secs += run.cpu_secs;
        *match run.answer {
            Answer::Sat => &mut self.sat,
            Answer::Unsat => &mut self.unsat,
            Answer::Unknown => &mut self.unknown,
            Answer::Timeout | Answer::Memout | Answer::Flood => &mut self.timeout,
            Answer::Crash => &mut self.crash,
            Answer::Error | Answer::Rejected => &mut self.rejected,
        } += 1;
        if let Some(class) = run.class {
            *self.classes.entry(class).or_default() += 1;
        }
        for (position, timeout) in timeouts.iter().enumerate() {
            let is_in_time = run.cpu_secs <= *timeout;
            self.solved[position] += u32::from(run.is_solved() && is_in_time);
            self.unknown_within[position] += u32::from(run.answer == Answer::Unknown && is_in_time);
        }
    }
}

/// A run as it counts: if it was looked at again, what a fresh process said.
#[derive(Debug, Clone)]
struct Effective {
    answer: Answer,
    class: Option<Class>,
    cpu_secs: f64,
    note: Option<String>,
}

impl Effective {
    fn is_solved(&self) -> bool {
        self.answer.is_decided() && !self.class.is_some_and(Class::is_soundness)
    }
}

impl Study {
    /// Counts what a record has; none if it has no study.
    pub fn read(store: &StudyStore) -> Result<Option<Study>, StoreError> {
        let Some(configuration) = store.configuration()? else { return Ok(None) };
        let solvers = store.solvers()?;
        let timeouts = configuration.timeouts();
        let groups = groups(&solvers);
        let mut triggers = Vec::new();
        let mut theories = Vec::new();
        for record in store.theories()? {
            let rows = store.runs(record.id)?;
            let family_of = |id: u32| {
                solvers.iter().find(|solver| solver.id == id).map_or("", |solver| solver.family.as_str())
            };
            let known = known_of(record.formulas.len(), &rows, family_of);
            let runs = effective_runs(&rows);
            for ((solver, number), run) in &runs {
                let Some(class) = run.class else { continue };
                let release = groups.iter().flat_map(|group| &group.releases).find(|one| one.id == *solver);
                triggers.extend(release.map(|release| Trigger {
                    theory: record.name.clone(),
                    solver: release.name.clone(),
                    class,
                    number: *number,
                    formula: record.formulas[*number as usize].clone(),
                    note: run.note.clone().unwrap_or_default(),
                }));
            }
            let mut theory = Theory {
                name: record.name.clone(),
                formulas: record.formulas.len() as u32,
                known: count_known(&known),
                wrong_references: wrong_references(&solvers, &rows, &known),
                results: Vec::new(),
                jointly_solved: Vec::new(),
            };
            for group in &groups {
                let (results, joint) = results_of(group, &runs, theory.formulas, &timeouts);
                theory.results.push(results);
                theory.jointly_solved.push(joint);
            }
            theories.push(theory);
        }
        triggers.sort_by_key(|trigger| trigger.class);
        Ok(Some(Study { configuration, timeouts, groups, theories, triggers }))
    }

    /// All triggers of bugs for which releases are to blame.
    pub fn bugs(&self) -> u32 {
        self.theories.iter().flat_map(|theory| theory.results.iter().flatten()).map(Results::bugs).sum()
    }

    /// Theory, release and results, row by row.
    pub fn rows(&self) -> impl Iterator<Item = (&Theory, &Release, &Results)> {
        self.theories.iter().flat_map(move |theory| {
            let releases = self.groups.iter().flat_map(|group| &group.releases);
            releases
                .zip(theory.results.iter().flatten())
                .map(move |(release, results)| (theory, release, results))
        })
    }
}

/// The releases by lineage.
fn groups(solvers: &[SolverRecord]) -> Vec<Group> {
    let mut by_lineage: Vec<(&str, Vec<&SolverRecord>)> = Vec::new();
    for solver in solvers.iter().filter(|solver| solver.is_release) {
        let lineage = lineage(&solver.family);
        match by_lineage.iter_mut().find(|(known, _)| *known == lineage) {
            Some((_, members)) => members.push(solver),
            None => by_lineage.push((lineage, vec![solver])),
        }
    }
    let version = |solver: &SolverRecord| {
        let named = solver.name.split_once('@').and_then(|(_, version)| Version::parse(version));
        named.or_else(|| Version::parse(solver.version.as_deref()?))
    };
    by_lineage
        .into_iter()
        .map(|(lineage, mut members)| {
            members.sort_by_key(|solver| (solver.family.clone(), version(solver), solver.id));
            let is_mixed = members.iter().any(|solver| solver.family != members[0].family);
            let releases = members.into_iter().map(|solver| Release {
                label: label(&solver.name, is_mixed),
                name: solver.name.clone(),
                id: solver.id,
                family: solver.family.clone(),
            });
            let name = match lineage {
                "z3" => "Z3",
                "cvc" => "CVC4/cvc5",
                other => other,
            };
            Group { name: name.to_owned(), releases: releases.collect() }
        })
        .collect()
}

/// `z3@4.8.7.0` in a plot about Z3 is `4.8.7`.
fn label(name: &str, is_mixed: bool) -> String {
    let Some((family, version)) = name.split_once('@') else { return name.to_owned() };
    let is_plain = version.split('.').count() == 4 && version.ends_with(".0");
    let version = if is_plain { version.trim_end_matches(".0") } else { version };
    // 4.12.0.0 is 4.12.0, and not 4.12.
    let version =
        if is_plain && version.split('.').count() == 2 { format!("{version}.0") } else { version.to_owned() };
    if is_mixed { format!("{family} {version}") } else { version }
}

/// Runs of releases by solver and formula.
fn effective_runs(rows: &[RunRow]) -> BTreeMap<(u32, u32), Effective> {
    let mut runs = BTreeMap::new();
    // What the clock ended says nothing about a release.
    let is_told = |row: &&RunRow| row.limit != Some(Limit::Wall);
    for row in rows.iter().filter(|row| row.role == Role::Release).filter(is_told) {
        let run = Effective {
            answer: row.answer,
            class: None,
            cpu_secs: row.cpu.as_secs_f64(),
            note: row.note.clone(),
        };
        runs.insert((row.solver, row.formula), run);
    }
    for row in rows.iter().filter(|row| row.role == Role::Again).filter(is_told) {
        if let Some(run) = runs.get_mut(&(row.solver, row.formula)) {
            run.answer = row.answer;
            run.class = row.class;
            run.note = row.note.clone();
        }
    }
    runs
}

/// The results of each release of a group, and how many formulas all of them solve.
fn results_of(
    group: &Group,
    runs: &BTreeMap<(u32, u32), Effective>,
    formulas: u32,
    timeouts: &[f64],
) -> (Vec<Results>, u32) {
    let empty = Results {
        solved: vec![0; timeouts.len()],
        unknown_within: vec![0; timeouts.len()],
        ..Results::default()
    };
    let last = timeouts.last().copied().unwrap_or(f64::INFINITY);
    let mut results = vec![empty; group.releases.len()];
    let mut joint = 0;
    for formula in 0..formulas {
        let of_all: Vec<Option<&Effective>> =
            group.releases.iter().map(|release| runs.get(&(release.id, formula))).collect();
        for (results, run) in results.iter_mut().zip(&of_all) {
            run.iter().for_each(|run| results.add(run, timeouts));
        }
        let is_joint =
            |run: &Option<&Effective>| run.is_some_and(|run| run.is_solved() && run.cpu_secs <= last);
        if !of_all.is_empty() && of_all.iter().all(is_joint) {
            joint += 1;
            for (results, run) in results.iter_mut().zip(of_all.into_iter().flatten()) {
                results.joint_secs += run.cpu_secs;
            }
        }
    }
    (results, joint)
}

fn count_known(known: &[Known]) -> Vec<(Status, u32)> {
    let count = |status: Status| known.iter().filter(|known| known.status() == status).count() as u32;
    Status::ALL.into_iter().map(|status| (status, count(status))).collect()
}

/// References that say `unsat` of a formula that has a model.
fn wrong_references(solvers: &[SolverRecord], rows: &[RunRow], known: &[Known]) -> Vec<(String, u32)> {
    let mut wrong: BTreeMap<u32, u32> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.role == Role::Reference && row.answer == Answer::Unsat) {
        if known.get(row.formula as usize).is_some_and(Known::has_certificate) {
            *wrong.entry(row.solver).or_default() += 1;
        }
    }
    let name = |id: u32| solvers.iter().find(|solver| solver.id == id).map(|solver| solver.name.clone());
    wrong.into_iter().filter_map(|(id, count)| Some((name(id)?, count))).collect()
}

impl Release {
    /// The family it is of.
    pub fn family(&self) -> &str {
        &self.family
    }
}

#[cfg(test)]
mod tests;

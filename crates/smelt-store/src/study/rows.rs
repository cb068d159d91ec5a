//! The rows of a study: one for each run of a solver on a formula.

use std::collections::BTreeSet;
use std::time::Duration;

use rusqlite::params;
use smelt_oracle::evaluated::ModelWord;
use smelt_oracle::finding::Class;
use smelt_oracle::references::Known;
use smelt_oracle::run::{Answer, Limit};

use super::StudyStore;
use crate::error::StoreError;

/// What a run was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// To know what the answer should be.
    Reference,
    /// To measure a release.
    Release,
    /// To look again, in a fresh process, at what seemed wrong.
    Again,
}

impl Role {
    const ALL: [Role; 3] = [Role::Reference, Role::Release, Role::Again];

    fn word(self) -> &'static str {
        match self {
            Role::Reference => "reference",
            Role::Release => "release",
            Role::Again => "again",
        }
    }
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// The number of the theory.
    pub theory: u32,
    /// What it was for.
    pub role: Role,
    /// The number of the solver.
    pub solver: u32,
    /// The number of the formula.
    pub formula: u32,
    /// What the solver said; `rejected` also if it is known not to take the formula and was not asked.
    pub answer: Answer,
    /// The limit that ended it without an answer, if one did.
    pub limit: Option<Limit>,
    /// What our evaluator said of its model, if it printed one.
    pub model: Option<ModelWord>,
    /// Processor time.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// The model, where it is the evidence that the formula is satisfiable.
    pub output: Option<String>,
    /// What is wrong, if a fresh process showed it again.
    pub class: Option<Class>,
    /// What more there is to say: the crash, or the operators that have an older definition.
    pub note: Option<String>,
}

/// What references and models tell of each formula of a theory; `family_of` tells the family of a solver by its number.
pub fn known_of<'f>(formulas: usize, rows: &[RunRow], family_of: impl Fn(u32) -> &'f str) -> Vec<Known> {
    let mut known = vec![Known::default(); formulas];
    for row in rows {
        let Some(known) = known.get_mut(row.formula as usize) else { continue };
        match row.role {
            Role::Reference => known.add_reference(family_of(row.solver), row.answer, row.model),
            Role::Release | Role::Again => known.add_model(row.answer, row.model),
        }
    }
    known
}

impl StudyStore {
    /// Records runs, all of them or none.
    pub fn record(&mut self, rows: &[RunRow]) -> Result<(), StoreError> {
        let mut write = || {
            let transaction = self.connection.transaction()?;
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?;
            for row in rows {
                insert.execute(params![
                    row.theory,
                    row.role.word(),
                    row.solver,
                    row.formula,
                    row.answer.word(),
                    row.model.map(ModelWord::word),
                    row.cpu.as_micros() as i64,
                    row.wall.as_micros() as i64,
                    row.output,
                    row.class.map(Class::word),
                    row.note,
                    row.limit.map(Limit::word),
                ])?;
            }
            drop(insert);
            transaction.commit()
        };
        write().map_err(|error| self.failed(error))
    }

    /// The numbers of the formulas of a theory that a solver was run on.
    pub fn done(&self, theory: u32, role: Role, solver: u32) -> Result<BTreeSet<u32>, StoreError> {
        let read = || -> rusqlite::Result<BTreeSet<u32>> {
            let mut statement = self
                .connection
                .prepare_cached("SELECT formula FROM runs WHERE theory = ?1 AND role = ?2 AND solver = ?3")?;
            statement.query_map(params![theory, role.word(), solver], |row| row.get(0))?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// The runs of a theory, by role, solver and formula.
    pub fn runs(&self, theory: u32) -> Result<Vec<RunRow>, StoreError> {
        let mut found = Vec::new();
        let mut read = || -> rusqlite::Result<Option<String>> {
            let mut statement = self.connection.prepare_cached(
                "SELECT role, solver, formula, answer, model, cpu_us, wall_us, output, class, note, ended_by
                FROM runs WHERE theory = ?1 ORDER BY role, solver, formula",
            )?;
            let mut rows = statement.query([theory])?;
            while let Some(row) = rows.next()? {
                let (role, answer): (String, String) = (row.get(0)?, row.get(3)?);
                let (model, class): (Option<String>, Option<String>) = (row.get(4)?, row.get(8)?);
                let (Some(role), Some(answer)) = (
                    Role::ALL.into_iter().find(|known| known.word() == role),
                    Answer::ALL.into_iter().find(|known| known.word() == answer),
                ) else {
                    return Ok(Some(format!("a run has role `{role}` and answer `{answer}`")));
                };
                let model_of = |word: String| ModelWord::ALL.into_iter().find(|known| known.word() == word);
                let limit: Option<String> = row.get(10)?;
                let limit_of = |word: String| Limit::ALL.into_iter().find(|known| known.word() == word);
                let class_of = |word: String| Class::ALL.into_iter().find(|known| known.word() == word);
                found.push(RunRow {
                    theory,
                    role,
                    solver: row.get(1)?,
                    formula: row.get(2)?,
                    answer,
                    limit: limit.and_then(limit_of),
                    model: model.and_then(model_of),
                    cpu: Duration::from_micros(row.get(5)?),
                    wall: Duration::from_micros(row.get(6)?),
                    output: row.get(7)?,
                    class: class.and_then(class_of),
                    note: row.get(9)?,
                });
            }
            Ok(None)
        };
        match read() {
            Ok(None) => Ok(found),
            Ok(Some(message)) => Err(self.damaged(message)),
            Err(error) => Err(self.failed(error)),
        }
    }
}

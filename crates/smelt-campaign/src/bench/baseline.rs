//! Results of other solvers that were measured before.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use smelt_oracle::run::Answer;

use super::{BenchRun, FileResults};

/// For each suite and file the answer that is expected and what solvers said.
#[derive(Debug, Default)]
pub struct MeasuredTable {
    rows: BTreeMap<(String, String), Row>,
}

#[derive(Debug, Default)]
struct Row {
    expected: Option<Answer>,
    results: Vec<BenchRun>,
}

impl MeasuredTable {
    /// Whether the table lists a file.
    pub fn lists(&self, suite: &str, file: &str) -> bool {
        self.rows.contains_key(&(suite.to_owned(), file.to_owned()))
    }

    /// Adds what is known of a file to what was measured; answers beyond the time limit count as timeouts.
    pub fn add_to(&self, file: &mut FileResults, timeout: f64) {
        let Some(row) = self.rows.get(&(file.suite.clone(), file.file.clone())) else { return };
        file.expected = row.expected.or(file.expected);
        for result in &row.results {
            // What was measured now counts more.
            if file.results.iter().any(|measured| measured.solver == result.solver) {
                continue;
            }
            let mut result = result.clone();
            if result.cpu_ms > timeout * 1e3 && result.answer.is_decided() {
                result.answer = Answer::Timeout;
            }
            file.results.push(result);
        }
    }
}

/// Why a table of results cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MeasuredTableError {
    /// The file cannot be read.
    #[error("cannot read baseline `{path}`: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// It does not say which files the results are of.
    #[error("cannot read baseline `{path}`: there must be columns `suite` and `file`")]
    NoFiles {
        /// The file.
        path: String,
    },
}

/// Reads a table: every pair of columns NAME and NAME_ms is a solver.
pub fn read(path: &Path) -> Result<MeasuredTable, MeasuredTableError> {
    let shown = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&text).ok_or(MeasuredTableError::NoFiles { path: shown }),
        Err(error) => Err(MeasuredTableError::Unreadable { path: shown, error }),
    }
}

/// The results in a table; none if it has no columns `suite` and `file`.
fn parse(text: &str) -> Option<MeasuredTable> {
    let mut lines = text.lines();
    let header: Vec<String> = fields(lines.next().unwrap_or_default());
    let column = |name: &str| header.iter().position(|column| column == name);
    let (Some(suite), Some(file)) = (column("suite"), column("file")) else {
        return None;
    };
    let expected = column("expected");
    let solvers: Vec<(String, usize, usize)> = header
        .iter()
        .enumerate()
        .filter_map(|(position, name)| Some((name.clone(), position, column(&format!("{name}_ms"))?)))
        .collect();
    let mut baseline = MeasuredTable::default();
    for line in lines {
        let fields = fields(line);
        let get = |position: usize| fields.get(position).map_or("", String::as_str);
        let mut row = Row {
            expected: expected
                .and_then(|position| answer(get(position)))
                .filter(|answer| answer.is_decided()),
            ..Row::default()
        };
        for (name, answer_column, time_column) in &solvers {
            let (Some(mut answer), Ok(cpu_ms)) =
                (answer(get(*answer_column)), get(*time_column).parse::<f64>())
            else {
                continue;
            };
            // Counts do not say which check came last.
            if get(*answer_column).contains(':') {
                answer = row.expected.unwrap_or(answer);
            }
            row.results.push(BenchRun {
                solver: name.clone(),
                answer,
                cpu_ms,
                limit: None,
                wall_ms: cpu_ms,
                all_cpu_ms: vec![cpu_ms],
                model_ok: None,
                is_contradicted: false,
            });
        }
        baseline.rows.insert((get(suite).to_owned(), get(file).to_owned()), row);
    }
    Some(baseline)
}

/// One answer, the last of several (`sat+unsat`), or that several checks were all decided (`sat:5/unsat:8`).
fn answer(word: &str) -> Option<Answer> {
    let word = word.rsplit('+').next().unwrap_or(word);
    Some(match word.split(':').next().unwrap_or(word) {
        "sat" => Answer::Sat,
        "unsat" => Answer::Unsat,
        "unknown" => Answer::Unknown,
        "timeout" => Answer::Timeout,
        "memout" => Answer::Memout,
        "crash" => Answer::Crash,
        "rejected" => Answer::Rejected,
        "" => return None,
        _ => Answer::Error,
    })
}

/// The fields of a line; quotes keep commas together.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for character in line.trim_end_matches('\r').chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => {
                if let Some(field) = fields.last_mut() {
                    field.push(character);
                }
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_columns_are_solvers() {
        let text = "suite,file,expected,z3,z3_ms,mine,mine_ms,flag\ns,a.smt2,sat,sat,61,,,\ns,\"b,c\",,timeout,5000,unsat,7000,x\n";
        let baseline = parse(text).unwrap();
        let mut file = FileResults {
            suite: "s".to_owned(),
            file: "b,c".to_owned(),
            expected: Some(Answer::Unsat),
            results: Vec::new(),
        };
        baseline.add_to(&mut file, 5.0);
        let found: Vec<(&str, Answer)> =
            file.results.iter().map(|result| (result.solver.as_str(), result.answer)).collect();
        assert_eq!(found, [("z3", Answer::Timeout), ("mine", Answer::Timeout)]);
        assert_eq!(file.expected, Some(Answer::Unsat));
    }

    #[test]
    fn a_table_without_files_is_refused() {
        assert!(parse("suite,z3,z3_ms\n").is_none());
    }
}

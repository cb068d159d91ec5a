//! Results counted per suite and solver, and written as a table.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use smelt_oracle::evaluated::{EvaluatedRun, ModelCheck, ModelWord};
use smelt_oracle::finding::Class;
use smelt_oracle::references::{Known, Status};
use smelt_oracle::run::{Answer, Run};
use smelt_trial::judge::Referee;

use super::{BenchRun, FileResults, by_suite, claim};

/// The name of the row for all suites; no suite is called so, since the name of a folder has no blank in front.
const TOTAL: &str = "= all suites";

/// What solvers did on all suites.
pub struct Comparison {
    solvers: Vec<String>,
    /// One row per suite, then one for all.
    rows: Vec<Row>,
    wrong: Vec<String>,
    /// How runs failed, a line per solver with failures.
    failed: Vec<String>,
}

struct Row {
    suite: String,
    files: usize,
    /// For each solver, then for the virtual best.
    tallies: Vec<Tally>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Tally {
    /// Files that were tried.
    tried: usize,
    sat: usize,
    unsat: usize,
    wrong: usize,
    unknown: usize,
    timeouts: usize,
    /// Crashes, rejections and other failures.
    failures: usize,
    /// Seconds, where each unsolved file counts twice the limit.
    penalised_secs: f64,
}

impl Tally {
    fn solved(&self) -> usize {
        self.sat + self.unsat
    }

    fn par2(&self) -> f64 {
        if self.tried == 0 { 0.0 } else { self.penalised_secs / self.tried as f64 }
    }

    fn add(&mut self, answer: Answer, cpu_ms: f64, is_wrong: bool, timeout: f64) {
        self.tried += 1;
        if answer.is_decided() && !is_wrong {
            self.penalised_secs += cpu_ms / 1e3;
        } else {
            self.penalised_secs += 2.0 * timeout;
        }
        match answer {
            _ if is_wrong => self.wrong += 1,
            Answer::Sat => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown => self.unknown += 1,
            Answer::Timeout | Answer::Memout => self.timeouts += 1,
            answer => self.failures += usize::from(is_failure(answer)),
        }
    }
}

impl Comparison {
    /// Counts results, with a penalty of twice the time limit for what is not solved.
    pub fn of(all: &[FileResults], timeout: f64) -> Self {
        let mut solvers: Vec<String> = Vec::new();
        for result in all.iter().flat_map(|file| &file.results) {
            if !solvers.contains(&result.solver) {
                solvers.push(result.solver.clone());
            }
        }
        let mut rows = Vec::new();
        for (suite, files) in by_suite(all) {
            rows.push(row(suite, &files, &solvers, timeout));
        }
        let files: Vec<&FileResults> = all.iter().collect();
        rows.push(row(TOTAL, &files, &solvers, timeout));
        let wrong = all.iter().flat_map(complaints).collect();
        let failed = solvers.iter().filter_map(|solver| failures(solver, all)).collect();
        Comparison { solvers, rows, wrong, failed }
    }

    /// Whether some solver gave a wrong answer or model, or two contradict each other.
    pub fn has_wrong(&self) -> bool {
        !self.wrong.is_empty()
    }

    /// The table as text: for each solver solved / wrong / unknown / timeouts / failures and PAR-2.
    pub fn render(&self) -> String {
        let mut text = format!("{:<20} {:>6}", "suite", "files");
        for solver in &self.solvers {
            text.push_str(&format!(" | {solver:<36}"));
        }
        text.push_str(" | virtual best\n");
        text.push_str(&format!("{:<20} {:>6}", "", ""));
        for _ in &self.solvers {
            text.push_str(" | solved wrong unkn. time fail.    PAR-2");
        }
        text.push_str(" | solved    PAR-2\n");
        for row in &self.rows {
            text.push_str(&format!("{:<20} {:>6}", row.suite, row.files));
            let (best, tallies) = row.tallies.split_last().expect("the virtual best has a tally");
            for tally in tallies {
                text.push_str(&format!(
                    " | {:>6} {:>5} {:>5} {:>4} {:>5} {:>8.3}",
                    tally.solved(),
                    tally.wrong,
                    tally.unknown,
                    tally.timeouts,
                    tally.failures,
                    tally.par2()
                ));
            }
            text.push_str(&format!(" | {:>6} {:>8.3}\n", best.solved(), best.par2()));
        }
        if !self.failed.is_empty() {
            text.push_str("\nfailed runs:\n");
            for line in &self.failed {
                text.push_str(&format!("  {line}\n"));
            }
        }
        if !self.wrong.is_empty() {
            text.push_str("\nwrong or contradictory:\n");
            for line in &self.wrong {
                text.push_str(&format!("  {line}\n"));
            }
        }
        text
    }
}

/// How the runs of a solver failed, most often first; none if none did.
fn failures(solver: &str, all: &[FileResults]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let results = all.iter().flat_map(|file| &file.results).filter(|result| result.solver == solver);
    for result in results.filter(|result| is_failure(result.answer)) {
        *counts.entry(result.answer.word()).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let words: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    (!words.is_empty()).then(|| format!("{solver}: {}", words.join(", ")))
}

/// Whether a solver neither decided, nor gave up, nor reached a limit of time or memory.
fn is_failure(answer: Answer) -> bool {
    let is_limited = matches!(answer, Answer::Unknown | Answer::Timeout | Answer::Memout);
    !answer.is_decided() && !is_limited
}

fn row(suite: &str, files: &[&FileResults], solvers: &[String], timeout: f64) -> Row {
    let mut tallies = vec![Tally::default(); solvers.len() + 1];
    let mut judged = Judged::default();
    for file in files {
        let known = known(file);
        let mut best: Option<&BenchRun> = None;
        for result in &file.results {
            let Some(position) = solvers.iter().position(|solver| *solver == result.solver) else { continue };
            if result.is_cut_by_the_clock() {
                continue;
            }
            let is_wrong = judged.is_wrong(result, &known);
            tallies[position].add(result.answer, result.cpu_ms, is_wrong, timeout);
            if result.answer.is_decided() && !is_wrong && best.is_none_or(|best| result.cpu_ms < best.cpu_ms)
            {
                best = Some(result);
            }
        }
        let (answer, cpu_ms) = best.map_or((Answer::Unknown, 0.0), |best| (best.answer, best.cpu_ms));
        tallies[solvers.len()].add(answer, cpu_ms, false, timeout);
    }
    Row { suite: suite.to_owned(), files: files.len(), tallies }
}

/// What is known of a file: what it says of itself, and models that were evaluated.
fn known(file: &FileResults) -> Known {
    let mut known = claim(file.expected);
    if file.results.iter().any(|result| result.model_ok == Some(true)) {
        known.add_model(Answer::Sat, Some(ModelWord::Accepted));
    }
    known
}

/// Has judges look at results. An answer that contradicts what the file says of itself counts as wrong; a crash is a
/// failure and not a wrong answer.
#[derive(Default)]
struct Judged(Referee);

impl Judged {
    fn is_wrong(&mut self, result: &BenchRun, known: &Known) -> bool {
        let (answer, model) = match result.model_ok {
            Some(true) => (result.answer, ModelCheck::Accepted),
            // It may have been printed by another run than the one that counts.
            Some(false) => (Answer::Sat, ModelCheck::Refuted(Vec::new())),
            None => (result.answer, ModelCheck::Missing),
        };
        let run = Run::saying(&result.solver, answer);
        let run = EvaluatedRun { model, ..EvaluatedRun::without_model(&result.solver, run) };
        let verdict = self.0.verdict(&run, known.opinions());
        result.is_contradicted || verdict.is_some_and(|verdict| verdict.class != Class::Crash)
    }
}

fn complaints(file: &FileResults) -> Vec<String> {
    let known = known(file);
    let mut judged = Judged::default();
    let mut found = Vec::new();
    for result in &file.results {
        if result.model_ok == Some(false) {
            found.push(format!("{}/{}: the model of {} is wrong", file.suite, file.file, result.solver));
        } else if judged.is_wrong(result, &known) {
            let answer = result.answer.word();
            found.push(format!("{}/{}: {} says {answer}", file.suite, file.file, result.solver));
        }
    }
    let says = |answer: Answer| file.results.iter().find(|result| result.answer == answer);
    if known.status() == Status::Open
        && let (Some(sat), Some(unsat)) = (says(Answer::Sat), says(Answer::Unsat))
    {
        found.push(format!(
            "{}/{}: {} says sat and {} says unsat",
            file.suite, file.file, sat.solver, unsat.solver
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(solver: &str, answer: Answer, cpu_ms: f64, model_ok: Option<bool>) -> BenchRun {
        BenchRun {
            solver: solver.to_owned(),
            answer,
            cpu_ms,
            limit: None,
            wall_ms: cpu_ms,
            all_cpu_ms: vec![cpu_ms],
            model_ok,
            is_contradicted: false,
        }
    }

    fn file(expected: Option<Answer>, results: Vec<BenchRun>) -> FileResults {
        FileResults { suite: "s".to_owned(), file: "f".to_owned(), expected, results }
    }

    #[test]
    fn unsolved_files_cost_twice_the_limit() {
        let results =
            vec![result("a", Answer::Sat, 1000.0, None), result("b", Answer::Timeout, 5000.0, None)];
        let comparison = Comparison::of(&[file(None, results)], 5.0);
        let tallies = &comparison.rows[0].tallies;
        assert_eq!((tallies[0].solved(), tallies[0].par2()), (1, 1.0));
        assert_eq!((tallies[1].solved(), tallies[1].par2(), tallies[1].timeouts), (0, 10.0, 1));
        assert_eq!((tallies[2].solved(), tallies[2].par2()), (1, 1.0));
        assert!(!comparison.has_wrong());
    }

    #[test]
    fn a_suite_called_all_is_not_the_sum_of_all_suites() {
        let mut one = file(None, vec![result("a", Answer::Sat, 1.0, None)]);
        one.suite = "all".to_owned();
        let text = Comparison::of(&[one], 5.0).render();
        let named: Vec<&str> = text.lines().filter(|line| line.starts_with("all ")).collect();
        assert_eq!(named.len(), 1, "{text}");
        assert!(text.lines().last().unwrap().starts_with("= all suites"), "{text}");
    }

    #[test]
    fn a_model_that_holds_outweighs_what_the_file_says() {
        let results = vec![result("a", Answer::Sat, 1.0, Some(true)), result("b", Answer::Unsat, 1.0, None)];
        let comparison = Comparison::of(&[file(Some(Answer::Unsat), results)], 5.0);
        assert_eq!(comparison.rows[0].tallies[0].wrong, 0);
        assert_eq!(comparison.rows[0].tallies[1].wrong, 1);
        assert_eq!(comparison.wrong, ["s/f: b says unsat"]);
    }

    #[test]
    fn a_model_that_does_not_hold_is_wrong() {
        let comparison = Comparison::of(&[file(None, vec![result("a", Answer::Sat, 1.0, Some(false))])], 5.0);
        assert_eq!(comparison.wrong, ["s/f: the model of a is wrong"]);
    }

    #[test]
    fn a_contradiction_without_evidence_names_both() {
        let results = vec![result("a", Answer::Sat, 1.0, None), result("b", Answer::Unsat, 1.0, None)];
        let comparison = Comparison::of(&[file(None, results)], 5.0);
        assert_eq!(comparison.wrong, ["s/f: a says sat and b says unsat"]);
    }
}

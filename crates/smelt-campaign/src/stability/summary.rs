//! What was measured of stability: one sentence, a table of solvers, the queries to look at, CSV and lines of JSON.

use std::fmt::Write;

use serde::Serialize;
use smelt_oracle::foreign_text::csv_cell;

use super::classify::Stability;
use super::explain::MutationShare;
use super::{ExplainedQuery, MutantRun, SolverStability, StabilityRecord};

/// How many queries of a list are shown if not all are asked for.
const SHOWN: usize = 10;
/// The normal quantile of an interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A query and solver as JSON. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct StabilityLine<'r> {
    file: &'r str,
    hash: &'r str,
    solver: &'r str,
    class: Option<Stability>,
    solved: usize,
    runs: usize,
    /// The share of solved mutants, with an interval of 95 %.
    rate: f64,
    rate_low: f64,
    rate_high: f64,
    median_cpu_ms: f64,
    /// The two numbers of mutants whose answers contradict each other.
    contradiction: Option<[usize; 2]>,
    all: &'r [MutantRun],
}

/// What was measured of all queries.
#[derive(Debug)]
pub struct StabilitySummary<'r> {
    records: &'r [StabilityRecord],
}

impl<'r> StabilitySummary<'r> {
    /// Of these queries.
    pub fn of(records: &'r [StabilityRecord]) -> Self {
        StabilitySummary { records }
    }

    fn solvers(&self) -> impl Iterator<Item = (usize, &'r str)> {
        let first = self.records.first().map_or(&[][..], |record| &record.solvers);
        first.iter().enumerate().map(|(place, result)| (place, result.solver.as_str()))
    }

    fn with(&self, place: usize, class: Stability) -> impl Iterator<Item = &'r StabilityRecord> {
        let is_of = move |record: &&StabilityRecord| {
            record.solvers.get(place).and_then(|result| result.class) == Some(class)
        };
        self.records.iter().filter(is_of)
    }

    /// Whether a solver is unstable on a query, or contradicts itself.
    pub fn is_unstable(&self) -> bool {
        let mut results = self.records.iter().flat_map(|record| &record.solvers);
        results.any(|result| result.class == Some(Stability::Unstable) || result.contradiction().is_some())
    }

    /// The result as text; `all` for whole lists.
    pub fn render(&self, all: bool) -> String {
        let mut text = String::new();
        let runs: usize =
            self.records.iter().flat_map(|record| &record.solvers).map(|one| one.runs.len()).sum();
        for (place, solver) in self.solvers() {
            let counts: Vec<String> = Stability::ALL
                .into_iter()
                .map(|class| (self.with(place, class).count(), class))
                .filter(|(count, _)| *count > 0)
                .map(|(count, class)| format!("{count} {}", class.word()))
                .collect();
            let counts = if counts.is_empty() { "no class is known".to_owned() } else { counts.join(", ") };
            let queries = self.records.len();
            let noun = if queries == 1 { "query" } else { "queries" };
            let _ = writeln!(text, "{solver}: of {queries} {noun} {counts}");
        }
        let _ = writeln!(text, "{runs} runs");
        self.write_contradictions(&mut text);
        for (place, solver) in self.solvers() {
            for class in [Stability::Unstable, Stability::Inconclusive] {
                let queries: Vec<&StabilityRecord> = self.with(place, class).collect();
                write_list(&mut text, &format!("{} on {solver}", class.word()), &queries, all, |record| {
                    result_line(&record.solvers[place])
                });
            }
        }
        for (place, solver) in self.solvers().skip(1) {
            let before = place - 1;
            let changed: Vec<&StabilityRecord> = self
                .records
                .iter()
                .filter(|record| record.solvers[before].class != record.solvers[place].class)
                .collect();
            let name = &self.records[0].solvers[before].solver;
            write_list(&mut text, &format!("changed from {name} to {solver}"), &changed, all, |record| {
                let word = |place: usize| record.solvers[place].class.map_or("unknown", Stability::word);
                format!("{} -> {}", word(before), word(place))
            });
        }
        text
    }

    fn write_contradictions(&self, text: &mut String) {
        for record in self.records {
            for result in &record.solvers {
                if let Some((one, two)) = result.contradiction() {
                    let _ = writeln!(
                        text,
                        "\n{} contradicts itself on {}: {} on {}, {} on {}",
                        result.solver,
                        record.file,
                        one.answer.word(),
                        mutant_name(one),
                        two.answer.word(),
                        mutant_name(two)
                    );
                }
            }
        }
    }

    /// The queries as JSON, one line for each solver.
    pub fn lines(&self) -> impl Iterator<Item = StabilityLine<'r>> {
        self.records.iter().flat_map(|record| {
            record.solvers.iter().map(|result| {
                let interval = interval(result.solved(), result.runs.len());
                StabilityLine {
                    file: &record.file,
                    hash: &record.hash,
                    solver: &result.solver,
                    class: result.class,
                    solved: result.solved(),
                    runs: result.runs.len(),
                    rate: rate(result),
                    rate_low: interval.0,
                    rate_high: interval.1,
                    median_cpu_ms: median_ms(result),
                    contradiction: result.contradiction().map(|(one, two)| [one.number, two.number]),
                    all: &result.runs,
                }
            })
        })
    }

    /// One line for each query and solver. The names of the columns never change.
    pub fn csv(&self) -> String {
        let mut text =
            "file,solver,class,solved,runs,rate,rate_low,rate_high,median_cpu_ms,shuffle,rename,reseed\n"
                .to_owned();
        for line in self.lines() {
            let record = self.records.iter().find(|record| record.file == line.file);
            let result =
                record.and_then(|record| record.solvers.iter().find(|one| one.solver == line.solver));
            let shares = result.map(MutationShare::all).unwrap_or_default();
            let share = |word: &str| {
                let share = shares.iter().find(|share| share.mutation.word() == word);
                share.map_or(String::new(), |share| format!("{}/{}", share.solved, share.asked))
            };
            let _ = writeln!(
                text,
                "{},{},{},{},{},{:.3},{:.3},{:.3},{:.1},{},{},{}",
                csv_cell(line.file),
                csv_cell(line.solver),
                line.class.map_or("", Stability::word),
                line.solved,
                line.runs,
                line.rate,
                line.rate_low,
                line.rate_high,
                line.median_cpu_ms,
                share("shuffle"),
                share("rename"),
                share("reseed"),
            );
        }
        text
    }
}

/// What was found out about an unstable query, as text.
pub fn render_explanation(explained: &ExplainedQuery) -> String {
    let ExplainedQuery { file, solver, explanation } = explained;
    let mut text = format!("\n{file} on {solver}:\n");
    for share in &explanation.shares {
        let _ = writeln!(text, "  {}: {} of {} solved", share.mutation.word(), share.solved, share.asked);
    }
    let (before, after) = explanation.assertions;
    let _ = writeln!(text, "  still splits with {after} of {before} assertions");
    for assertion in &explanation.needed {
        let _ = writeln!(text, "  stable without: {}", shortened(assertion));
    }
    for quantifier in &explanation.quantifiers {
        let _ = writeln!(
            text,
            "  quantifier {}: {} instances where it is solved, {} where it is not",
            quantifier.name, quantifier.solved, quantifier.unsolved
        );
    }
    let end = if explanation.is_cut { ", which was all that was allowed (--explain-runs)" } else { "" };
    let _ = writeln!(text, "  {} runs{end}", explanation.runs);
    text
}

/// The most of an assertion that is shown.
const MAX_SHOWN: usize = 160;

fn shortened(assertion: &str) -> String {
    let words = assertion.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{} ..", &words[..end]),
        None => words,
    }
}

fn write_list(
    text: &mut String,
    heading: &str,
    records: &[&StabilityRecord],
    all: bool,
    line: impl Fn(&StabilityRecord) -> String,
) {
    if records.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{heading} ({}):", records.len());
    let shown = if all { records.len() } else { SHOWN };
    for record in records.iter().take(shown) {
        let _ = writeln!(text, "  {}\n    {}", record.file, line(record));
    }
    if records.len() > shown {
        let _ = writeln!(text, "  .. and {} more (--all)", records.len() - shown);
    }
}

/// How a solver did on a query: `solves 12 of 20 (39 to 78 %), median 0.41 s; shuffle 3/7, ..`.
fn result_line(result: &SolverStability) -> String {
    let (low, high) = interval(result.solved(), result.runs.len());
    let shares: Vec<String> = MutationShare::all(result)
        .iter()
        .map(|share| format!("{} {}/{}", share.mutation.word(), share.solved, share.asked))
        .collect();
    format!(
        "solves {} of {} ({:.0} to {:.0} %), median {:.2} s; {}",
        result.solved(),
        result.runs.len(),
        low * 100.0,
        high * 100.0,
        median_ms(result) / 1e3,
        shares.join(", ")
    )
}

fn mutant_name(run: &MutantRun) -> String {
    match &run.mutation {
        None => "the query itself".to_owned(),
        Some(mutation) => format!("mutant {} ({mutation})", run.number),
    }
}

fn rate(result: &SolverStability) -> f64 {
    result.solved() as f64 / result.runs.len().max(1) as f64
}

/// Wilson's interval of 95 % for a share.
fn interval(solved: usize, runs: usize) -> (f64, f64) {
    if runs == 0 {
        return (0.0, 1.0);
    }
    let (count, share) = (runs as f64, solved as f64 / runs as f64);
    let z2 = Z * Z / count;
    let middle = (share + z2 / 2.0) / (1.0 + z2);
    let half = Z * (share * (1.0 - share) / count + z2 / (4.0 * count)).sqrt() / (1.0 + z2);
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

fn median_ms(result: &SolverStability) -> f64 {
    let mut times: Vec<f64> = result.runs.iter().map(|run| run.cpu_ms).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use smelt_oracle::run::Answer;

    use super::*;

    fn result(solver: &str, class: Stability, answers: &[Answer]) -> SolverStability {
        let run = |(number, answer): (usize, &Answer)| MutantRun {
            mutation: (number > 0).then(|| ["shuffle", "rename"][number % 2].to_owned()),
            number,
            answer: *answer,
            answers: vec![*answer],
            limit: None,
            cpu_ms: 100.0 * number as f64,
        };
        SolverStability {
            solver: solver.to_owned(),
            class: Some(class),
            runs: answers.iter().enumerate().map(run).collect(),
        }
    }

    fn record(file: &str, solvers: Vec<SolverStability>) -> StabilityRecord {
        StabilityRecord { file: file.to_owned(), hash: "h".to_owned(), mutations: Vec::new(), solvers }
    }

    const SPLIT: [Answer; 4] = [Answer::Unsat, Answer::Timeout, Answer::Unsat, Answer::Timeout];

    #[test]
    fn the_counts_come_first_and_what_changed_between_solvers_is_listed() {
        let records = [
            record(
                "a",
                vec![
                    result("old", Stability::Stable, &[Answer::Sat; 3]),
                    result("new", Stability::Unstable, &SPLIT),
                ],
            ),
            record(
                "b",
                vec![
                    result("old", Stability::Stable, &[Answer::Sat; 3]),
                    result("new", Stability::Stable, &[Answer::Sat; 3]),
                ],
            ),
        ];
        let summary = StabilitySummary::of(&records);
        assert!(summary.is_unstable());
        let text = summary.render(false);
        assert!(
            text.starts_with("old: of 2 queries 2 stable\nnew: of 2 queries 1 unstable, 1 stable\n13 runs\n"),
            "{text}"
        );
        assert!(text.contains("unstable on new (1):\n  a\n    solves 2 of 4 (15 to 85 %), median 0.20 s; shuffle 1/1, rename 0/2\n"), "{text}");
        assert!(text.contains("changed from old to new (1):\n  a\n    stable -> unstable\n"), "{text}");
        assert!(!StabilitySummary::of(&records[1..]).is_unstable());
        assert!(
            summary.csv().contains("a,new,unstable,2,4,0.500,0.150,0.850,200.0,1/1,0/2,\n"),
            "{}",
            summary.csv()
        );
    }

    #[test]
    fn answers_that_contradict_each_other_are_reported_first() {
        let records =
            [record("a", vec![result("z3", Stability::Stable, &[Answer::Sat, Answer::Sat, Answer::Unsat])])];
        let summary = StabilitySummary::of(&records);
        assert!(summary.is_unstable());
        let text = summary.render(false);
        assert!(
            text.contains(
                "z3 contradicts itself on a: sat on the query itself, unsat on mutant 2 (shuffle)\n"
            ),
            "{text}"
        );
    }
}

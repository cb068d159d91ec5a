//! A comparison as text, CSV and JUnit, and what makes it fail.

use std::fmt::Write as _;
use std::str::FromStr;

use serde::Serialize;
use smelt_oracle::foreign_text::{csv_cell, html};
use smelt_oracle::run::Limit;

use super::change::{self, Blame, QueryChange, blame, changes, ratio};
use super::{QueryRecord, QueryRun, Side, Sides};

/// Queries of a list that are shown.
const SHOWN: usize = 10;

/// What makes a comparison fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FailOn {
    /// The new solver is shown to be wrong.
    Wrong,
    /// Answers contradict each other, whichever is wrong.
    Changed,
    /// A query is not solved any more.
    Lost,
    /// A query makes the new solver fail.
    Failing,
    /// A query takes this many times as long.
    Slower(f64),
}

/// Why a word is not a condition.
#[derive(Debug, thiserror::Error)]
pub enum UnknownCondition {
    /// Not a word for one.
    #[error("expected one of: wrong, changed, lost, failing, slower, slower=FACTOR")]
    Word,
    /// A factor that is none.
    #[error("`{0}` is not a factor above 1, such as in `slower=2x`")]
    Factor(String),
}

impl FromStr for FailOn {
    type Err = UnknownCondition;

    fn from_str(word: &str) -> Result<Self, UnknownCondition> {
        let factor = |text: &str| {
            let number = text.trim_end_matches('x').parse::<f64>().ok();
            number.filter(|factor| *factor > 1.0).ok_or(UnknownCondition::Factor(text.to_owned()))
        };
        match (word, word.strip_prefix("slower=")) {
            ("wrong", _) => Ok(FailOn::Wrong),
            ("changed", _) => Ok(FailOn::Changed),
            ("lost", _) => Ok(FailOn::Lost),
            ("failing", _) => Ok(FailOn::Failing),
            ("slower", _) => Ok(FailOn::Slower(change::SLOWER)),
            (_, Some(text)) => factor(text).map(FailOn::Slower),
            _ => Err(UnknownCondition::Word),
        }
    }
}

/// One query with what changes about it.
#[derive(Debug)]
pub struct ChangedQuery<'r> {
    record: &'r QueryRecord,
    changes: Vec<QueryChange>,
    ratio: Option<f64>,
    blame: Option<Blame>,
}

/// A query as JSON. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct QueryLine<'r> {
    file: &'r str,
    hash: &'r str,
    changes: &'r [QueryChange],
    /// Processor time of the new solver over that of the old one, by medians.
    ratio: Option<f64>,
    wrong: Option<Side>,
    evidence: Option<&'r str>,
    runs: &'r Sides<Vec<QueryRun>>,
}

/// What changes for a user who replaces one solver by the other.
#[derive(Debug)]
pub struct CompareSummary<'r> {
    names: &'r Sides<String>,
    queries: Vec<ChangedQuery<'r>>,
    cut_by_the_clock: usize,
}

impl<'r> CompareSummary<'r> {
    /// Looks at all queries; `timeout` is the limit of runs in seconds.
    pub fn of(records: &'r [QueryRecord], names: &'r Sides<String>, timeout: f64) -> Self {
        let look = |record: &'r QueryRecord| ChangedQuery {
            record,
            changes: changes(record, timeout),
            ratio: ratio(record),
            blame: blame(record, names),
        };
        let queries: Vec<ChangedQuery<'r>> = records.iter().map(look).collect();
        let is_cut = |record: &&QueryRecord| {
            record.runs.from.iter().chain(&record.runs.to).any(|run| run.limit == Some(Limit::Wall))
        };
        let cut_by_the_clock = records.iter().filter(is_cut).count();
        CompareSummary { names, queries, cut_by_the_clock }
    }

    fn with(&self, change: QueryChange) -> impl Iterator<Item = &ChangedQuery<'r>> {
        self.queries.iter().filter(move |query| query.changes.contains(&change))
    }

    fn count(&self, change: QueryChange) -> usize {
        self.with(change).count()
    }

    /// Processor time of the new solver over that of the old one, on all queries that both solve.
    fn total_ratio(&self) -> Option<f64> {
        let solved = || self.queries.iter().filter(|query| query.ratio.is_some());
        let total =
            |side: Side| -> f64 { solved().map(|query| change::median(query.record.runs.of(side))).sum() };
        let (from, to) = (total(Side::From), total(Side::To));
        (from > 0.0).then(|| to / from)
    }

    /// The result in one sentence.
    pub fn sentence(&self) -> String {
        let queries = self.queries.len();
        let mut parts = Vec::new();
        let mut say = |count: usize, one: &str, many: &str| {
            if count > 0 {
                parts.push(format!("{count} {}", if count == 1 { one } else { many }));
            }
        };
        say(self.count(QueryChange::Answer), "changes its answer", "change their answers");
        say(self.count(QueryChange::InvalidModel), "has an invalid model", "have invalid models");
        say(self.count(QueryChange::Lost), "is lost", "are lost");
        say(self.count(QueryChange::Failing), "fails", "fail");
        say(self.count(QueryChange::Gained), "is gained", "are gained");
        say(self.count(QueryChange::Slower), "is slower", "are slower");
        say(self.count(QueryChange::Faster), "is faster", "are faster");
        let changes = match parts.split_last() {
            None => "nothing changes".to_owned(),
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        };
        let total = self
            .total_ratio()
            .map_or(String::new(), |ratio| format!("; total CPU {ratio:.2}x on what both solve"));
        let noun = if queries == 1 { "query" } else { "queries" };
        format!("from {} to {}, of {queries} {noun} {changes}{total}", self.names.from, self.names.to)
    }

    /// The sentence and the lists, as text; `all` for whole lists.
    pub fn render(&self, all: bool) -> String {
        let mut text = format!("{}\n", self.sentence());
        for change in QueryChange::ALL {
            let mut queries: Vec<&ChangedQuery<'_>> = self.with(change).collect();
            if queries.is_empty() {
                continue;
            }
            let distance = |query: &ChangedQuery<'_>| query.ratio.unwrap_or(1.0).ln().abs();
            queries.sort_by(|left, right| distance(right).total_cmp(&distance(left)));
            let _ = writeln!(text, "\n{} ({}):", change.heading(), queries.len());
            let shown = if all { queries.len() } else { SHOWN };
            for query in queries.iter().take(shown) {
                let _ = writeln!(text, "  {}\n    {}", query.record.file, query.line(change));
            }
            if queries.len() > shown {
                let _ = writeln!(text, "  .. and {} more (--all)", queries.len() - shown);
            }
        }
        if self.cut_by_the_clock > 0 {
            let _ = writeln!(
                text,
                "\n{} queries had runs that slept or waited until the clock ended them; nothing is said about them",
                self.cut_by_the_clock
            );
        }
        text
    }

    /// The queries as JSON.
    pub fn lines(&self) -> impl Iterator<Item = QueryLine<'_>> {
        self.queries.iter().map(|query| QueryLine {
            file: &query.record.file,
            hash: &query.record.hash,
            changes: &query.changes,
            ratio: query.ratio,
            wrong: query.blame.as_ref().and_then(|blame| blame.wrong),
            evidence: query.blame.as_ref().map(|blame| blame.evidence.as_str()),
            runs: &query.record.runs,
        })
    }

    /// One line per query. The names of the columns never change.
    pub fn csv(&self) -> String {
        let mut text = "file,changes,from,to,from_cpu_ms,to_cpu_ms,ratio,from_memory_kb,to_memory_kb,\
                        from_resources,to_resources\n"
            .to_owned();
        for ChangedQuery { record, changes, ratio, .. } in &self.queries {
            let words: Vec<&str> = changes.iter().map(|change| change.word()).collect();
            let answer = |side| record.runs.of(side).first().map_or("", |run: &QueryRun| run.answer.word());
            let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
            let first = |side: Side| record.runs.of(side).first();
            let memory = |side| number(first(side).and_then(|run| run.memory_kb));
            let resources = |side| number(first(side).and_then(|run| run.resources));
            let _ = writeln!(
                text,
                "{},{},{},{},{:.1},{:.1},{},{},{},{},{}",
                csv_cell(&record.file),
                words.join(" "),
                answer(Side::From),
                answer(Side::To),
                change::median(&record.runs.from),
                change::median(&record.runs.to),
                ratio.map_or(String::new(), |ratio| format!("{ratio:.3}")),
                memory(Side::From),
                memory(Side::To),
                resources(Side::From),
                resources(Side::To),
            );
        }
        text
    }

    /// The queries that make the comparison fail, each with the reason.
    pub fn failures(&self, fail_on: &[FailOn]) -> Vec<(&str, String)> {
        let reason = |query: &ChangedQuery<'_>| {
            let change = fail_on.iter().find_map(|condition| query.fails(*condition))?;
            Some(format!("{}: {}", change.heading(), query.line(change)))
        };
        self.queries.iter().filter_map(|query| Some((query.record.file.as_str(), reason(query)?))).collect()
    }

    /// JUnit XML: a test for each query, which fails where the comparison does.
    pub fn junit(&self, fail_on: &[FailOn]) -> String {
        let failures = self.failures(fail_on);
        let name = html(&format!("{} to {}", self.names.from, self.names.to));
        let (tests, failed) = (self.queries.len(), failures.len());
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  \
             <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\">\n"
        );
        let mut failures = failures.into_iter().peekable();
        for query in &self.queries {
            let file = query.record.file.as_str();
            let seconds = change::median(&query.record.runs.to) / 1e3;
            let _ = write!(
                text,
                "    <testcase classname=\"{name}\" name=\"{}\" time=\"{seconds:.3}\">",
                html(file)
            );
            if let Some((_, reason)) = failures.next_if(|(failed, _)| *failed == file) {
                let _ = write!(text, "<failure message=\"{}\"/>", html(&reason));
            }
            text.push_str("</testcase>\n");
        }
        text.push_str("  </testsuite>\n</testsuites>\n");
        text
    }
}

impl ChangedQuery<'_> {
    /// The change by which it makes a comparison fail.
    fn fails(&self, condition: FailOn) -> Option<QueryChange> {
        let has = |change: QueryChange| self.changes.contains(&change).then_some(change);
        match condition {
            FailOn::Wrong => {
                let is_wrong = self.blame.as_ref().is_some_and(|blame| blame.wrong == Some(Side::To));
                if is_wrong { Some(QueryChange::Answer) } else { has(QueryChange::InvalidModel) }
            }
            FailOn::Changed => has(QueryChange::Answer),
            FailOn::Lost => has(QueryChange::Lost),
            FailOn::Failing => has(QueryChange::Failing),
            FailOn::Slower(factor) => {
                has(QueryChange::Slower).filter(|_| self.ratio.is_some_and(|ratio| ratio >= factor))
            }
        }
    }

    /// The line of the query in the list of a change.
    fn line(&self, change: QueryChange) -> String {
        let sides = [Side::From, Side::To].map(|side| side_line(self.record.runs.of(side)));
        let times = format!("{} -> {}", sides[0], sides[1]);
        match (change, self.ratio, &self.blame) {
            (QueryChange::Answer, _, Some(Blame { evidence, .. })) => format!("{times}; {evidence}"),
            (QueryChange::Slower | QueryChange::Faster, Some(ratio), _) => format!("{times} ({ratio:.2}x)"),
            (QueryChange::Lost | QueryChange::Failing, ..) => {
                let reason = self.record.runs.to.iter().find_map(|run| run.reason.as_deref());
                reason.map_or(times.clone(), |reason| format!("{times}: {reason}"))
            }
            _ => times,
        }
    }
}

/// The answers of the runs of one side, and their median time.
fn side_line(runs: &[QueryRun]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for run in runs {
        if !words.contains(&run.answer.word()) {
            words.push(run.answer.word());
        }
    }
    format!("{} {:.2} s", words.join("/"), change::median(runs) / 1e3)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use smelt_oracle::run::Answer;

    use super::*;

    fn run(answer: Answer, cpu_ms: f64) -> QueryRun {
        QueryRun {
            answer,
            answers: vec![answer],
            limit: (answer == Answer::Timeout).then_some(Limit::Cpu),
            cpu_ms,
            wall_ms: cpu_ms,
            memory_kb: Some(1024),
            resources: None,
            model_ok: None,
            reason: None,
        }
    }

    fn record(file: &str, from: QueryRun, to: QueryRun) -> QueryRecord {
        QueryRecord {
            file: file.to_owned(),
            hash: String::new(),
            status: None,
            runs: Sides { from: vec![from.clone(), from], to: vec![to.clone(), to] },
            patient: Sides::default(),
            opinion: None,
        }
    }

    fn records() -> Vec<QueryRecord> {
        vec![
            record("same", run(Answer::Sat, 100.0), run(Answer::Sat, 101.0)),
            record("lost <1>", run(Answer::Sat, 100.0), run(Answer::Timeout, 1000.0)),
            record("gained", run(Answer::Unknown, 100.0), run(Answer::Unsat, 100.0)),
            record("slower", run(Answer::Sat, 100.0), run(Answer::Sat, 300.0)),
            record("other", run(Answer::Sat, 1.0), run(Answer::Unsat, 1.0)),
        ]
    }

    static NAMES: LazyLock<Sides<String>> =
        LazyLock::new(|| Sides { from: "a".to_owned(), to: "b".to_owned() });

    #[test]
    fn the_result_comes_first_in_one_sentence() {
        let records = records();
        let summary = CompareSummary::of(&records, &NAMES, 1.0);
        assert_eq!(
            summary.sentence(),
            "from a to b, of 5 queries 1 changes its answer, 1 is lost, 1 is gained and 1 is slower; \
             total CPU 2.00x on what both solve"
        );
        let text = summary.render(false);
        assert!(text.contains("\nslower (1):\n  slower\n    sat 0.10 s -> sat 0.30 s (3.00x)\n"), "{text}");
        assert!(text.contains("nothing shows who is wrong"), "{text}");
        let nothing = CompareSummary::of(&records[..1], &NAMES, 1.0).sentence();
        assert_eq!(nothing, "from a to b, of 1 query nothing changes; total CPU 1.01x on what both solve");
    }

    #[test]
    fn what_fails_is_what_was_asked_for() {
        let records = records();
        let summary = CompareSummary::of(&records, &NAMES, 1.0);
        let failing = |words: &[&str]| -> Vec<String> {
            let conditions: Vec<FailOn> = words.iter().map(|word| word.parse().unwrap()).collect();
            summary.failures(&conditions).into_iter().map(|(file, _)| file.to_owned()).collect()
        };
        assert!(failing(&[]).is_empty());
        assert!(failing(&["wrong"]).is_empty());
        assert_eq!(failing(&["changed", "lost"]), ["lost <1>", "other"]);
        assert_eq!(failing(&["slower=2x"]), ["slower"]);
        assert!(failing(&["slower=4"]).is_empty());
        assert!("slower=1".parse::<FailOn>().is_err() && "worse".parse::<FailOn>().is_err());
    }

    #[test]
    fn junit_has_a_test_for_each_query() {
        let records = records();
        let text = CompareSummary::of(&records, &NAMES, 1.0).junit(&[FailOn::Lost]);
        assert!(text.contains("tests=\"5\" failures=\"1\""), "{text}");
        assert!(text.contains("name=\"lost &lt;1&gt;\" time=\"1.000\"><failure message=\"lost: sat 0.10 s"));
    }
}

//! What the runs of a query amount to.

use serde::{Deserialize, Serialize};
use smelt_oracle::evaluated::{EvaluatedRun, ModelCheck, ModelWord};
use smelt_oracle::finding::Class;
use smelt_oracle::references::Known;
use smelt_oracle::run::{Answer, Limit, Run};
use smelt_trial::judge::Referee;

use super::{ARBITER, QueryRecord, QueryRun, Side, Sides};

/// One side is slower if its median is this many times that of the other,
pub const SLOWER: f64 = 1.5;
/// differs by this many milliseconds, and no run of one is as fast as any of the other.
pub const SLOWER_MS: f64 = 50.0;
/// What takes more than this share of the limit is close to it.
const CLOSE: f64 = 0.75;

/// A way in which the two sides differ on a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryChange {
    /// One says `sat` and the other `unsat`.
    Answer,
    /// The new one prints a model that does not satisfy the query, or fails to although the old one did not.
    InvalidModel,
    /// The old one solves it and the new one does not.
    Lost,
    /// The new one crashes, reports an error or rejects what the old one takes.
    Failing,
    /// The new one needs longer.
    Slower,
    /// Some runs of one side solve it and some do not.
    Unsteady,
    /// One side solves it, and a little more or less time would change that.
    NearLimit,
    /// The new one solves it and the old one does not.
    Gained,
    /// The new one needs less time.
    Faster,
}

impl QueryChange {
    /// All of them, the worst first.
    pub const ALL: [QueryChange; 9] = [
        QueryChange::Answer,
        QueryChange::InvalidModel,
        QueryChange::Lost,
        QueryChange::Failing,
        QueryChange::Slower,
        QueryChange::Unsteady,
        QueryChange::NearLimit,
        QueryChange::Gained,
        QueryChange::Faster,
    ];

    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            QueryChange::Answer => "answer",
            QueryChange::InvalidModel => "invalid-model",
            QueryChange::Lost => "lost",
            QueryChange::Failing => "failing",
            QueryChange::Slower => "slower",
            QueryChange::Unsteady => "unsteady",
            QueryChange::NearLimit => "near-limit",
            QueryChange::Gained => "gained",
            QueryChange::Faster => "faster",
        }
    }

    /// The heading of its list.
    pub fn heading(self) -> &'static str {
        match self {
            QueryChange::Answer => "changed answers",
            QueryChange::InvalidModel => "invalid models",
            QueryChange::Lost => "lost",
            QueryChange::Failing => "failing",
            QueryChange::Slower => "slower",
            QueryChange::Unsteady => "unsteady",
            QueryChange::NearLimit => "near the limit",
            QueryChange::Gained => "gained",
            QueryChange::Faster => "faster",
        }
    }
}

/// Who is wrong where answers contradict each other, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    /// The side that is wrong; none if nothing shows that.
    pub wrong: Option<Side>,
    /// The evidence, in words.
    pub evidence: String,
}

/// The checks of a query that both sides decide differently: the first of them, with the answers.
pub fn contradiction(runs: &Sides<Vec<QueryRun>>) -> Option<(usize, Sides<Answer>)> {
    for from in &runs.from {
        for to in &runs.to {
            let pairs = from.answers.iter().copied().zip(to.answers.iter().copied()).enumerate();
            let mut differing = pairs.filter(|(_, (a, b))| a.is_decided() && b.is_decided() && a != b);
            if let Some((check, (from, to))) = differing.next() {
                return Some((check, Sides { from, to }));
            }
        }
    }
    None
}

/// All changes of a query, the worst first. `timeout` is the limit of its runs in seconds.
pub fn changes(record: &QueryRecord, timeout: f64) -> Vec<QueryChange> {
    let (from, to) = (Runs(&record.runs.from), Runs(&record.runs.to));
    // What the clock ended says nothing of the solver.
    if from.is_cut_by_the_clock() || to.is_cut_by_the_clock() {
        return Vec::new();
    }
    let mut changes = Vec::new();
    if contradiction(&record.runs).is_some() {
        changes.push(QueryChange::Answer);
    }
    if to.has_wrong_model() {
        changes.push(QueryChange::InvalidModel);
    }
    if to.fails() && !from.fails() {
        changes.push(QueryChange::Failing);
    }
    let close = timeout * 1e3 * CLOSE;
    let is_close = |side: Side, other: &Runs<'_>| {
        // A side that needs little more than the limit, or one that needs nearly all of it.
        record.patient.of(side).as_ref().is_some_and(QueryRun::is_solved) || other.longest() > close
    };
    match (from.solved(), to.solved()) {
        (Solved::Always, Solved::Always) => {}
        (Solved::Never, Solved::Never) => {}
        (Solved::Always, Solved::Never) if to.ran_out_of_time() && is_close(Side::To, &from) => {
            changes.push(QueryChange::NearLimit);
        }
        (Solved::Never, Solved::Always) if from.ran_out_of_time() && is_close(Side::From, &to) => {
            changes.push(QueryChange::NearLimit);
        }
        (Solved::Always, Solved::Never) => changes.push(QueryChange::Lost),
        (Solved::Never, Solved::Always) => changes.push(QueryChange::Gained),
        _ if from.longest().max(to.longest()) > close => changes.push(QueryChange::NearLimit),
        _ => changes.push(QueryChange::Unsteady),
    }
    if from.solved() == Solved::Always && to.solved() == Solved::Always {
        if is_slower(&to, &from) {
            changes.push(QueryChange::Slower);
        } else if is_slower(&from, &to) {
            changes.push(QueryChange::Faster);
        }
    }
    changes.sort();
    changes
}

/// How many times the processor time of the old solver the new one needs; none if one does not solve it.
pub fn ratio(record: &QueryRecord) -> Option<f64> {
    let (from, to) = (Runs(&record.runs.from), Runs(&record.runs.to));
    let is_solved = from.solved() == Solved::Always && to.solved() == Solved::Always;
    (is_solved && from.median() > 0.0).then(|| to.median() / from.median())
}

/// The median of the processor times of some runs in milliseconds; of two in the middle the longer one.
pub fn median(runs: &[QueryRun]) -> f64 {
    Runs(runs).median()
}

fn is_slower(slow: &Runs<'_>, fast: &Runs<'_>) -> bool {
    // All of one against one of the other would be chance.
    slow.0.len() > 1
        && slow.shortest() > fast.longest()
        && slow.median() >= fast.median() * SLOWER
        && slow.median() - fast.median() >= SLOWER_MS
}

/// Who is wrong where the two contradict each other. Only a query with one check is judged.
pub fn blame(record: &QueryRecord, names: &Sides<String>) -> Option<Blame> {
    let (check, answers) = contradiction(&record.runs)?;
    let checks = record.runs.from.iter().chain(&record.runs.to).map(|run| run.answers.len()).max();
    if checks != Some(1) {
        let text = format!(
            "check {}: {} says {}, {} says {}",
            check + 1,
            names.from,
            answers.from.word(),
            names.to,
            answers.to.word()
        );
        return Some(Blame { wrong: None, evidence: text });
    }
    let mut referee = Referee::default();
    for (side, other) in [(Side::From, Side::To), (Side::To, Side::From)] {
        let mut known = Known::default();
        let runs = record.runs.of(other).iter().map(|run| (names.of(other).as_str(), run));
        for (name, run) in runs.chain(record.opinion.iter().map(|run| (ARBITER, run))) {
            known.add_reference(name, run.answer, model_word(run));
        }
        let suspect = record.runs.of(side).iter().find(|run| run.answer == *answers.of(side));
        let Some(verdict) = suspect.and_then(|run| {
            let name = names.of(side);
            let evaluated = EvaluatedRun {
                model: model_check(run),
                ..EvaluatedRun::without_model(name, Run::saying(name, run.answer))
            };
            referee.verdict(&evaluated, known.opinions())
        }) else {
            continue;
        };
        let name = names.of(side);
        let evidence = match verdict.class {
            Class::SoundnessRefutation => {
                format!("a model that satisfies the query refutes the unsat of {name}")
            }
            Class::SoundnessSolution => {
                format!("the model of {name} does not satisfy the query, and the others say unsat")
            }
            Class::InvalidModel => format!("the model of {name} does not satisfy the query"),
            _ => continue,
        };
        return Some(Blame { wrong: Some(side), evidence });
    }
    let opinion = record.opinion.as_ref().filter(|run| run.is_solved());
    let opinion = opinion.map_or(String::new(), |run| format!("; smelt says {}", run.answer.word()));
    let status = record.status.map_or(String::new(), |status| format!("; the file says {}", status.word()));
    let evidence = format!(
        "{} says {}, {} says {}{opinion}{status}; nothing shows who is wrong",
        names.from,
        answers.from.word(),
        names.to,
        answers.to.word()
    );
    Some(Blame { wrong: None, evidence })
}

fn model_word(run: &QueryRun) -> Option<ModelWord> {
    run.model_ok.map(|is_ok| if is_ok { ModelWord::Accepted } else { ModelWord::Refuted })
}

fn model_check(run: &QueryRun) -> ModelCheck {
    match run.model_ok {
        Some(true) => ModelCheck::Accepted,
        Some(false) => ModelCheck::Refuted(Vec::new()),
        None => ModelCheck::Missing,
    }
}

/// How often a side solves a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Solved {
    Always,
    Sometimes,
    Never,
}

/// The runs of one side.
struct Runs<'r>(&'r [QueryRun]);

impl Runs<'_> {
    fn solved(&self) -> Solved {
        match self.0.iter().filter(|run| run.is_solved()).count() {
            0 => Solved::Never,
            count if count == self.0.len() => Solved::Always,
            _ => Solved::Sometimes,
        }
    }

    fn shortest(&self) -> f64 {
        self.0.iter().map(|run| run.cpu_ms).fold(f64::INFINITY, f64::min)
    }

    fn longest(&self) -> f64 {
        self.0.iter().map(|run| run.cpu_ms).fold(0.0, f64::max)
    }

    fn median(&self) -> f64 {
        let mut times: Vec<f64> = self.0.iter().map(|run| run.cpu_ms).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    fn ran_out_of_time(&self) -> bool {
        self.0.iter().all(|run| run.limit == Some(Limit::Cpu))
    }

    fn is_cut_by_the_clock(&self) -> bool {
        self.0.iter().any(|run| run.limit == Some(Limit::Wall))
    }

    fn has_wrong_model(&self) -> bool {
        self.0.iter().any(|run| run.model_ok == Some(false))
    }

    fn fails(&self) -> bool {
        self.0
            .iter()
            .any(|run| matches!(run.answer, Answer::Crash | Answer::Error | Answer::Rejected | Answer::Flood))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    fn run(answer: Answer, cpu_ms: f64) -> QueryRun {
        let limit = (answer == Answer::Timeout).then_some(Limit::Cpu);
        QueryRun {
            answer,
            answers: vec![answer],
            limit,
            cpu_ms,
            wall_ms: cpu_ms,
            memory_kb: None,
            resources: None,
            model_ok: None,
            reason: None,
        }
    }

    fn record(from: &[QueryRun], to: &[QueryRun]) -> QueryRecord {
        QueryRecord {
            file: "f".to_owned(),
            hash: String::new(),
            status: None,
            runs: Sides { from: from.to_vec(), to: to.to_vec() },
            patient: Sides::default(),
            opinion: None,
        }
    }

    fn times(millis: &[f64]) -> Vec<QueryRun> {
        millis.iter().map(|millis| run(Answer::Sat, *millis)).collect()
    }

    fn of(from: &[QueryRun], to: &[QueryRun]) -> Vec<QueryChange> {
        changes(&record(from, to), 1.0)
    }

    static NAMES: LazyLock<Sides<String>> =
        LazyLock::new(|| Sides { from: "z3".to_owned(), to: "cvc5".to_owned() });

    #[test]
    fn a_solver_against_itself_has_no_changes() {
        assert_eq!(of(&times(&[100.0]), &times(&[110.0])), []);
        assert_eq!(of(&times(&[100.0, 300.0, 120.0]), &times(&[200.0, 110.0, 250.0])), []);
        assert_eq!(of(&[run(Answer::Timeout, 1000.0)], &[run(Answer::Timeout, 1000.0)]), []);
    }

    #[test]
    fn slower_is_what_all_runs_show() {
        let (fast, slow) = (times(&[100.0, 110.0, 120.0]), times(&[200.0, 210.0, 190.0]));
        assert_eq!(of(&fast, &slow), [QueryChange::Slower]);
        assert_eq!(of(&slow, &fast), [QueryChange::Faster]);
        assert_eq!(of(&fast, &times(&[200.0, 210.0, 115.0])), []);
        // Three times as long, but by less than matters.
        assert_eq!(of(&times(&[10.0, 10.0]), &times(&[30.0, 31.0])), []);
    }

    #[test]
    fn what_is_solved_no_longer_is_lost() {
        let lost = [run(Answer::Timeout, 1000.0), run(Answer::Timeout, 1000.0)];
        assert_eq!(of(&times(&[100.0, 100.0]), &lost), [QueryChange::Lost]);
        assert_eq!(of(&lost, &times(&[100.0, 100.0])), [QueryChange::Gained]);
        assert_eq!(of(&times(&[100.0]), &[run(Answer::Unknown, 1.0)]), [QueryChange::Lost]);
        assert_eq!(
            of(&times(&[100.0]), &[run(Answer::Crash, 1.0)]),
            [QueryChange::Lost, QueryChange::Failing]
        );
        assert_eq!(
            of(&times(&[100.0, 90.0]), &[lost[0].clone(), times(&[500.0])[0].clone()]),
            [QueryChange::NearLimit]
        );
    }

    #[test]
    fn what_a_little_more_time_would_change_is_neither_lost_nor_gained() {
        let out = [run(Answer::Timeout, 1000.0)];
        assert_eq!(of(&times(&[900.0]), &out), [QueryChange::NearLimit]);
        let mut close = record(&times(&[300.0]), &out);
        close.patient.to = Some(run(Answer::Sat, 1200.0));
        assert_eq!(changes(&close, 1.0), [QueryChange::NearLimit]);
    }

    #[test]
    fn a_run_that_the_clock_ended_shows_nothing() {
        let cut = QueryRun { limit: Some(Limit::Wall), ..run(Answer::Timeout, 10.0) };
        assert_eq!(of(&times(&[100.0]), &[cut]), []);
    }

    #[test]
    fn a_model_decides_who_is_wrong() {
        let sat = QueryRun { model_ok: Some(true), ..run(Answer::Sat, 1.0) };
        let changed = record(std::slice::from_ref(&sat), &[run(Answer::Unsat, 1.0)]);
        assert_eq!(changes(&changed, 1.0), [QueryChange::Answer]);
        assert_eq!(blame(&changed, &NAMES).unwrap().wrong, Some(Side::To));
        let invalid = QueryRun { model_ok: Some(false), ..sat };
        let changed = record(&[run(Answer::Unsat, 1.0)], &[invalid]);
        assert_eq!(changes(&changed, 1.0), [QueryChange::Answer, QueryChange::InvalidModel]);
        assert_eq!(blame(&changed, &NAMES).unwrap().wrong, Some(Side::To));
    }

    #[test]
    fn without_a_model_nobody_is_wrong() {
        let mut changed = record(&[run(Answer::Sat, 1.0)], &[run(Answer::Unsat, 1.0)]);
        changed.status = Some(Answer::Sat);
        assert_eq!(blame(&changed, &NAMES).unwrap().wrong, None);
        changed.opinion = Some(run(Answer::Unsat, 1.0));
        assert_eq!(blame(&changed, &NAMES).unwrap().wrong, None);
    }

    #[test]
    fn checks_of_a_query_are_compared_one_by_one() {
        let first = QueryRun { answers: vec![Answer::Sat, Answer::Unsat], ..run(Answer::Unsat, 1.0) };
        let second = QueryRun { answers: vec![Answer::Unsat, Answer::Unsat], ..run(Answer::Unsat, 1.0) };
        let changed = record(&[first], &[second]);
        assert_eq!(changes(&changed, 1.0), [QueryChange::Answer]);
        assert!(blame(&changed, &NAMES).unwrap().evidence.starts_with("check 1: z3 says sat"));
    }
}

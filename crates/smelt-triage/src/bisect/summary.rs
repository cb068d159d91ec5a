//! What a bisection has found, as text and as JSON.

use serde::Serialize;
use serde_json::Value;
use smelt_campaign::repository::Commit;
use smelt_report::finding::triage_files::{Dating, FORMAT};

use super::asking::{Found, Gap, GapKind, LevelScale};
use super::releases::Releases;
use super::{Change, ChangeShape, Doubt, Localization, Located};

/// A measured value in JSON.
fn json_of(scale: LevelScale, value: f64) -> Value {
    match scale {
        LevelScale::Times => Value::from(value),
        LevelScale::Claims | LevelScale::Answers => Value::from(scale.text(value)),
    }
}

/// A point of a history, for people.
#[derive(Debug, Clone)]
pub struct HistoryPoint {
    /// A release, or a commit.
    pub name: String,
    /// What there is to say about it.
    pub title: String,
}

/// A history, and what could not be seen of it.
#[derive(Debug)]
pub struct SearchedHistory {
    /// From the oldest on.
    pub points: Vec<HistoryPoint>,
    /// What is measured at a point.
    pub scale: LevelScale,
    /// What a point is: `release` or `commit`.
    pub noun: &'static str,
    /// Points at which nothing was measured.
    pub gaps: Vec<Gap>,
    /// Whether it was searched to its end.
    pub is_finished: bool,
}

/// What was found in a history of commits, for one trigger.
#[derive(Debug, Clone, Copy)]
pub struct CommitResult<'r> {
    /// For all triggers.
    pub found: &'r Localization,
    /// For this one.
    pub located: &'r Located,
}

impl SearchedHistory {
    /// A history of releases that was searched.
    pub fn of_releases(releases: &Releases<'_>, found: &Found, scale: LevelScale) -> SearchedHistory {
        let point = |number: usize| HistoryPoint { name: releases.name(number), title: String::new() };
        SearchedHistory {
            points: (0..releases.count()).map(point).collect(),
            scale,
            noun: "release",
            gaps: found.gaps.clone(),
            is_finished: found.localization.is_finished,
        }
    }

    /// A history of commits that was searched for a trigger; `name` is what they are called.
    pub fn of_commits(
        commits: &[Commit],
        name: impl Fn(&Commit) -> String,
        scale: LevelScale,
        found: CommitResult<'_>,
    ) -> SearchedHistory {
        let CommitResult { found, located } = found;
        let gap = |kind: GapKind, reason: &str, point: usize| Gap {
            name: name(&commits[point]),
            reason: reason.to_owned(),
            kind,
        };
        let failed = found.not_ready.iter().map(|point| gap(GapKind::NotTested, "does not build", *point));
        let undecided = located.undecided.iter().map(|point| gap(GapKind::Undecided, NO_RESULT, *point));
        SearchedHistory {
            points: commits
                .iter()
                .map(|commit| HistoryPoint { name: name(commit), title: commit.title.clone() })
                .collect(),
            scale,
            noun: "commit",
            gaps: failed.chain(undecided).collect(),
            is_finished: found.is_finished,
        }
    }
}

/// Why nothing is concluded from a run of the command.
const NO_RESULT: &str = "the command says that it cannot tell, or did not end by itself";

/// What was found for a trigger. The names of the fields never change.
#[derive(Debug, Clone, Serialize)]
pub struct BisectLine {
    trigger: String,
    /// `introduced`, `fixed`, `introduced-and-fixed`, `changed`, `unchanged` or `undecided`.
    history: &'static str,
    /// Where it was introduced, if that is exactly known.
    introduced_in: Option<String>,
    /// Where it was fixed in the end, if that is exactly known.
    fixed_in: Option<String>,
    /// The first that is known to be bad, or slower; the earliest that was tested if it is bad already.
    pub first_bad: Option<String>,
    /// The last before that.
    pub last_good: Option<String>,
    /// The first that is known to be good after all that are bad.
    pub fixed: Option<String>,
    changes: Vec<ChangeLine>,
    /// Whether changes may be between the points looked at.
    pub more_may_exist: bool,
    /// The most points in a row between two that are alike.
    unseen: usize,
    /// How many points the history has.
    points: usize,
    /// How many of them were tested and are decided.
    tested: usize,
    /// What was measured, by point.
    pub seen: Vec<(String, Value)>,
    not_tested: Vec<Gap>,
    undecided: Vec<Gap>,
    is_finished: bool,
}

#[derive(Debug, Clone, Serialize)]
struct ChangeLine {
    kind: &'static str,
    before: String,
    after: String,
    title: String,
    from: Value,
    to: Value,
    /// How many points there are at which the change may be.
    candidates: usize,
    doubt: Option<&'static str>,
}

/// What is told of a trigger.
pub fn line(trigger: &str, located: &Located, history: &SearchedHistory) -> BisectLine {
    let scale = history.scale;
    let name = |point: usize| history.points[point].name.clone();
    let change = |change: &Change| ChangeLine {
        kind: scale.kind(change),
        before: name(change.before),
        after: name(change.after),
        title: history.points[change.after].title.clone(),
        from: json_of(scale, change.from),
        to: json_of(scale, change.to),
        candidates: change.after - change.before,
        doubt: change.doubt.map(doubt_word),
    };
    let rise = located.changes.iter().find(|change| change.is_rise());
    let earliest = located.seen.iter().next();
    let bad_from_the_start = earliest.filter(|(_, value)| scale == LevelScale::Claims && **value > 0.5);
    let is_ordered = scale != LevelScale::Answers;
    let (first_bad, last_good) = match (bad_from_the_start, rise) {
        (Some((point, _)), _) => (Some(name(*point)), None),
        (None, Some(rise)) if is_ordered => (Some(name(rise.after)), Some(name(rise.before))),
        _ => (None, None),
    };
    let last = located.changes.last().filter(|change| !change.is_rise());
    let last = last.filter(|_| is_ordered && first_bad.is_some());
    let exact = |change: &&Change| change.doubt.is_none();
    let introduced = rise.filter(|_| last_good.is_some()).filter(exact);
    let gaps = |is_wanted: &dyn Fn(GapKind) -> bool| -> Vec<Gap> {
        history.gaps.iter().filter(|gap| is_wanted(gap.kind)).cloned().collect()
    };
    BisectLine {
        trigger: trigger.to_owned(),
        history: history_word(located, scale),
        introduced_in: introduced.map(|change| name(change.after)),
        fixed_in: last.filter(exact).map(|change| name(change.after)),
        fixed: last.map(|change| name(change.after)),
        first_bad,
        last_good,
        changes: located.changes.iter().map(change).collect(),
        more_may_exist: located.more_may_exist(),
        unseen: located.unseen,
        points: history.points.len(),
        tested: located.seen.len(),
        seen: located.seen.iter().map(|(point, value)| (name(*point), json_of(scale, *value))).collect(),
        not_tested: gaps(&|kind| kind != GapKind::Undecided),
        undecided: gaps(&|kind| kind == GapKind::Undecided),
        is_finished: history.is_finished,
    }
}

impl BisectLine {
    /// Whether something was found.
    pub fn is_found(&self) -> bool {
        !self.changes.is_empty() || self.first_bad.is_some()
    }

    /// The same for the folder of a finding.
    pub fn dating(&self) -> Dating {
        Dating {
            format: FORMAT,
            first_bad: self.first_bad.clone(),
            last_good: self.last_good.clone(),
            fixed: self.fixed.clone(),
            more_may_exist: self.more_may_exist,
            seen: self.seen.clone(),
            ..Dating::default()
        }
    }
}

fn history_word(located: &Located, scale: LevelScale) -> &'static str {
    let is_claim = scale == LevelScale::Claims;
    match located.shape {
        ChangeShape::Unmeasured => "undecided",
        ChangeShape::Flat => "unchanged",
        ChangeShape::Monotonic if is_claim && located.changes.iter().any(Change::is_rise) => "introduced",
        ChangeShape::Monotonic if is_claim => "fixed",
        ChangeShape::NonMonotonic if is_claim => "introduced-and-fixed",
        ChangeShape::Monotonic | ChangeShape::NonMonotonic => "changed",
    }
}

fn doubt_word(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Failures => "not-tested",
        Doubt::Noise => "noise",
        Doubt::Unfinished => "unfinished",
    }
}

/// What is told of a trigger, in lines of text.
pub fn text(line: &BisectLine, located: &Located, history: &SearchedHistory) -> String {
    let noun = history.noun;
    let mut lines = vec![format!("{}: {}", line.trigger, summary(line, located, history))];
    let changes = line.changes.iter().zip(&located.changes);
    lines.extend(changes.map(|(change, found)| format!("  {}", change_text(change, found, history))));
    lines.extend(gap_texts(&history.gaps, noun).into_iter().map(|gap| format!("  {gap}")));
    if line.more_may_exist {
        lines.push("  more changes may exist".to_owned());
    } else if line.unseen > 0 {
        let unseen = count(line.unseen, noun);
        let others = match noun {
            "release" => " that is installed, --install fetches the others",
            _ => "",
        };
        lines.push(format!(
            "  a change that was undone within {unseen} would not be seen; --all looks at every {noun}{others}"
        ));
    }
    lines.join("\n") + "\n"
}

/// What there is to say in half a line.
fn summary(line: &BisectLine, located: &Located, history: &SearchedHistory) -> String {
    let noun = history.noun;
    let looked = match (line.tested, line.points) {
        (tested, points) if tested == points => format!("all {}", count(points, noun)),
        (tested, points) => format!("the {} looked at (of {points})", count(tested, noun)),
    };
    match (located.shape, history.scale) {
        (ChangeShape::Unmeasured, _) => {
            format!(
                "undecided: {} of {} could be tested, two are needed",
                line.tested,
                count(line.points, noun)
            )
        }
        (ChangeShape::Flat, scale) => {
            let value = located.seen.values().next().copied().unwrap_or_default();
            match scale {
                LevelScale::Claims | LevelScale::Answers => format!("{} at {looked}", scale.text(value)),
                LevelScale::Times => {
                    format!("no difference above the noise at {looked}, {}", scale.text(value))
                }
            }
        }
        (_, LevelScale::Claims) => {
            let start = match (&line.introduced_in, &line.first_bad, &line.last_good) {
                (Some(introduced), ..) => format!("introduced in {introduced}"),
                (None, Some(first), Some(good)) => format!("introduced after {good}, in {first} or before"),
                (None, Some(first), None) => format!("present in the earliest {noun} tested, {first}"),
                (None, None, _) => "changed".to_owned(),
            };
            let end = match (&line.fixed_in, &line.fixed) {
                (Some(fixed), _) => format!(", fixed in {fixed}"),
                (None, Some(fixed)) => format!(", fixed in {fixed} or before"),
                (None, None) => String::new(),
            };
            format!("{start}{end}")
        }
        (_, LevelScale::Answers) => format!("the answer changes, at {looked}"),
        (_, LevelScale::Times) => format!("the time changes, at {looked}"),
    }
}

fn change_text(change: &ChangeLine, found: &Change, history: &SearchedHistory) -> String {
    let scale = history.scale;
    let title = if change.title.is_empty() { String::new() } else { format!(" {}", change.title) };
    let values = match scale {
        LevelScale::Claims => String::new(),
        LevelScale::Answers | LevelScale::Times => {
            format!(": {} before, {} since", scale.text(found.from), scale.text(found.to))
        }
    };
    match found.doubt {
        None => format!("{} in {}{title}{values}", change.kind, change.after),
        Some(doubt) => {
            let before = match change.candidates.saturating_sub(1) {
                1 => format!("the {} before it", history.noun),
                more => format!("one of the {} before it", count(more, history.noun)),
            };
            let ChangeLine { kind, before: last, after, .. } = change;
            format!("{kind} after {last}, in {after} or {before}{values} ({})", reason(doubt))
        }
    }
}

fn reason(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Failures => "those in between are not tested or undecided",
        Doubt::Noise => "those in between differ by less than the noise",
        Doubt::Unfinished => "not searched to the end",
    }
}

/// Lines about the points that were not tested or are undecided, one for each reason.
fn gap_texts(gaps: &[Gap], noun: &str) -> Vec<String> {
    let mut groups: Vec<(GapKind, &str, Vec<&str>)> = Vec::new();
    for gap in gaps {
        match groups.iter_mut().find(|(kind, reason, _)| (*kind, *reason) == (gap.kind, gap.reason.as_str()))
        {
            Some((_, _, names)) => names.push(&gap.name),
            None => groups.push((gap.kind, &gap.reason, vec![&gap.name])),
        }
    }
    groups
        .into_iter()
        .map(|(kind, reason, names)| {
            let listed = list(&names);
            match kind {
                GapKind::NotInstalled => {
                    let are = if names.len() == 1 { "is" } else { "are" };
                    let number = count(names.len(), noun);
                    format!("not tested: {number} {are} not installed: {listed}; --install fetches them")
                }
                GapKind::NotTested => format!("not tested: {listed} ({reason})"),
                GapKind::Undecided => format!("undecided: {listed} ({reason})"),
            }
        })
        .collect()
}

/// So many names are listed.
const MAX_LISTED: usize = 8;

fn list(names: &[&str]) -> String {
    match names.len() {
        few if few <= MAX_LISTED => names.join(", "),
        many => format!("{} and {} more", names[..MAX_LISTED - 2].join(", "), many + 2 - MAX_LISTED),
    }
}

/// `1 release`, `3 releases`.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(name: &str, kind: GapKind, reason: &str) -> Gap {
        Gap { name: name.to_owned(), reason: reason.to_owned(), kind }
    }

    #[test]
    fn what_was_not_tested_is_named_with_the_reason() {
        let mut gaps: Vec<Gap> = (0..23)
            .map(|number| gap(&format!("z3@4.{number}"), GapKind::NotInstalled, "not installed"))
            .collect();
        gaps.push(gap("z3@5.0", GapKind::NotTested, "rejects the formula: no"));
        gaps.push(gap("z3@5.1", GapKind::Undecided, "no answer in 2 s"));
        gaps.push(gap("z3@5.2", GapKind::Undecided, "no answer in 2 s"));
        assert_eq!(
            gap_texts(&gaps, "release"),
            [
                "not tested: 23 releases are not installed: z3@4.0, z3@4.1, z3@4.2, z3@4.3, z3@4.4, z3@4.5 and 17 more; \
                 --install fetches them",
                "not tested: z3@5.0 (rejects the formula: no)",
                "undecided: z3@5.1, z3@5.2 (no answer in 2 s)",
            ]
        );
    }
}

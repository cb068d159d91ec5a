//! What was localized, as text and as JSON.

use std::io::Write;

use serde::Serialize;
use serde_json::Value;
use smelt_oracle::run::Answer;
use smelt_triage::localize::{Change, Doubt, Located, Shape};

use crate::exit::{Exit, Failure};
use crate::streams::Streams;

/// What the numbers of a localization mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// 0 is good, 1 is bad.
    Claims,
    /// The number of an answer in [`ANSWERS`].
    Answers,
    /// Milliseconds.
    Times,
}

/// The answers that releases give, by their numbers.
pub(super) const ANSWERS: [Answer; 7] = [
    Answer::Sat,
    Answer::Unsat,
    Answer::Unknown,
    Answer::Timeout,
    Answer::Memout,
    Answer::Crash,
    Answer::Flood,
];

impl Scale {
    fn text(self, value: f64) -> String {
        match self {
            Scale::Claims if value > 0.5 => "bad".to_owned(),
            Scale::Claims => "good".to_owned(),
            Scale::Answers => ANSWERS.get(value as usize).map_or("-", |answer| answer.word()).to_owned(),
            Scale::Times => format!("{value:.0} ms"),
        }
    }

    fn json(self, value: f64) -> Value {
        match self {
            Scale::Times => Value::from(value),
            Scale::Claims | Scale::Answers => Value::from(self.text(value)),
        }
    }
}

/// A point of a history, for people.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// A release, or a commit.
    pub name: String,
    /// What there is to say about it.
    pub title: String,
}

/// What was found for a trigger. The names of the fields never change.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Line {
    trigger: String,
    shape: &'static str,
    /// The first that is bad, or slower; the earliest that could be asked if it is bad already.
    pub first_bad: Option<String>,
    /// The last before that.
    pub last_good: Option<String>,
    /// The first after all that are bad.
    pub fixed: Option<String>,
    changes: Vec<ChangeLine>,
    pub more_may_exist: bool,
    unseen: usize,
    pub seen: Vec<(String, Value)>,
}

#[derive(Debug, Clone, Serialize)]
struct ChangeLine {
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
pub(super) fn line(trigger: &str, located: &Located, points: &[Point], scale: Scale) -> Line {
    let name = |point: usize| points[point].name.clone();
    let change = |change: &Change| ChangeLine {
        before: name(change.before),
        after: name(change.after),
        title: points[change.after].title.clone(),
        from: scale.json(change.from),
        to: scale.json(change.to),
        candidates: change.after - change.before,
        doubt: change.doubt.map(doubt_word),
    };
    let rise = located.changes.iter().find(|change| change.is_rise());
    let earliest = located.seen.iter().next();
    let bad_from_the_start = earliest.filter(|(_, value)| scale == Scale::Claims && **value > 0.5);
    let last = located.changes.last().filter(|change| !change.is_rise());
    let is_ordered = scale != Scale::Answers;
    let (first_bad, last_good) = match (bad_from_the_start, rise) {
        (Some((point, _)), _) => (Some(name(*point)), None),
        (None, Some(rise)) if is_ordered => (Some(name(rise.after)), Some(name(rise.before))),
        _ => (None, None),
    };
    Line {
        trigger: trigger.to_owned(),
        shape: shape_word(located.shape),
        fixed: last.filter(|_| is_ordered && first_bad.is_some()).map(|change| name(change.after)),
        first_bad,
        last_good,
        changes: located.changes.iter().map(change).collect(),
        more_may_exist: located.more_may_exist(),
        unseen: located.unseen,
        seen: located.seen.iter().map(|(point, value)| (name(*point), scale.json(*value))).collect(),
    }
}

fn shape_word(shape: Shape) -> &'static str {
    match shape {
        Shape::Unmeasured => "unmeasured",
        Shape::Flat => "flat",
        Shape::Monotonic => "monotonic",
        Shape::NonMonotonic => "non-monotonic",
    }
}

fn doubt_word(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Failures => "failures",
        Doubt::Noise => "noise",
        Doubt::Unfinished => "unfinished",
    }
}

/// Writes what is told of a trigger; the exit status if it is all there is.
pub(super) fn print(
    line: &Line,
    located: &Located,
    scale: Scale,
    is_json: bool,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let is_found = !line.changes.is_empty() || line.first_bad.is_some();
    let exit = if is_found { Exit::Findings } else { Exit::NotReproducible };
    if is_json {
        streams.json_line(line)?;
        return Ok(exit);
    }
    let out = streams.results();
    let summary = match (located.shape, line.first_bad.as_ref()) {
        (Shape::Unmeasured, _) => "could not be measured at two points".to_owned(),
        (Shape::Flat, Some(first_bad)) => format!("bad everywhere, from {first_bad} on"),
        (Shape::Flat, None) => {
            let value = located.seen.values().next().copied().unwrap_or_default();
            format!("no change above the noise: {} everywhere", scale.text(value))
        }
        (shape, Some(first_bad)) if line.last_good.is_none() => {
            format!("{}, bad from the earliest on that could be asked, {first_bad}", shape_word(shape))
        }
        (shape, _) => shape_word(shape).to_owned(),
    };
    writeln!(out, "{}: {summary}", line.trigger)?;
    for (change, found) in line.changes.iter().zip(&located.changes) {
        let (from, to) = (scale.text(found.from), scale.text(found.to));
        match found.doubt {
            None => writeln!(out, "  {} {}: {from} -> {to}", change.after, change.title)?,
            Some(doubt) => writeln!(
                out,
                "  one of {} after {} up to {}: {from} -> {to} ({})",
                change.candidates,
                change.before,
                change.after,
                reason(doubt)
            )?,
        }
    }
    if line.more_may_exist {
        writeln!(out, "  more may exist")?;
    } else if line.unseen > 0 && !line.changes.is_empty() {
        writeln!(out, "  a change that was undone within {} would not be seen", line.unseen)?;
    }
    Ok(exit)
}

fn reason(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Failures => "those in between cannot be built or asked",
        Doubt::Noise => "those in between are not apart by more than the noise",
        Doubt::Unfinished => "not searched to the end",
    }
}

/// The exit status of several triggers.
pub(super) fn worst(exits: &[Exit]) -> Exit {
    let is_found = exits.contains(&Exit::Findings);
    if is_found { Exit::Findings } else { exits.first().copied().unwrap_or(Exit::Done) }
}

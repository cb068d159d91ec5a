//! What the measurements of one trigger say: where it changes, and which point would tell more.
//!
//! It is a function of the measurements alone, so it may be asked again whenever there are more of them.

use std::collections::BTreeMap;

use super::BisectSettings;
use super::level::Level;

/// A place in the history where something changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The last point that is as before.
    pub before: usize,
    /// The first point that is known to be as after it.
    pub after: usize,
    /// What was measured before.
    pub from: f64,
    /// What was measured after.
    pub to: f64,
    /// Why the change may be at any point after `before` up to `after`; none if it is at `after` for sure.
    pub doubt: Option<Doubt>,
}

impl Change {
    /// Whether it goes up.
    pub fn is_rise(&self) -> bool {
        self.to > self.from
    }
}

/// Why it is not known at which point a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Points in between cannot be made ready or measured.
    Failures,
    /// What was measured in between is not apart from the ends by more than the noise.
    Noise,
    /// It was not searched to the end.
    Unfinished,
}

/// A point at which a trigger should be measured, or measured again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wish {
    pub point: usize,
}

/// What is known of a stretch of the history.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub changes: Vec<Change>,
    pub wishes: Vec<Wish>,
}

/// What is known of a whole history.
pub(super) fn search(
    levels: &BTreeMap<usize, Option<Level>>,
    ready: &BTreeMap<usize, bool>,
    settings: &BisectSettings,
) -> Search {
    let measured: Vec<(usize, &Level)> =
        levels.iter().filter_map(|(point, level)| Some((*point, level.as_ref()?))).collect();
    let medians = measured.iter().map(|(_, level)| level.median());
    let highest = medians.clone().fold(f64::MIN, f64::max);
    let lowest = medians.fold(f64::MAX, f64::min);
    let floor = settings.floor.max(settings.least_share * (highest - lowest) * ALMOST);
    let history = History { levels, ready, settings, floor };
    let mut found = history.search(&measured);
    found.wishes.extend(history.beyond(&measured));
    found
}

/// A difference that is just the least share counts.
const ALMOST: f64 = 0.999;

/// A change is believed after measuring again, and noise after doing so several times.
const CONFIRMED: usize = 2;
const MAX_REPEATS: usize = 3;

struct History<'h> {
    levels: &'h BTreeMap<usize, Option<Level>>,
    ready: &'h BTreeMap<usize, bool>,
    settings: &'h BisectSettings,
    floor: f64,
}

impl History<'_> {
    /// Searches between the first and the last of some points that were measured. The depth of the recursion is at most
    /// their number, which is small.
    fn search(&self, measured: &[(usize, &Level)]) -> Search {
        let [first, .., last] = measured else { return Search::default() };
        let is_change = first.1.differs(last.1, self.floor);
        if let [_, inner @ .., _] = measured
            && !inner.is_empty()
        {
            let middle = usize::midpoint(first.0, last.0);
            let nearest = (1..=inner.len()).min_by_key(|index| measured[*index].0.abs_diff(middle));
            let split = nearest.unwrap_or(1);
            let mut found = self.search(&measured[..=split]);
            let right = self.search(&measured[split..]);
            found.changes.extend(right.changes);
            found.wishes.extend(right.wishes);
            if !found.changes.is_empty() || !found.wishes.is_empty() || !is_change {
                return found;
            }
            // The ends differ, but no two neighbours do.
            let again: Vec<Wish> =
                measured.iter().filter_map(|seen| self.again(seen.0, seen.1, MAX_REPEATS)).collect();
            let doubt = if again.is_empty() { Doubt::Noise } else { Doubt::Unfinished };
            return Search { changes: vec![self.change(*first, *last, Some(doubt))], wishes: again };
        }
        if !is_change {
            return Search::default();
        }
        if last.0 - first.0 == 1 {
            let wishes =
                [first, last].iter().filter_map(|seen| self.again(seen.0, seen.1, CONFIRMED)).collect();
            return Search { changes: vec![self.change(*first, *last, None)], wishes };
        }
        match self.next_point(first.0, last.0) {
            Some(point) => Search {
                changes: vec![self.change(*first, *last, Some(Doubt::Unfinished))],
                wishes: vec![Wish { point }],
            },
            None => Search {
                changes: vec![self.change(*first, *last, Some(Doubt::Failures))],
                wishes: Vec::new(),
            },
        }
    }

    /// Points that tell how far one can measure towards both ends, if the ends themselves cannot be measured.
    fn beyond(&self, measured: &[(usize, &Level)]) -> Vec<Wish> {
        let (Some((lowest, _)), Some((highest, _))) = (measured.first(), measured.last()) else {
            return Vec::new();
        };
        let below = (0..*lowest).rev().find(|point| self.is_bad(*point));
        let above = (highest + 1..self.settings.points).find(|point| self.is_bad(*point));
        let holes = [below.map(|below| (below, *lowest)), above.map(|above| (*highest, above))];
        let holes = holes.into_iter().flatten().filter(|(from, to)| to - from > 1);
        holes.map(|(from, to)| Wish { point: usize::midpoint(from, to) }).collect()
    }

    /// Whether a point is known to be of no use.
    fn is_bad(&self, point: usize) -> bool {
        self.ready.get(&point) == Some(&false) || matches!(self.levels.get(&point), Some(None))
    }

    fn change(&self, before: (usize, &Level), after: (usize, &Level), doubt: Option<Doubt>) -> Change {
        Change { before: before.0, after: after.0, from: before.1.median(), to: after.1.median(), doubt }
    }

    /// The wish to measure a point again, unless that was done so many times.
    fn again(&self, point: usize, level: &Level, times: usize) -> Option<Wish> {
        (level.len() < times * self.settings.repeats).then_some(Wish { point })
    }

    /// The point that tells most between two others: one that is ready if it does not lie at the edge, otherwise one in
    /// the middle of the largest hole, since points that fail come in rows.
    fn next_point(&self, first: usize, last: usize) -> Option<usize> {
        let edge = (last - first) / 8;
        let middle = usize::midpoint(first, last);
        let is_useful =
            |point: &usize| *point >= first + edge && *point + edge <= last && !self.is_bad(*point);
        let ready =
            self.ready.range(first + 1..last).filter(|(_, is_ready)| **is_ready).map(|(point, _)| *point);
        if let Some(point) = ready.filter(is_useful).min_by_key(|point| point.abs_diff(middle)) {
            return Some(point);
        }
        let failures: Vec<usize> = (first + 1..last).filter(|point| self.is_bad(*point)).collect();
        let tried = failures.iter().filter(|point| !self.settings.absent.contains(*point));
        if tried.count() >= self.settings.most_failures {
            return None;
        }
        let ends: Vec<usize> = [vec![first], failures, vec![last]].concat();
        let hole =
            ends.windows(2).filter(|pair| pair[1] - pair[0] > 1).max_by_key(|pair| pair[1] - pair[0])?;
        Some(usize::midpoint(hole[0], hole[1]))
    }
}

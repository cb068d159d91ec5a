//! Finds where in a history things change, for many triggers at once.
//!
//! A history is a row of points: releases, or the commits of a branch. Making a point ready is dear, as a commit must be
//! built; measuring a trigger at a point that is ready is cheap. So all triggers share every point that is made ready, and
//! a point that is ready for one trigger is looked at for another before a new one is made.
//!
//! Follows Algorithm 2 of Zhang et al., *Demystifying Performance Regressions in String Solvers*: a stretch whose ends
//! differ is halved, and a half is searched if its own ends differ. It departs from it in three ways. Ends differ only if
//! their difference is above the measured noise, since the local gap of the algorithm otherwise chases noise; a half counts
//! from a tenth of the whole difference on instead of a third, since a third misses commits in histories that only rise;
//! and some points all over the history are looked at first, since bisection alone never sees that a history is not
//! monotonic. What is true or false is measured as 1 or 0.

pub mod asking;
pub mod commits;
pub mod finding;
pub mod journal;
mod level;
pub mod releases;
pub mod request;
mod search;
pub mod summary;

use std::collections::{BTreeMap, BTreeSet};

use level::Level;
use search::{Search, Wish};

pub use search::{Change, Doubt};

/// What can be seen at the points of a history.
pub trait Laboratory {
    /// Makes a point ready to be measured; false if that cannot be done, as with a commit that does not build.
    fn prepare(&mut self, point: usize) -> Result<bool, Stopped>;

    /// Measures a trigger once at a point that is ready; nothing if that cannot be done there.
    fn measure(&mut self, point: usize, trigger: usize) -> Result<Option<f64>, Stopped>;
}

/// Nothing more can be seen: the user wants an end, or the machine failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// What is looked for, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct BisectSettings {
    /// How many points the history has.
    pub points: usize,
    /// How many triggers there are.
    pub triggers: usize,
    /// Points that are looked at first for every trigger, besides the first and the last.
    pub probes: Vec<usize>,
    /// How often a trigger is measured at a point before anything is concluded.
    pub repeats: usize,
    /// A difference that is below this is none.
    pub floor: f64,
    /// A difference that is below this share of a trigger's largest one does not count.
    pub least_share: f64,
    /// So many points of a stretch may fail before the stretch as a whole is the result.
    pub most_failures: usize,
    /// What is done with points that were made ready for other triggers, once everything is found.
    pub revisits: Revisits,
    /// Points that are part of the history and cannot be made ready, as releases that are not installed.
    pub absent: BTreeSet<usize>,
}

/// Whether triggers are measured where they need not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revisits {
    /// At all points that are ready: more is seen of the history.
    All,
    /// Nowhere: measuring takes long.
    None,
}

impl BisectSettings {
    /// For triggers of which it is only asked whether they show something.
    pub fn of_claims(points: usize, triggers: usize) -> Self {
        BisectSettings {
            points,
            triggers,
            probes: spread_evenly(points, DEFAULT_PROBES),
            repeats: 1,
            floor: 0.0,
            least_share: MIN_SHARE,
            most_failures: MAX_FAILURES,
            revisits: Revisits::All,
            absent: BTreeSet::new(),
        }
    }

    /// For triggers whose time is measured; differences below `floor` are none.
    pub fn of_times(points: usize, triggers: usize, floor: f64) -> Self {
        let claims = BisectSettings::of_claims(points, triggers);
        BisectSettings { repeats: TIME_REPEATS, floor, revisits: Revisits::None, ..claims }
    }
}

impl BisectSettings {
    /// Looks at every point there is, instead of as few as possible.
    pub fn look_at_all(&mut self) {
        self.probes = (0..self.points).filter(|point| !self.absent.contains(point)).collect();
    }

    fn is_exhaustive(&self) -> bool {
        self.probes.len() + self.absent.len() >= self.points
    }
}

/// With these, in a long history, a change that is undone within an eighth of it may stay unseen.
pub const DEFAULT_PROBES: usize = 7;

/// Times say nothing with fewer repeats.
pub const TIME_REPEATS: usize = 5;

const MIN_SHARE: f64 = 0.1;
const MAX_FAILURES: usize = 8;

/// How closely a history is looked at.
#[derive(Debug, Clone, Copy)]
pub struct SearchDepth {
    /// Points all over the history that are looked at first.
    pub probes: usize,
    /// How often each point is measured; none for what is usual.
    pub repeats: Option<usize>,
    /// Whether all points are looked at.
    pub is_exhaustive: bool,
    /// Differences of fewer milliseconds do not count.
    pub floor_ms: f64,
}

impl SearchDepth {
    /// The same for a history.
    pub fn settings(&self, points: usize, triggers: usize, is_timed: bool) -> BisectSettings {
        let mut settings = match is_timed {
            true => BisectSettings::of_times(points, triggers, self.floor_ms),
            false => BisectSettings::of_claims(points, triggers),
        };
        settings.probes = spread_evenly(points, self.probes);
        settings.repeats = self.repeats.unwrap_or(settings.repeats);
        if self.is_exhaustive {
            settings.look_at_all();
        }
        settings
    }
}

/// Points at equal distances, none of them at an end; fewer if they were to lie close to each other.
pub fn spread_evenly(points: usize, count: usize) -> Vec<usize> {
    let last = points.saturating_sub(1);
    let count = count.min(last / MIN_DISTANCE);
    (1..=count).map(|number| number * last / (count + 1)).collect()
}

/// Probes that are closer together cost more than bisection saves by them.
const MIN_DISTANCE: usize = 8;

/// So many points that fail, the ends among them, and none that does not.
const HOPELESS: usize = 4;

/// What was found, as far as one came.
#[derive(Debug, Clone, PartialEq)]
pub struct Localization {
    /// What was found for each trigger.
    pub triggers: Vec<Located>,
    /// Points that were made ready.
    pub prepared: usize,
    /// Points that could not be made ready.
    pub failed: usize,
    /// The points that could not be made ready, in order; those that are absent are not among them.
    pub not_ready: Vec<usize>,
    /// Measurements.
    pub runs: u64,
    /// Whether it is the end, or one was stopped.
    pub is_finished: bool,
}

/// What was found for a trigger.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// What was measured, by points: the median.
    pub seen: BTreeMap<usize, f64>,
    /// Points that are ready and where it could not be measured, in order.
    pub undecided: Vec<usize>,
    /// Where it changes, in order; a stretch that was not searched to its end is one with a doubt.
    pub changes: Vec<Change>,
    /// How the history looks.
    pub shape: ChangeShape,
    /// The most points in a row of which nothing is known, between points that are alike. A change that is undone among
    /// them is not seen.
    pub unseen: usize,
}

/// How a history looks, as far as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeShape {
    /// It could not be measured at two points.
    Unmeasured,
    /// Nothing changes, or nothing but noise.
    Flat,
    /// All changes go in one direction.
    Monotonic,
    /// Changes go in both directions.
    NonMonotonic,
}

impl Located {
    /// Whether there may be more changes than those that were found.
    pub fn more_may_exist(&self) -> bool {
        self.shape == ChangeShape::NonMonotonic || self.changes.iter().any(|change| change.doubt.is_some())
    }
}

/// How many points one bisection for one trigger makes ready, the ends not counted.
pub fn bisection_steps(points: usize) -> u32 {
    let candidates = points.saturating_sub(1).max(1);
    usize::BITS - (candidates - 1).leading_zeros()
}

/// Finds the changes of all triggers.
pub fn localize(laboratory: &mut dyn Laboratory, settings: &BisectSettings) -> Localization {
    let mut work = Work::new(laboratory, settings);
    let is_finished = work.run().is_ok();
    work.conclude(is_finished)
}

/// A localization under way.
struct Work<'l> {
    laboratory: &'l mut dyn Laboratory,
    settings: &'l BisectSettings,
    /// Whether points that were tried are ready.
    ready: BTreeMap<usize, bool>,
    /// By triggers and points, what was measured; nothing where it could not be.
    levels: Vec<BTreeMap<usize, Option<Level>>>,
    runs: u64,
}

impl<'l> Work<'l> {
    fn new(laboratory: &'l mut dyn Laboratory, settings: &'l BisectSettings) -> Self {
        let levels = vec![BTreeMap::new(); settings.triggers];
        let ready = settings.absent.iter().map(|point| (*point, false)).collect();
        Work { laboratory, settings, ready, levels, runs: 0 }
    }

    fn run(&mut self) -> Result<(), Stopped> {
        let last = self.settings.points.saturating_sub(1);
        let mut first_looks = vec![0, last];
        first_looks.extend(self.settings.probes.iter().copied().filter(|probe| *probe < last));
        for point in first_looks {
            self.look_for_all(point)?;
            // Where nothing can be made ready, trying everything helps nobody.
            let tried = self.ready.len() - self.settings.absent.len();
            let is_hopeless = tried >= HOPELESS && !self.ready.values().any(|is_ready| *is_ready);
            if is_hopeless && !self.settings.is_exhaustive() {
                return Err(Stopped);
            }
        }
        self.search_all()?;
        if self.settings.revisits == Revisits::All {
            let ready: Vec<usize> =
                self.ready.iter().filter(|(_, is_ready)| **is_ready).map(|(point, _)| *point).collect();
            for point in ready {
                self.look_for_all(point)?;
            }
            self.search_all()?;
        }
        Ok(())
    }

    /// Grants wishes until there are none.
    fn search_all(&mut self) -> Result<(), Stopped> {
        loop {
            let wishes: Vec<(usize, Wish)> = (0..self.settings.triggers)
                .flat_map(|trigger| {
                    let wishes = self.search(trigger).wishes;
                    wishes.into_iter().map(move |wish| (trigger, wish))
                })
                .collect();
            let mut is_something_new = false;
            for (trigger, wish) in &wishes {
                if self.ready.get(&wish.point) == Some(&true) {
                    self.measure(wish.point, *trigger)?;
                    is_something_new = true;
                }
            }
            if is_something_new {
                continue;
            }
            // The point that helps most triggers; of several the first.
            let mut wanted: BTreeMap<usize, usize> = BTreeMap::new();
            wishes.iter().for_each(|(_, wish)| *wanted.entry(wish.point).or_default() += 1);
            let most = wanted.iter().max_by_key(|(point, count)| (**count, std::cmp::Reverse(**point)));
            let Some((&point, _)) = most else { return Ok(()) };
            self.prepare(point)?;
        }
    }

    fn search(&self, trigger: usize) -> Search {
        search::search(&self.levels[trigger], &self.ready, self.settings)
    }

    fn look_for_all(&mut self, point: usize) -> Result<(), Stopped> {
        if !self.prepare(point)? {
            return Ok(());
        }
        for trigger in 0..self.settings.triggers {
            if !self.levels[trigger].contains_key(&point) {
                self.measure(point, trigger)?;
            }
        }
        Ok(())
    }

    fn prepare(&mut self, point: usize) -> Result<bool, Stopped> {
        if let Some(is_ready) = self.ready.get(&point) {
            return Ok(*is_ready);
        }
        let is_ready = self.laboratory.prepare(point)?;
        self.ready.insert(point, is_ready);
        Ok(is_ready)
    }

    /// Measures as often as is needed, once more if it was measured already.
    fn measure(&mut self, point: usize, trigger: usize) -> Result<(), Stopped> {
        let mut samples = Vec::new();
        while samples.len() < self.settings.repeats {
            self.runs += 1;
            match self.laboratory.measure(point, trigger)? {
                Some(sample) => samples.push(sample),
                None => break,
            }
        }
        let level = self.levels[trigger].entry(point).or_default();
        if samples.len() < self.settings.repeats {
            // What cannot be measured every time cannot be relied on.
            *level = None;
            return Ok(());
        }
        level.get_or_insert_default().add(samples);
        Ok(())
    }

    fn conclude(&self, is_finished: bool) -> Localization {
        let triggers = (0..self.settings.triggers).map(|trigger| self.located(trigger)).collect();
        let prepared = self.ready.values().filter(|is_ready| **is_ready).count();
        let is_failure =
            |(point, is_ready): &(&usize, &bool)| !**is_ready && !self.settings.absent.contains(*point);
        let not_ready: Vec<usize> = self.ready.iter().filter(is_failure).map(|(point, _)| *point).collect();
        Localization { triggers, prepared, failed: not_ready.len(), not_ready, runs: self.runs, is_finished }
    }

    fn located(&self, trigger: usize) -> Located {
        let changes = self.search(trigger).changes;
        let seen: BTreeMap<usize, f64> = self.levels[trigger]
            .iter()
            .filter_map(|(point, level)| Some((*point, level.as_ref()?.median())))
            .collect();
        let has = |is_rise: bool| changes.iter().any(|change| change.is_rise() == is_rise);
        let shape = match (has(true), has(false)) {
            _ if seen.len() < 2 => ChangeShape::Unmeasured,
            (true, true) => ChangeShape::NonMonotonic,
            (false, false) => ChangeShape::Flat,
            _ => ChangeShape::Monotonic,
        };
        let points: Vec<usize> = seen.keys().copied().collect();
        let is_change =
            |from: usize, to: usize| changes.iter().any(|change| change.before < to && from < change.after);
        let stretches = points.windows(2).filter(|pair| !is_change(pair[0], pair[1]));
        let unseen = stretches.map(|pair| pair[1] - pair[0] - 1).max().unwrap_or(0);
        let undecided = self.levels[trigger].iter().filter(|(_, level)| level.is_none());
        let undecided = undecided.map(|(point, _)| *point).collect();
        Located { seen, undecided, changes, shape, unseen }
    }
}

#[cfg(test)]
mod tests;

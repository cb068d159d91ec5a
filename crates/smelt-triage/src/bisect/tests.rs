//! Histories with planted changes, whose points and measurements are counted.

use super::*;

/// A history in memory: what every trigger measures at every point, which points fail, and how much noise there is.
struct Planted {
    /// By triggers: the points from which on another value is measured, after the value of the first point.
    steps: Vec<(f64, Vec<(usize, f64)>)>,
    failing: Vec<std::ops::Range<usize>>,
    /// The most that is added to a measurement.
    noise: f64,
    random: u64,
    /// Points that were made ready, or tried.
    builds: Vec<usize>,
    /// After so many builds the user wants an end.
    most_builds: usize,
}

impl Planted {
    fn new(steps: Vec<(f64, Vec<(usize, f64)>)>) -> Self {
        let (failing, builds) = (Vec::new(), Vec::new());
        Planted { steps, failing, noise: 0.0, random: 1, builds, most_builds: usize::MAX }
    }

    /// Triggers that show something from these points on.
    fn claims(first_bad: impl IntoIterator<Item = usize>) -> Self {
        Planted::new(first_bad.into_iter().map(|point| (0.0, vec![(point, 1.0)])).collect())
    }

    fn value(&self, point: usize, trigger: usize) -> f64 {
        let (first, steps) = &self.steps[trigger];
        steps.iter().rev().find(|(from, _)| *from <= point).map_or(*first, |(_, value)| *value)
    }

    /// A number from 0 to 1.
    fn draw(&mut self) -> f64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 40) as f64 / (1 << 24) as f64
    }

    fn times(&mut self, points: usize) -> Localization {
        let settings = BisectSettings::of_times(points, self.steps.len(), 0.0);
        localize(self, &settings)
    }

    fn truths(&mut self, points: usize) -> Localization {
        let settings = BisectSettings::of_claims(points, self.steps.len());
        localize(self, &settings)
    }
}

impl Laboratory for Planted {
    fn prepare(&mut self, point: usize) -> Result<bool, Stopped> {
        assert!(!self.builds.contains(&point), "{point} is built twice");
        if self.builds.len() == self.most_builds {
            return Err(Stopped);
        }
        self.builds.push(point);
        Ok(!self.failing.iter().any(|range| range.contains(&point)))
    }

    fn measure(&mut self, point: usize, trigger: usize) -> Result<Option<f64>, Stopped> {
        assert!(self.builds.contains(&point));
        let noise = self.noise * self.draw();
        Ok(Some(self.value(point, trigger) + noise))
    }
}

/// The points of changes without doubt.
fn culprits(located: &Located) -> Vec<usize> {
    located.changes.iter().filter(|change| change.doubt.is_none()).map(|change| change.after).collect()
}

#[test]
fn thirty_triggers_of_five_commits_need_a_quarter_of_the_builds_of_bisections() {
    for shift in 0..5 {
        let planted: Vec<usize> =
            [17, 60, 111, 180, 240].iter().map(|point| (point + 37 * shift) % 255 + 1).collect();
        let mut history = Planted::claims((0..30).map(|trigger| planted[trigger % 5]));
        let found = history.truths(257);
        for (trigger, located) in found.triggers.iter().enumerate() {
            assert_eq!(culprits(located), [planted[trigger % 5]]);
            assert_eq!((located.shape, located.more_may_exist()), (ChangeShape::Monotonic, false));
        }
        let one_each = 30 * bisection_steps(257) as usize;
        assert_eq!(one_each, 240);
        assert!(history.builds.len() * 4 <= one_each, "{} builds", history.builds.len());
        assert_eq!(found.prepared, history.builds.len());
    }
}

#[test]
fn one_trigger_needs_few_builds_besides_the_probes() {
    let mut history = Planted::claims([100]);
    let mut settings = BisectSettings::of_claims(257, 1);
    assert_eq!(settings.probes.len(), DEFAULT_PROBES);
    assert_eq!(culprits(&localize(&mut history, &settings).triggers[0]), [100]);
    assert!(history.builds.len() <= 2 + 7 + 5, "{:?}", history.builds);
    settings.probes.clear();
    let mut history = Planted::claims([100]);
    assert_eq!(culprits(&localize(&mut history, &settings).triggers[0]), [100]);
    assert!(history.builds.len() <= 2 + 8, "{:?}", history.builds);
}

#[test]
fn all_commits_of_a_history_that_only_rises_are_found() {
    // A third of the whole gap, as in the algorithm of the paper, misses the last one.
    let steps = vec![(10, 1.0), (20, 2.0), (30, 3.0), (40, 4.0), (250, 5.0)];
    let found = Planted::new(vec![(0.0, steps)]).times(257);
    assert_eq!(culprits(&found.triggers[0]), [10, 20, 30, 40, 250]);
    assert_eq!(found.triggers[0].shape, ChangeShape::Monotonic);
}

#[test]
fn a_history_that_is_not_monotonic_is_told_and_searched_on_both_sides() {
    let steps = vec![(100, 1.0), (150, 0.0), (200, 1.0)];
    let found = Planted::new(vec![(0.0, steps)]).truths(257);
    assert_eq!(culprits(&found.triggers[0]), [100, 150, 200]);
    assert_eq!(
        (found.triggers[0].shape, found.triggers[0].more_may_exist()),
        (ChangeShape::NonMonotonic, true)
    );
    // Shown in the middle only.
    let found = Planted::new(vec![(0.0, vec![(100, 1.0), (150, 0.0)])]).truths(257);
    assert_eq!(culprits(&found.triggers[0]), [100, 150]);
}

#[test]
fn what_was_built_for_others_shows_what_probes_do_not() {
    // Undone within ten commits, between two probes; but another trigger leads there.
    let steps = vec![(100, 1.0), (110, 0.0), (200, 1.0)];
    let alone = Planted::new(vec![(0.0, steps.clone())]).truths(257);
    assert_eq!(culprits(&alone.triggers[0]), [200]);
    assert!(alone.triggers[0].unseen >= 10);
    let together = Planted::new(vec![(0.0, steps), (0.0, vec![(105, 1.0)])]).truths(257);
    assert_eq!(culprits(&together.triggers[0]), [100, 110, 200]);
}

#[test]
fn commits_that_do_not_build_are_skipped() {
    let mut history = Planted::claims([100, 60]);
    history.failing = vec![98..104, 128..129, 0..1];
    let found = history.truths(257);
    let change = &found.triggers[0].changes[0];
    assert_eq!((change.before, change.after, change.doubt), (97, 104, Some(Doubt::Failures)));
    assert!(found.triggers[0].more_may_exist());
    assert_eq!(culprits(&found.triggers[1]), [60]);
    assert!(history.builds.len() < 45, "{}", history.builds.len());
    // A long row of them is not tried one by one.
    let mut history = Planted::claims([100]);
    history.failing.push(70..160);
    let found = history.truths(257);
    let change = &found.triggers[0].changes[0];
    assert!(change.before < 70 && change.after >= 160 && change.doubt == Some(Doubt::Failures));
    assert!(history.builds.len() < 25, "{}", history.builds.len());
}

#[test]
fn where_nothing_builds_it_ends_soon() {
    let mut history = Planted::claims([100]);
    history.failing.push(0..257);
    let found = history.truths(257);
    assert_eq!((found.prepared, found.is_finished), (0, false));
    assert!(history.builds.len() <= 4);
}

#[test]
fn ends_that_cannot_be_measured_are_approached() {
    let mut history = Planted::claims([40]);
    history.failing = vec![0..33, 200..257];
    let found = history.truths(257);
    assert_eq!(culprits(&found.triggers[0]), [40]);
    let seen: Vec<usize> = found.triggers[0].seen.keys().copied().collect();
    assert_eq!((seen[0], seen[seen.len() - 1]), (33, 199));
}

#[test]
fn noise_is_not_chased() {
    for random in 1..40 {
        let mut history =
            Planted::new(vec![(100.0, vec![(77, 400.0)]), (100.0, vec![(30, 200.0), (201, 300.0)])]);
        (history.noise, history.random) = (30.0, random);
        let found = history.times(257);
        assert_eq!(culprits(&found.triggers[0]), [77], "{random}");
        assert_eq!(culprits(&found.triggers[1]), [30, 201], "{random}");
        assert!(history.builds.len() <= 2 + 7 + 15, "{}", history.builds.len());
    }
}

#[test]
fn a_gap_below_the_noise_is_a_range_or_nothing() {
    // Rises a little at every commit: the ends differ, but nowhere two neighbours.
    let drift = (1..257).map(|point| (point, 100.0 + point as f64)).collect();
    let mut history = Planted::new(vec![(100.0, drift)]);
    history.noise = 80.0;
    let found = history.times(257);
    let located = &found.triggers[0];
    assert!(culprits(located).is_empty(), "{located:?}");
    assert!(located.changes.iter().all(|change| change.doubt == Some(Doubt::Noise)), "{located:?}");
    assert!(!located.changes.is_empty() && located.more_may_exist());
    // A change that drowns in noise.
    let mut history = Planted::new(vec![(100.0, vec![(90, 110.0)])]);
    history.noise = 80.0;
    assert_eq!(history.times(257).triggers[0].shape, ChangeShape::Flat);
}

#[test]
fn an_answer_that_changes_from_run_to_run_is_no_change() {
    let mut settings = BisectSettings::of_claims(65, 1);
    settings.repeats = 5;
    let mut toss = Toss(false);
    let found = localize(&mut toss, &settings);
    assert_eq!(found.triggers[0].shape, ChangeShape::Flat);
}

/// Says yes and no in turn.
struct Toss(bool);

impl Laboratory for Toss {
    fn prepare(&mut self, _point: usize) -> Result<bool, Stopped> {
        Ok(true)
    }

    fn measure(&mut self, _point: usize, _trigger: usize) -> Result<Option<f64>, Stopped> {
        self.0 = !self.0;
        Ok(Some(f64::from(u8::from(self.0))))
    }
}

#[test]
fn what_is_known_is_kept_when_one_is_stopped() {
    let mut history = Planted::claims([100]);
    history.most_builds = 10;
    let found = history.truths(257);
    assert!(!found.is_finished);
    let change = &found.triggers[0].changes[0];
    assert_eq!((change.before, change.after, change.doubt), (96, 112, Some(Doubt::Unfinished)));
}

#[test]
fn short_histories_need_no_probes() {
    for points in 2..10 {
        for first_bad in 1..points {
            let found = Planted::claims([first_bad]).truths(points);
            assert_eq!(culprits(&found.triggers[0]), [first_bad]);
        }
    }
    assert_eq!(Planted::claims([1]).truths(1).triggers[0].shape, ChangeShape::Unmeasured);
}

#[test]
fn bisection_takes_the_logarithm() {
    assert_eq!([2, 3, 5, 9, 257].map(bisection_steps), [0, 1, 2, 3, 8]);
}

#[test]
fn a_change_among_points_that_are_absent_is_a_range() {
    let mut history = Planted::claims([20]);
    let mut settings = BisectSettings::of_claims(40, 1);
    settings.absent = (0..40).filter(|point| ![3, 11, 26, 39].contains(point)).collect();
    settings.probes = vec![3, 11, 26, 39];
    let found = localize(&mut history, &settings);
    let change = &found.triggers[0].changes[0];
    assert_eq!((change.before, change.after, change.doubt), (11, 26, Some(Doubt::Failures)));
    assert_eq!((found.is_finished, found.failed, found.prepared), (true, 0, 4));
    // What is there is found among many that are not.
    settings.probes = vec![3, 39];
    let found = localize(&mut Planted::claims([20]), &settings);
    assert_eq!(found.triggers[0].changes[0].after, 26);
}

#[test]
fn looking_at_every_point_finds_what_probes_do_not() {
    let steps = vec![(17, 1.0), (21, 0.0)];
    let mut history = Planted::new(vec![(0.0, steps)]);
    let mut settings = BisectSettings::of_claims(24, 1);
    assert_eq!(localize(&mut history, &settings).triggers[0].shape, ChangeShape::Flat);
    settings.look_at_all();
    let mut history = Planted::new(vec![(0.0, vec![(17, 1.0), (21, 0.0)])]);
    history.failing.push(0..6);
    let found = localize(&mut history, &settings);
    assert_eq!(culprits(&found.triggers[0]), [17, 21]);
    assert_eq!((found.prepared, found.not_ready), (18, vec![0, 1, 2, 3, 4, 5]));
}

use super::*;

/// Formulas are numbers. Fresh ones count from 0 by hundreds; action n adds n.
struct Counting {
    fresh: u32,
    actions: usize,
    asked: Vec<Complexity>,
}

impl Counting {
    fn new(actions: usize) -> Self {
        Counting { fresh: 0, actions, asked: Vec::new() }
    }
}

impl Maker<u32> for Counting {
    fn actions(&self) -> usize {
        self.actions
    }

    fn fresh(&mut self, complexity: &Complexity, _: &mut Random) -> u32 {
        self.asked.push(*complexity);
        self.fresh += 100;
        self.fresh - 100
    }

    fn mutate(&mut self, formula: &u32, action: usize, _: &Complexity, _: &mut Random) -> Option<u32> {
        Some(formula + action as u32)
    }
}

/// Two releases: the older takes a tenth of a second, the newer that and the score.
fn outcome(score: f64) -> FormulaTimes {
    FormulaTimes { times: vec![0.1, 0.1 + score], score: Some(score), is_slow: score > 1.0 }
}

fn settings(variant: Variant) -> Settings {
    Settings::new(variant, 3.0)
}

#[test]
fn every_member_is_measured_and_then_mutated() {
    let (mut maker, mut random) = (Counting::new(1), Random::new(1));
    let mut search = Search::new(settings(Variant::Full), 1);
    let mut asked = Vec::new();
    for _ in 0..10 {
        asked.push(search.ask(&mut maker, &mut random));
        assert_eq!(search.ask(&mut maker, &mut random), asked[asked.len() - 1]);
        assert_eq!(search.tell(&outcome(0.0)), None);
    }
    assert_eq!(asked, [0, 0, 100, 100, 200, 200, 300, 300, 400, 400]);
}

#[test]
fn the_best_of_a_round_stays_and_the_rest_is_fresh() {
    let (mut maker, mut random) = (Counting::new(2), Random::new(1));
    let mut search = Search::new(settings(Variant::Full), 2);
    let mut best = (0, f64::NEG_INFINITY);
    for step in 0..10 {
        let formula = search.ask(&mut maker, &mut random);
        // The third formula of the queue is the best one, its mutant a little better still.
        let score = if formula / 100 == 2 { 0.5 + 0.01 * f64::from(step) } else { 0.0 };
        if score > best.1 {
            best = (formula, score);
        }
        search.tell(&outcome(score));
    }
    // It was measured, so it is mutated at once; the others come after it.
    let first = search.ask(&mut maker, &mut random);
    assert!(first == best.0 || first == best.0 + 1, "{first}");
    search.tell(&outcome(0.0));
    assert_eq!(search.ask(&mut maker, &mut random), 500);
    assert_eq!(search.queue.len(), 6);
}

#[test]
fn what_is_slow_is_given_back_and_leaves_the_queue() {
    let (mut maker, mut random) = (Counting::new(1), Random::new(1));
    let mut search = Search::new(settings(Variant::Full), 1);
    search.ask(&mut maker, &mut random);
    assert_eq!(search.tell(&outcome(2.0)), Some(0));
    // It is not mutated: the next one has its turn.
    assert_eq!(search.ask(&mut maker, &mut random), 100);
    search.tell(&outcome(0.0));
    search.ask(&mut maker, &mut random);
    assert_eq!(search.tell(&outcome(2.0)), Some(100));
    for _ in 0..6 {
        search.ask(&mut maker, &mut random);
        search.tell(&outcome(-0.05));
    }
    // The best of what is left is the one with score zero, not one of the slow ones.
    assert_eq!(search.ask(&mut maker, &mut random), 100);
    assert_eq!(search.queue[0].score, Some(0.0));
}

#[test]
fn the_reward_is_gamma_times_the_least_distance() {
    let (mut maker, mut random) = (Counting::new(1), Random::new(1));
    let mut search = Search::new(settings(Variant::Full), 1);
    search.ask(&mut maker, &mut random);
    search.tell(&outcome(0.0));
    search.ask(&mut maker, &mut random);
    search.tell(&outcome(0.3));
    // Scaled to 20 s: (0.1, 0.1) and (0.1, 0.4) are 0.3 * 20 / 3 = 2 apart.
    let Belief { gains, losses } = search.beliefs()[0];
    assert!((gains - 1.0 - 0.05 * 2.0).abs() < 1e-9, "{gains}");
    assert_eq!(losses, 1.0);
    // The same times once more are no news, but a gain all the same.
    search.ask(&mut maker, &mut random);
    search.tell(&outcome(0.0));
    search.ask(&mut maker, &mut random);
    search.tell(&outcome(0.3));
    assert!((search.beliefs()[0].gains - gains).abs() < 1e-9);
    assert_eq!(search.beliefs()[0].losses, 1.0);
    // What does not help costs gamma.
    search.ask(&mut maker, &mut random);
    search.tell(&outcome(0.2));
    search.ask(&mut maker, &mut random);
    search.tell(&outcome(0.2));
    assert!((search.beliefs()[0].losses - 1.05).abs() < 1e-9);
}

#[test]
fn without_dtw_every_success_counts_the_same() {
    for variant in [Variant::NoDtw, Variant::BanditFuzz] {
        let (mut maker, mut random) = (Counting::new(1), Random::new(1));
        let mut search = Search::new(settings(variant), 1);
        for score in [0.0, 0.3, 0.0, 0.3, 0.0, -0.1] {
            search.ask(&mut maker, &mut random);
            search.tell(&outcome(score));
        }
        assert_eq!(search.beliefs()[0], Belief { gains: 3.0, losses: 2.0 });
    }
}

#[test]
fn the_first_times_are_compared_with_no_time_at_all() {
    let search: Search<u32> = Search::new(settings(Variant::Full), 1);
    assert_eq!(search.distance(&[1.0, 4.0]), 5.0);
}

#[test]
fn banditfuzz_starts_over_after_a_find_and_the_others_do_not() {
    for (variant, is_restarted) in [(Variant::BanditFuzz, true), (Variant::Full, false)] {
        let (mut maker, mut random) = (Counting::new(1), Random::new(1));
        let mut search = Search::new(settings(variant), 1);
        for score in [0.0, 0.3, 2.0] {
            search.ask(&mut maker, &mut random);
            search.tell(&outcome(score));
        }
        search.found();
        let is_fresh = search.beliefs()[0] == Belief::default();
        assert_eq!(is_fresh, is_restarted);
        let next = search.ask(&mut maker, &mut random);
        assert_eq!(next, if is_restarted { 500 } else { 200 });
    }
}

#[test]
fn complexity_grows_while_nothing_is_found() {
    let (mut maker, mut random) = (Counting::new(1), Random::new(1));
    let mut search = Search::new(settings(Variant::Full), 1);
    // Each formula takes 0.2 s, a round of ten takes 2 s, and an interval lasts 12 s.
    let rounds = |search: &mut Search<u32>, maker: &mut Counting, random: &mut Random, count: usize| {
        for _ in 0..count {
            search.ask(maker, random);
            search.tell(&outcome(0.0));
        }
    };
    rounds(&mut search, &mut maker, &mut random, 10);
    assert_eq!(search.complexity(), search.settings.start);
    rounds(&mut search, &mut maker, &mut random, 100);
    let grown = search.complexity();
    assert!(grown.literal_length > search.settings.start.literal_length);
    assert_eq!(grown.depth, search.settings.start.depth);
    rounds(&mut search, &mut maker, &mut random, 200);
    assert!(search.complexity().depth > grown.depth);
}

#[test]
fn random_and_banditfuzz_draw_the_complexity_of_every_formula() {
    for variant in [Variant::Random, Variant::BanditFuzz] {
        let (mut maker, mut random) = (Counting::new(1), Random::new(1));
        let mut search = Search::new(settings(variant), 1);
        for _ in 0..20 {
            search.ask(&mut maker, &mut random);
            search.tell(&outcome(0.0));
        }
        let first = maker.asked[0];
        assert!(maker.asked.iter().any(|other| other.literal_length != first.literal_length));
    }
}

#[test]
fn random_never_mutates() {
    let (mut maker, mut random) = (Counting::new(3), Random::new(1));
    let mut search = Search::new(settings(Variant::Random), 3);
    for step in 0..20 {
        assert_eq!(search.ask(&mut maker, &mut random), 100 * step);
        let slow = search.tell(&outcome(if step == 7 { 2.0 } else { 0.0 }));
        assert_eq!(slow.is_some(), step == 7);
    }
}

#[test]
fn an_action_that_slows_the_newest_release_down_is_chosen_most() {
    for variant in [Variant::Full, Variant::NoDtw, Variant::BanditFuzz] {
        let (mut maker, mut random) = (Counting::new(8), Random::new(9));
        let mut search = Search::new(settings(variant), 8);
        let mut chosen = [0u32; 8];
        let mut noise = Random::new(10);
        for _ in 0..4000 {
            let formula = search.ask(&mut maker, &mut random);
            let action = match &search.pending {
                Pending::Mutant { action, .. } => Some(*action),
                _ => None,
            };
            // Only action 5 helps, by an amount that varies.
            let drawn = noise.below(1000) as f64 / 1000.0;
            let score =
                if action == Some(5) { 0.2 + 0.7 * drawn } else { 0.1 * drawn - f64::from(formula % 2) };
            if let Some(action) = action {
                chosen[action] += 1;
            }
            search.tell(&outcome(score));
        }
        let others = chosen.iter().enumerate().filter(|(action, _)| *action != 5).map(|(_, count)| *count);
        assert!(chosen[5] > 2 * others.max().unwrap(), "{variant:?} {chosen:?}");
    }
}

#[test]
fn a_search_depends_on_its_seed_and_what_it_is_told_alone() {
    let walk = |seed| {
        let (mut maker, mut random) = (Counting::new(5), Random::new(seed));
        let mut search = Search::new(settings(Variant::Full), 5);
        let walked: Vec<u32> = (0..200)
            .map(|step| {
                let formula = search.ask(&mut maker, &mut random);
                search.tell(&outcome(f64::from(formula * 7 % 11 + step % 3) / 20.0));
                formula
            })
            .collect();
        walked
    };
    assert_eq!(walk(1), walk(1));
    assert_ne!(walk(1), walk(2));
}

#[test]
fn a_formula_that_cannot_be_compared_is_the_worst() {
    let (mut maker, mut random) = (Counting::new(1), Random::new(1));
    let mut search = Search::new(settings(Variant::Full), 1);
    search.ask(&mut maker, &mut random);
    search.tell(&FormulaTimes { times: vec![3.0, 3.0], score: None, is_slow: false });
    search.ask(&mut maker, &mut random);
    search.tell(&outcome(-0.5));
    assert!(search.beliefs()[0].gains > 1.0);
}

#[test]
fn names_are_found_again() {
    for variant in Variant::ALL {
        assert_eq!(Variant::named(variant.name()), Some(variant));
    }
    assert_eq!(Variant::named("magic"), None);
}

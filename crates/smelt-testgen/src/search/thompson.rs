//! Thompson sampling: actions are tried as often as they are likely to be the best one.
//!
//! What is believed of an action is a Beta distribution over its chance to help. To choose, one number is drawn for every
//! action and the largest wins; so an action that is little known is tried, and one that has disappointed hardly ever.
//!
//! Numbers are drawn by a method of our own (Marsaglia and Tsang's for Gamma, two of which make Beta), because the same
//! seed must make the same choices with every release of the libraries below.

use crate::random::Random;

/// What is believed of one action. Both numbers are at least one, which is the uniform belief.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// One, and what was gained by it.
    pub gains: f64,
    /// One, and what was lost by it.
    pub losses: f64,
}

impl Default for Belief {
    fn default() -> Self {
        Belief { gains: 1.0, losses: 1.0 }
    }
}

impl Belief {
    /// The expected chance that the action helps.
    pub fn mean(&self) -> f64 {
        self.gains / (self.gains + self.losses)
    }

    fn draw(&self, random: &mut Random) -> f64 {
        let gains = gamma(self.gains, random);
        let losses = gamma(self.losses, random);
        gains / (gains + losses)
    }
}

/// The beliefs about some actions, which are numbers from zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Thompson {
    beliefs: Vec<Belief>,
}

impl Thompson {
    /// Nothing is known of this many actions; there must be one at least.
    pub fn new(actions: usize) -> Self {
        assert!(actions > 0, "there must be something to choose from");
        Thompson { beliefs: vec![Belief::default(); actions] }
    }

    /// The action to try next.
    pub fn choose(&self, random: &mut Random) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (action, belief) in self.beliefs.iter().enumerate() {
            let drawn = belief.draw(random);
            if drawn > best.1 {
                best = (action, drawn);
            }
        }
        best.0
    }

    /// An action has helped.
    pub fn gain(&mut self, action: usize, amount: f64) {
        assert!(amount >= 0.0 && amount.is_finite(), "a gain is a number");
        self.beliefs[action].gains += amount;
    }

    /// An action has not helped.
    pub fn lose(&mut self, action: usize, amount: f64) {
        assert!(amount >= 0.0 && amount.is_finite(), "a loss is a number");
        self.beliefs[action].losses += amount;
    }

    /// What is believed, action by action.
    pub fn beliefs(&self) -> &[Belief] {
        &self.beliefs
    }
}

/// A number from zero up to but not including one.
fn unit(random: &mut Random) -> f64 {
    (random.word() >> 11) as f64 / (1u64 << 53) as f64
}

/// A number from the standard normal distribution, by the polar method.
fn normal(random: &mut Random) -> f64 {
    loop {
        let (x, y) = (2.0 * unit(random) - 1.0, 2.0 * unit(random) - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// A number from the Gamma distribution with this shape, which is at least one, and scale one.
fn gamma(shape: f64, random: &mut Random) -> f64 {
    assert!(shape >= 1.0, "beliefs start at one");
    let offset = shape - 1.0 / 3.0;
    let scale = 1.0 / (9.0 * offset).sqrt();
    loop {
        let drawn = normal(random);
        let cube = (1.0 + scale * drawn).powi(3);
        if cube > 0.0 {
            // One minus a unit is never zero.
            let height = (1.0 - unit(random)).ln();
            if height < 0.5 * drawn * drawn + offset * (1.0 - cube + cube.ln()) {
                return offset * cube;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of many draws.
    fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let drawn: Vec<f64> = (0..20_000).map(|_| draw()).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let variance = drawn.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
        (mean, variance)
    }

    #[test]
    fn gamma_has_its_shape_as_mean_and_as_variance() {
        let mut random = Random::new(1);
        for shape in [1.0, 1.05, 2.5, 40.0] {
            let (mean, variance) = moments(|| gamma(shape, &mut random));
            assert!((mean / shape - 1.0).abs() < 0.05, "{shape}: mean {mean}");
            assert!((variance / shape - 1.0).abs() < 0.1, "{shape}: variance {variance}");
        }
    }

    #[test]
    fn beliefs_are_drawn_with_mean_and_variance_of_beta() {
        let mut random = Random::new(2);
        let belief = Belief { gains: 3.0, losses: 1.5 };
        let (mean, variance) = moments(|| belief.draw(&mut random));
        assert!((mean - belief.mean()).abs() < 0.01, "mean {mean}");
        // gains * losses / (sum^2 * (sum + 1))
        assert!((variance - 4.5 / (4.5 * 4.5 * 5.5)).abs() < 0.003, "variance {variance}");
    }

    #[test]
    fn the_better_of_two_actions_is_chosen_more_and_more() {
        let mut random = Random::new(3);
        let chances = [0.3, 0.6];
        let mut thompson = Thompson::new(2);
        let mut chosen = [[0; 2]; 2];
        for trial in 0..1000 {
            let action = thompson.choose(&mut random);
            chosen[trial / 500][action] += 1;
            match unit(&mut random) < chances[action] {
                true => thompson.gain(action, 1.0),
                false => thompson.lose(action, 1.0),
            }
        }
        assert!(chosen[0][1] > chosen[0][0], "{chosen:?}");
        assert!(chosen[1][1] > 9 * chosen[1][0], "{chosen:?}");
    }

    #[test]
    fn actions_that_are_equally_good_are_all_tried() {
        let mut random = Random::new(4);
        let thompson = Thompson::new(5);
        let mut chosen = [0; 5];
        (0..5000).for_each(|_| chosen[thompson.choose(&mut random)] += 1);
        assert!(chosen.iter().all(|count| (850..1150).contains(count)), "{chosen:?}");
    }

    #[test]
    fn gains_and_losses_add_up() {
        let mut thompson = Thompson::new(2);
        thompson.gain(1, 0.25);
        thompson.gain(1, 0.5);
        thompson.lose(1, 0.75);
        assert_eq!(thompson.beliefs()[0], Belief::default());
        assert_eq!(thompson.beliefs()[1], Belief { gains: 1.75, losses: 1.75 });
        assert_eq!(thompson.beliefs()[1].mean(), 0.5);
    }
}

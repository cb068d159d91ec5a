//! How complex the formulas of a search are: four numbers, and how they are changed while nothing is found.
//!
//! Follows SPRFinder, section 4.1.3: after each interval without a find the next of the four numbers goes up if formulas
//! are quickly decided on average, and down if they are not; after a fifth interval it starts over.

use crate::random::Random;

/// The four numbers that a generator of formulas is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complexity {
    /// How long literals of strings are at most.
    pub literal_length: u32,
    /// How many variables there are.
    pub variables: u32,
    /// How many assertions there are.
    pub assertions: u32,
    /// How deep terms are nested.
    pub depth: u32,
}

/// What one of the numbers may be, and by how much it is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The least and the greatest value.
    pub values: (u32, u32),
    /// The least and the greatest change.
    pub changes: (u32, u32),
}

impl Bounds {
    /// Any of its values.
    fn draw(&self, random: &mut Random) -> u32 {
        between(self.values.0, self.values.1, random)
    }

    /// A value changed by chance; as it was if it would leave its range.
    fn changed(&self, value: u32, is_raised: bool, random: &mut Random) -> u32 {
        let change = between(self.changes.0, self.changes.1, random);
        let changed = if is_raised { value.checked_add(change) } else { value.checked_sub(change) };
        changed.filter(|changed| (self.values.0..=self.values.1).contains(changed)).unwrap_or(value)
    }
}

/// A number from a range, ends included.
fn between(least: u32, most: u32, random: &mut Random) -> u32 {
    least + random.below(u64::from(most - least) + 1) as u32
}

/// How all four numbers are changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptation {
    /// Bounds of the length of literals.
    pub literal_length: Bounds,
    /// Bounds of the number of variables.
    pub variables: Bounds,
    /// Bounds of the number of assertions.
    pub assertions: Bounds,
    /// Bounds of the depth.
    pub depth: Bounds,
    /// Numbers go down if formulas take this share of the time limit on average, or more.
    pub theta: f64,
    /// How long nothing is found before the next number is changed, in time limits.
    pub interval_limits: f64,
}

impl Default for Adaptation {
    /// As in SPRFinder, but for the interval, which is ours.
    fn default() -> Self {
        Adaptation {
            literal_length: Bounds { values: (10, 500), changes: (20, 50) },
            variables: Bounds { values: (3, 20), changes: (1, 5) },
            assertions: Bounds { values: (4, 15), changes: (1, 3) },
            depth: Bounds { values: (2, 6), changes: (1, 1) },
            theta: 0.75,
            interval_limits: 4.0,
        }
    }
}

impl Adaptation {
    /// Four numbers by chance, each within its bounds.
    pub fn draw(&self, random: &mut Random) -> Complexity {
        Complexity {
            literal_length: self.literal_length.draw(random),
            variables: self.variables.draw(random),
            assertions: self.assertions.draw(random),
            depth: self.depth.draw(random),
        }
    }
}

/// Where the changes stand: how many intervals have passed without a find.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// When the first interval began, in seconds.
    started: f64,
    /// How many of the intervals since then have passed.
    passed: u32,
}

/// Times in seconds that decide about changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// The time since the search began.
    pub now: f64,
    /// The time limit of a formula.
    pub limit: f64,
    /// The time that formulas have taken on average.
    pub mean: f64,
}

impl Window {
    /// The first interval begins.
    pub fn starting(now: f64) -> Self {
        Window { started: now, passed: 0 }
    }

    /// Changes what is due.
    pub fn update(
        &mut self,
        complexity: &mut Complexity,
        adaptation: &Adaptation,
        clock: Clock,
        random: &mut Random,
    ) {
        let Clock { now, limit, mean } = clock;
        let interval = adaptation.interval_limits * limit;
        let is_raised = mean < adaptation.theta * limit;
        while now - self.started >= interval * f64::from(self.passed + 1) {
            self.passed += 1;
            let (value, bounds) = match self.passed {
                1 => (&mut complexity.literal_length, adaptation.literal_length),
                2 => (&mut complexity.variables, adaptation.variables),
                3 => (&mut complexity.assertions, adaptation.assertions),
                4 => (&mut complexity.depth, adaptation.depth),
                _ => {
                    *self = Window { started: self.started + 5.0 * interval, passed: 0 };
                    continue;
                }
            };
            *value = bounds.changed(*value, is_raised, random);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Complexity = Complexity { literal_length: 100, variables: 10, assertions: 8, depth: 3 };

    /// The limit is one second and an interval four.
    fn update(window: &mut Window, complexity: &mut Complexity, now: f64, mean: f64) {
        window.update(
            complexity,
            &Adaptation::default(),
            Clock { now, limit: 1.0, mean },
            &mut Random::new(5),
        );
    }

    #[test]
    fn numbers_go_up_one_after_the_other() {
        let (mut window, mut now) = (Window::starting(0.0), START);
        update(&mut window, &mut now, 3.9, 0.1);
        assert_eq!(now, START);
        update(&mut window, &mut now, 4.0, 0.1);
        assert!((120..=150).contains(&now.literal_length));
        assert_eq!(Complexity { literal_length: 100, ..now }, START);
        update(&mut window, &mut now, 8.0, 0.1);
        assert!((11..=15).contains(&now.variables) && now.assertions == 8);
        update(&mut window, &mut now, 12.5, 0.1);
        assert!((9..=11).contains(&now.assertions) && now.depth == 3);
        update(&mut window, &mut now, 16.0, 0.1);
        assert_eq!(now.depth, 4);
        let length = now.literal_length;
        // The fifth interval changes nothing, and then it is the turn of the first number again.
        let before = now;
        update(&mut window, &mut now, 20.0, 0.1);
        assert_eq!(now, before);
        update(&mut window, &mut now, 24.0, 0.1);
        assert!(now.literal_length > length && now.variables == before.variables);
    }

    #[test]
    fn numbers_go_down_where_formulas_take_long() {
        let (mut window, mut now) = (Window::starting(0.0), START);
        update(&mut window, &mut now, 16.0, 0.75);
        assert!((50..=80).contains(&now.literal_length));
        assert!((5..=9).contains(&now.variables));
        assert!((5..=7).contains(&now.assertions));
        assert_eq!(now.depth, 2);
    }

    #[test]
    fn what_would_leave_its_range_stays() {
        let least = Complexity { literal_length: 10, variables: 3, assertions: 4, depth: 2 };
        let (mut window, mut now) = (Window::starting(0.0), least);
        update(&mut window, &mut now, 16.0, 1.0);
        assert_eq!(now, least);
        let most = Complexity { literal_length: 490, variables: 20, assertions: 15, depth: 6 };
        let (mut window, mut now) = (Window::starting(0.0), most);
        update(&mut window, &mut now, 16.0, 0.0);
        assert_eq!(now, most);
    }

    #[test]
    fn a_find_starts_the_intervals_anew() {
        let mut now = START;
        let mut window = Window::starting(0.0);
        update(&mut window, &mut now, 4.0, 0.1);
        let after_first = now;
        window = Window::starting(6.0);
        update(&mut window, &mut now, 9.9, 0.1);
        assert_eq!(now, after_first);
        update(&mut window, &mut now, 10.0, 0.1);
        assert!(now.literal_length > after_first.literal_length);
        assert_eq!(now.variables, after_first.variables);
    }

    #[test]
    fn drawn_numbers_are_within_their_bounds() {
        let mut random = Random::new(6);
        for _ in 0..1000 {
            let Complexity { literal_length, variables, assertions, depth } =
                Adaptation::default().draw(&mut random);
            assert!((10..=500).contains(&literal_length) && (3..=20).contains(&variables));
            assert!((4..=15).contains(&assertions) && (2..=6).contains(&depth));
        }
    }
}

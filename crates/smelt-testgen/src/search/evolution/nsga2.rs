//! Sorting by dominance and by crowding: the parts of NSGA-II that know nothing of formulas.
//!
//! All objectives are maximised. Follows Deb, Agrawal, Pratap and Meyarivan, "A fast elitist non-dominated sorting genetic
//! algorithm for multi-objective optimization: NSGA-II" (PPSN 2000).

/// Whether one point is at least as good as another in every objective, and better in one.
pub fn dominates(first: &[f64], second: &[f64]) -> bool {
    let mut is_better = false;
    for (left, right) in first.iter().zip(second) {
        if left < right {
            return false;
        }
        is_better |= left > right;
    }
    is_better
}

/// The positions of points by fronts: those that nothing dominates, those that only the first front dominates, and so on.
/// Within a front the order of the points stays.
pub fn fronts(points: &[Vec<f64>]) -> Vec<Vec<usize>> {
    let mut dominated: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    let mut dominators = vec![0_usize; points.len()];
    for first in 0..points.len() {
        for second in 0..points.len() {
            if dominates(&points[first], &points[second]) {
                dominated[first].push(second);
                dominators[second] += 1;
            }
        }
    }
    let mut sorted = Vec::new();
    let mut front: Vec<usize> = (0..points.len()).filter(|point| dominators[*point] == 0).collect();
    while !front.is_empty() {
        let mut next = Vec::new();
        for point in &front {
            for other in &dominated[*point] {
                dominators[*other] -= 1;
                if dominators[*other] == 0 {
                    next.push(*other);
                }
            }
        }
        next.sort_unstable();
        sorted.push(std::mem::replace(&mut front, next));
    }
    sorted
}

/// How far the neighbours of each point of a front are: for each objective the distance between the next smaller and the
/// next larger value as a share of the whole, infinite for the smallest and the largest.
pub fn crowding(points: &[Vec<f64>], front: &[usize]) -> Vec<f64> {
    let mut distances = vec![0.0; front.len()];
    let objectives = front.first().map_or(0, |point| points[*point].len());
    for objective in 0..objectives {
        let values: Vec<f64> =
            front.iter().filter_map(|point| points[*point].get(objective).copied()).collect();
        let value = |position: usize| values[position];
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|first, second| value(*first).total_cmp(&value(*second)));
        let (Some(least), Some(most)) = (order.first().copied(), order.last().copied()) else { continue };
        distances[least] = f64::INFINITY;
        distances[most] = f64::INFINITY;
        let width = value(most) - value(least);
        if width <= 0.0 {
            continue;
        }
        for neighbours in order.windows(3) {
            distances[neighbours[1]] += (value(neighbours[2]) - value(neighbours[0])) / width;
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn points(rows: &[&[f64]]) -> Vec<Vec<f64>> {
        rows.iter().map(|row| row.to_vec()).collect()
    }

    #[test]
    fn a_point_dominates_what_is_nowhere_better_and_somewhere_worse() {
        assert!(dominates(&[2.0, 1.0], &[1.0, 1.0]));
        assert!(!dominates(&[1.0, 1.0], &[1.0, 1.0]));
        assert!(!dominates(&[2.0, 0.0], &[1.0, 1.0]));
    }

    /// By hand: (5,1), (3,3) and (1,5) are best at something; (2,2) is below (3,3) only; (1,1) is below (2,2) too.
    #[test]
    fn fronts_are_peeled_off_one_after_the_other() {
        let points = points(&[&[1.0, 1.0], &[5.0, 1.0], &[2.0, 2.0], &[3.0, 3.0], &[1.0, 5.0]]);
        assert_eq!(fronts(&points), [vec![1, 3, 4], vec![2], vec![0]]);
    }

    #[test]
    fn equal_points_share_a_front() {
        assert_eq!(fronts(&points(&[&[1.0], &[1.0], &[0.0]])), [vec![0, 1], vec![2]]);
        assert_eq!(fronts(&[]), Vec::<Vec<usize>>::new());
    }

    /// By hand: the first objective runs from 0 to 10, the second from 0 to 4. The point in the middle left has neighbours
    /// at 0 and 6 and at 4 and 1: 6/10 + 3/4; the other one at 2 and 10 and at 3 and 0: 8/10 + 3/4.
    #[test]
    fn crowding_is_the_distance_of_the_neighbours() {
        let points = points(&[&[0.0, 4.0], &[2.0, 3.0], &[6.0, 1.0], &[10.0, 0.0]]);
        let distances = crowding(&points, &[0, 1, 2, 3]);
        assert_eq!((distances[0], distances[3]), (f64::INFINITY, f64::INFINITY));
        assert!((distances[1] - (0.6 + 0.75)).abs() < 1e-12);
        assert!((distances[2] - (0.8 + 0.75)).abs() < 1e-12);
    }

    #[test]
    fn an_objective_that_is_the_same_everywhere_adds_no_distance_inside() {
        let points = points(&[&[0.0, 7.0], &[1.0, 7.0], &[4.0, 7.0], &[5.0, 7.0]]);
        let distances = crowding(&points, &[0, 1, 2, 3]);
        assert!((distances[1] - 0.8).abs() < 1e-12);
        assert!((distances[2] - 0.8).abs() < 1e-12);
        assert_eq!(crowding(&points, &[2]), [f64::INFINITY]);
    }

    #[test]
    fn no_point_of_a_front_dominates_another_and_each_later_one_is_dominated_by_the_front_before() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let count = 1 + random.position(30);
            let points: Vec<Vec<f64>> =
                (0..count).map(|_| (0..3).map(|_| random.below(6) as f64).collect()).collect();
            let fronts = fronts(&points);
            let mut all: Vec<usize> = fronts.concat();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
            for (number, front) in fronts.iter().enumerate() {
                for point in front {
                    assert!(front.iter().all(|other| !dominates(&points[*other], &points[*point])));
                    if number > 0 {
                        assert!(
                            fronts[number - 1]
                                .iter()
                                .any(|other| dominates(&points[*other], &points[*point]))
                        );
                    }
                }
            }
        }
    }
}

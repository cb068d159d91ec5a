//! Unit propagation: the only propositional reasoning of the checker.
//!
//! A clause is shown by assuming that all its literals are false and finding a conflict. Nothing here is shared with the
//! SAT solver whose clauses are looked at. Literals are numbers as in DIMACS: a variable, or minus a variable.

/// Clauses, with what unit propagation knows without assumptions.
#[derive(Debug, Default)]
pub struct Clauses {
    clauses: Vec<Vec<i32>>,
    /// For each literal the clauses that look at it: the first two literals of each clause are watched.
    watches: Vec<Vec<usize>>,
    /// For each literal whether it is true.
    is_true: Vec<bool>,
    /// For each variable with a value the clause that gives it.
    reasons: Vec<Option<usize>>,
    /// True literals, oldest first. Those of the root stay.
    trail: Vec<i32>,
    propagated: usize,
    /// A clause whose literals are all false at the root.
    conflict: Option<usize>,
    seen: Vec<bool>,
}

impl Clauses {
    /// None.
    pub fn new() -> Self {
        Clauses::default()
    }

    /// Adds a clause; its number, counted from zero.
    pub fn add(&mut self, clause: &[i32]) -> usize {
        let number = self.clauses.len();
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        for literal in &clause {
            self.make_room(*literal);
        }
        // Literals that are not false come first, so that they are watched.
        clause.sort_by_key(|literal| self.is_true[code(-*literal)]);
        for literal in clause.iter().take(2) {
            self.watches[code(*literal)].push(number);
        }
        let open: Vec<i32> =
            clause.iter().copied().filter(|literal| !self.is_true[code(-*literal)]).take(2).collect();
        self.clauses.push(clause);
        match open.as_slice() {
            [] => self.conflict = self.conflict.or(Some(number)),
            [only] if !self.is_true[code(*only)] => self.assign(*only, Some(number)),
            _ => {}
        }
        if self.conflict.is_none() {
            self.conflict = self.propagate();
        }
        number
    }

    /// The clauses by which unit propagation shows a clause; none if it does not show it.
    pub fn show(&mut self, clause: &[i32]) -> Option<Vec<usize>> {
        for literal in clause {
            self.make_room(*literal);
        }
        if let Some(conflict) = self.conflict {
            return Some(self.antecedents(conflict));
        }
        let root = self.trail.len();
        let mut shown = None;
        for literal in clause {
            if self.is_true[code(*literal)] {
                // It is true at the root, or the clause has its negation, too.
                shown = Some(self.reasons[variable(*literal)].map_or_else(Vec::new, |r| self.antecedents(r)));
                break;
            }
            if !self.is_true[code(-*literal)] {
                self.assign(-*literal, None);
            }
        }
        if shown.is_none()
            && let Some(conflict) = self.propagate()
        {
            shown = Some(self.antecedents(conflict));
        }
        for literal in self.trail.drain(root..) {
            self.is_true[code(literal)] = false;
        }
        self.propagated = root;
        shown
    }

    fn make_room(&mut self, literal: i32) {
        let variables = variable(literal) + 1;
        if self.reasons.len() < variables {
            self.reasons.resize(variables, None);
            self.seen.resize(variables, false);
            self.is_true.resize(2 * variables, false);
            self.watches.resize(2 * variables, Vec::new());
        }
    }

    fn assign(&mut self, literal: i32, reason: Option<usize>) {
        self.is_true[code(literal)] = true;
        self.reasons[variable(literal)] = reason;
        self.trail.push(literal);
    }

    /// Makes true what follows; a clause whose literals are all false, if there is one.
    fn propagate(&mut self) -> Option<usize> {
        while let Some(literal) = self.trail.get(self.propagated).copied() {
            self.propagated += 1;
            let looking = std::mem::take(&mut self.watches[code(-literal)]);
            let mut kept = Vec::with_capacity(looking.len());
            let mut conflict = None;
            for number in looking {
                if conflict.is_some() || self.moves_watch(number, -literal) {
                    kept.extend(conflict.map(|_| number));
                    continue;
                }
                kept.push(number);
                let other = self.clauses[number][0];
                if self.clauses[number].len() == 1 || self.is_true[code(-other)] {
                    conflict = Some(number);
                } else if !self.is_true[code(other)] {
                    self.assign(other, Some(number));
                }
            }
            self.watches[code(-literal)] = kept;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Whether a clause can look at another literal instead of one that is false now. If not, that one is its second.
    fn moves_watch(&mut self, number: usize, false_literal: i32) -> bool {
        let clause = &mut self.clauses[number];
        if clause.len() == 1 {
            return false;
        }
        if clause[0] == false_literal {
            clause.swap(0, 1);
        }
        let is_true = &self.is_true;
        if is_true[code(clause[0])] {
            return false;
        }
        let Some(position) = (2..clause.len()).find(|position| !is_true[code(-clause[*position])]) else {
            return false;
        };
        clause.swap(1, position);
        let watched = clause[1];
        self.watches[code(watched)].push(number);
        true
    }

    /// The clauses that make all literals of a clause false or, but for one, false.
    fn antecedents(&mut self, conflict: usize) -> Vec<usize> {
        let mut found = vec![conflict];
        let mut marked = Vec::new();
        let mut position = 0;
        while position < found.len() {
            for literal in &self.clauses[found[position]] {
                let variable = variable(*literal);
                if !std::mem::replace(&mut self.seen[variable], true) {
                    marked.push(variable);
                    found.extend(self.reasons[variable].filter(|reason| *reason != conflict));
                }
            }
            position += 1;
        }
        for variable in marked {
            self.seen[variable] = false;
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn variable(literal: i32) -> usize {
    literal.unsigned_abs() as usize
}

/// A number that is unique among all literals.
fn code(literal: i32) -> usize {
    2 * variable(literal) + usize::from(literal < 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_shown_with_the_clauses_that_it_takes() {
        let mut clauses = Clauses::new();
        for clause in [&[1, 2], &[5, 6], &[1, -2]] {
            clauses.add(clause);
        }
        assert_eq!(clauses.show(&[1]), Some(vec![0, 2]));
        assert_eq!(clauses.show(&[5]), None);
        clauses.add(&[1]);
        clauses.add(&[-1, 3]);
        assert_eq!(clauses.show(&[3]), Some(vec![3, 4]));
    }

    #[test]
    fn what_takes_cases_is_shown_once_one_of_them_is() {
        let mut clauses = Clauses::new();
        for clause in [&[1, 2], &[1, -2], &[-1, 2], &[-1, -2]] {
            clauses.add(clause);
        }
        assert_eq!(clauses.show(&[]), None);
        assert!(clauses.show(&[1]).is_some());
        clauses.add(&[1]);
        assert!(clauses.show(&[]).is_some());
    }

    #[test]
    fn clauses_of_one_literal_are_propagated_at_once() {
        let mut clauses = Clauses::new();
        clauses.add(&[-1, -2, 3]);
        clauses.add(&[1]);
        clauses.add(&[2]);
        assert_eq!(clauses.show(&[3]), Some(vec![0, 1, 2]));
        assert_eq!(clauses.show(&[]), None);
        clauses.add(&[-3, 4]);
        clauses.add(&[-4]);
        assert_eq!(clauses.show(&[]), Some(vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn nothing_is_shown_by_clauses_that_can_be_satisfied() {
        let mut clauses = Clauses::new();
        clauses.add(&[1, 2, 3]);
        clauses.add(&[-1, -2]);
        assert_eq!(clauses.show(&[1, 2]), None);
        assert_eq!(clauses.show(&[1, 2, 3]), Some(vec![0]));
        assert_eq!(clauses.show(&[4, -4]), Some(vec![]));
    }
}

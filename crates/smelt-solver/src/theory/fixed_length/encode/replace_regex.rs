//! Replacement of matches of a language, as gates.
//!
//! A match is the leftmost one, and of these the shortest. For every start the derivatives of the language are followed, and a
//! run ends where it first accepts; so for every start and end there is a literal that says whether this is the match that begins
//! there.

use batsat::Lit;
use rustc_hash::FxHashMap;
use smelt_semantics::{Budget, LimitReached};

use super::super::cells::NodeId;
use super::super::{Matching, Text};
use super::{Encoder, GATE_COST};
use crate::theory::regex::{Occurrences, Re, Regexes};

/// The matches that begin at one place.
struct Matches {
    /// The ends of possible matches, ascending, with whether that is where the shortest match ends.
    ends: Vec<(usize, Lit)>,
    /// Whether there is none.
    none: Lit,
}

impl Encoder<'_> {
    /// Whether `result` is `source` with matches replaced.
    pub(super) fn replace_regex(
        &mut self,
        regexes: &mut Regexes,
        [result, source, new]: [&Text; 3],
        matching: Matching,
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        let (result, source) = (self.nodes(result, budget)?, self.nodes(source, budget)?);
        let new = self.nodes(new, budget)?;
        let mut matches = Vec::new();
        for start in 0..source.len() {
            matches.push(self.matches_from(regexes, &source, start, matching.language, budget)?);
        }
        match matching.occurrences {
            Occurrences::First => self.replace_first_match(&result, &source, &new, &matches, budget),
            Occurrences::All => self.replace_all_matches(&result, &source, &new, &matches, budget),
        }
    }

    /// The matches of at least one letter that begin at `start`.
    fn matches_from(
        &mut self,
        regexes: &mut Regexes,
        source: &[NodeId],
        start: usize,
        language: Re,
        budget: &mut Budget,
    ) -> Result<Matches, LimitReached> {
        let mut current: Vec<(Re, Lit)> = vec![(language, self.gates.constant(true))];
        let mut ends = Vec::new();
        for (position, &node) in source.iter().enumerate().skip(start) {
            if current.is_empty() {
                break;
            }
            budget.spend(GATE_COST)?;
            let mut reached: FxHashMap<Re, Vec<Lit>> = FxHashMap::default();
            for (state, lit) in current {
                let steps = self.steps_at(regexes, state, node, budget)?;
                for (target, symbols) in steps {
                    budget.spend(GATE_COST)?;
                    let letter = self.in_set(node, &symbols, budget)?;
                    let step = self.gates.and(&[lit, letter]);
                    if target != Re::NONE && !self.gates.is_false(step) {
                        reached.entry(target).or_default().push(step);
                    }
                }
            }
            let mut reached: Vec<(Re, Vec<Lit>)> = reached.into_iter().collect();
            reached.sort_unstable_by_key(|(state, _)| *state);
            let mut accepting = Vec::new();
            current = Vec::new();
            for (state, ways) in reached {
                if regexes.is_nullable(state) {
                    accepting.extend(ways);
                } else if !regexes.is_known_empty(state) {
                    let lit = self.gates.or(&ways);
                    current.push((state, lit));
                }
            }
            if !accepting.is_empty() {
                let lit = self.gates.or(&accepting);
                ends.push((position + 1, lit));
            }
        }
        let found: Vec<Lit> = ends.iter().map(|&(_, lit)| lit).collect();
        Ok(Matches { ends, none: !self.gates.or(&found) })
    }

    fn replace_first_match(
        &mut self,
        result: &[NodeId],
        source: &[NodeId],
        new: &[NodeId],
        matches: &[Matches],
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        let mut cases = Vec::new();
        let mut none_before = self.gates.constant(true);
        for (start, found) in matches.iter().enumerate() {
            for &(end, lit) in &found.ends {
                if result.len() + (end - start) == source.len() + new.len() {
                    let expected = [&source[..start], new, &source[end..]].concat();
                    let equal = self.rows_equal(result, &expected, budget)?;
                    cases.push(self.gates.and(&[none_before, lit, equal]));
                }
            }
            none_before = self.gates.and(&[none_before, found.none]);
        }
        let unchanged = self.rows_equal(result, source, budget)?;
        cases.push(self.gates.and(&[none_before, unchanged]));
        Ok(self.gates.or(&cases))
    }

    fn replace_all_matches(
        &mut self,
        result: &[NodeId],
        source: &[NodeId],
        new: &[NodeId],
        matches: &[Matches],
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        // Whether the rest of the source from one place on becomes the rest of the result from another place on.
        let mut works: Vec<Vec<Lit>> = vec![Vec::new(); source.len() + 1];
        for from in (0..=source.len()).rev() {
            for to in 0..=result.len() {
                budget.spend(GATE_COST)?;
                let Some(found) = matches.get(from) else {
                    let lit = self.gates.constant(to == result.len());
                    works[from].push(lit);
                    continue;
                };
                let mut cases = Vec::new();
                if let Some(row) = result.get(to..to + new.len())
                    && !found.ends.is_empty()
                {
                    let equal = self.rows_equal(row, new, budget)?;
                    for &(end, lit) in &found.ends {
                        budget.spend(GATE_COST)?;
                        cases.push(self.gates.and(&[lit, equal, works[end][to + new.len()]]));
                    }
                }
                if let Some(&cell) = result.get(to) {
                    let equal = self.equal(cell, source[from], budget)?;
                    cases.push(self.gates.and(&[found.none, equal, works[from + 1][to + 1]]));
                }
                let lit = self.gates.or(&cases);
                works[from].push(lit);
            }
        }
        Ok(works[0][0])
    }
}

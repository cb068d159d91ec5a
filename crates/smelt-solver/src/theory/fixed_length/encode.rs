//! The second level: open constraints as Boolean gates over the symbols of cells.
//!
//! A class of cells is a symbol in binary. Every open constraint becomes one literal, and these literals are the assumptions of one
//! search. Equations do not appear: they are in the classes, so a refutation also names the constraints behind its classes.
//! A membership is a run through the derivatives of its language, layer by layer, with states that cannot end well left out; as
//! derivatives are deterministic, "this state and that letter lead there" is all that is needed.

mod replace_regex;

use batsat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::{Budget, LimitReached};

use super::cells::{Cells, NodeId};
use super::conflict::Refutation;
use super::evaluate::holds;
use super::gates::{Gates, Solved};
use super::symbols::Symbols;
use super::{Answer, Constraint, Problem, Text};
use crate::theory::regex::{Re, Regexes};
use smelt_semantics::letters::LetterSet;

/// Cost of one gate.
const GATE_COST: u64 = 500;

/// Decides the open constraints.
pub(super) fn solve(
    regexes: &mut Regexes,
    problem: &Problem,
    cells: &mut Cells,
    open: &[usize],
    budget: &mut Budget,
) -> Result<Answer, LimitReached> {
    let mut classes = FxHashSet::default();
    let mut constants = FxHashSet::default();
    for &index in open {
        for text in problem.constraints[index].texts() {
            for node in cells.nodes(text, budget)? {
                budget.spend(8)?;
                match cells.letter_of(node) {
                    Some(letter) => constants.insert(letter),
                    None => classes.insert(cells.find(node)),
                };
            }
        }
    }
    let symbols = Symbols::new(regexes, problem, open, constants.into_iter(), classes.len())?;
    let gates = Gates::new(budget);
    let mut encoder = Encoder {
        cells,
        symbols,
        gates,
        bits: FxHashMap::default(),
        indicators: FxHashMap::default(),
        sets: FxHashMap::default(),
        equalities: FxHashMap::default(),
    };
    let mut assumptions = Vec::new();
    for &index in open {
        let lit = encoder.constraint(regexes, &problem.constraints[index], budget)?;
        if encoder.gates.is_false(lit) {
            return encoder.refutation(problem, &[index], budget);
        }
        assumptions.push(lit);
    }
    match encoder.gates.solve(&assumptions, budget) {
        Solved::Unknown => Ok(Answer::Unknown),
        Solved::Unsat(core) => {
            let is_in_core = |lit: &Lit| core.iter().any(|used| used.var() == lit.var());
            let used: Vec<usize> = open
                .iter()
                .zip(&assumptions)
                .filter(|(_, lit)| is_in_core(lit))
                .map(|(&index, _)| index)
                .collect();
            encoder.refutation(problem, &used, budget)
        }
        Solved::Sat => {
            let words = encoder.words();
            for constraint in &problem.constraints {
                let is_satisfied = holds(constraint, &words, regexes, budget)?;
                debug_assert!(is_satisfied, "the words do not satisfy {constraint:?}");
                if !is_satisfied {
                    return Ok(Answer::Unknown);
                }
            }
            Ok(Answer::Sat(words))
        }
    }
}

struct Encoder<'a> {
    cells: &'a mut Cells,
    symbols: Symbols,
    gates: Gates,
    /// The symbol of each class in binary, the lowest bit first.
    bits: FxHashMap<NodeId, Vec<Lit>>,
    /// Whether a class has a symbol.
    indicators: FxHashMap<(NodeId, u32), Lit>,
    /// Whether a class has one of some symbols.
    sets: FxHashMap<(NodeId, Box<[u32]>), Lit>,
    equalities: FxHashMap<(NodeId, NodeId), Lit>,
}

/// One state of a layer: for every target the symbols that lead to it.
type Steps = Vec<(Re, Vec<u32>)>;

impl Encoder<'_> {
    /// These open constraints, and whatever shaped the classes that they speak of.
    fn refutation(
        &mut self,
        problem: &Problem,
        used: &[usize],
        budget: &mut Budget,
    ) -> Result<Answer, LimitReached> {
        let mut nodes = Vec::new();
        for &index in used {
            for text in problem.constraints[index].texts() {
                nodes.extend(self.cells.nodes(text, budget)?);
            }
        }
        let behind = self.cells.constraints_behind(nodes.into_iter());
        let mut constraints = used.to_vec();
        constraints.extend(behind.into_iter().map(|constraint| constraint as usize));
        Ok(Answer::Unsat(Refutation::at_exact_lengths(problem, constraints)))
    }

    /// The words of the assignment that was found.
    fn words(&mut self) -> Vec<Vec<u32>> {
        let letters = self.symbols.letters();
        let (bits, gates) = (&self.bits, &self.gates);
        self.cells.words(|class| {
            let bits = bits.get(&class)?;
            let values = bits.iter().enumerate().map(|(index, &bit)| usize::from(gates.value(bit)) << index);
            Some(letters[values.sum::<usize>()])
        })
    }

    /// A literal that is true only if the constraint holds, and can be true whenever it does.
    fn constraint(
        &mut self,
        regexes: &mut Regexes,
        constraint: &Constraint,
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        Ok(match constraint {
            Constraint::Equal(left, right) => {
                let (left, right) = (self.nodes(left, budget)?, self.nodes(right, budget)?);
                self.rows_equal(&left, &right, budget)?
            }
            Constraint::Different(left, right) => {
                let (left, right) = (self.nodes(left, budget)?, self.nodes(right, budget)?);
                !self.rows_equal(&left, &right, budget)?
            }
            Constraint::Member(text, re) => {
                let nodes = self.nodes(text, budget)?;
                self.member(regexes, &nodes, *re, budget)?
            }
            Constraint::Prefix { part, whole, holds } => {
                let (part, whole) = (self.nodes(part, budget)?, self.nodes(whole, budget)?);
                let lit = match whole.get(..part.len()) {
                    Some(start) => self.rows_equal(start, &part, budget)?,
                    None => self.gates.constant(false),
                };
                if *holds { lit } else { !lit }
            }
            Constraint::Suffix { part, whole, holds } => {
                let (part, whole) = (self.nodes(part, budget)?, self.nodes(whole, budget)?);
                let lit = match whole.len().checked_sub(part.len()) {
                    Some(start) => self.rows_equal(&whole[start..], &part, budget)?,
                    None => self.gates.constant(false),
                };
                if *holds { lit } else { !lit }
            }
            Constraint::Contains { whole, part, holds } => {
                let (whole, part) = (self.nodes(whole, budget)?, self.nodes(part, budget)?);
                let matches = self.matches(&whole, &part, budget)?;
                let lit = self.gates.or(&matches);
                if *holds { lit } else { !lit }
            }
            Constraint::Less { left, right, or_equal } => {
                let (left, right) = (self.nodes(left, budget)?, self.nodes(right, budget)?);
                self.less(&left, &right, *or_equal, budget)?
            }
            Constraint::Substr { .. } => unreachable!("parts of texts are rows of cells"),
            Constraint::IndexOf { result, source, part, start } => {
                let (source, part) = (self.nodes(source, budget)?, self.nodes(part, budget)?);
                let matches = self.matches(&source, &part, budget)?;
                let start = usize::try_from(*start).expect("a start outside of the text is decided before");
                let mut parts: Vec<Lit> = Vec::new();
                match usize::try_from(*result) {
                    Ok(result) => {
                        parts.extend(matches[start..result].iter().map(|&lit| !lit));
                        parts.push(matches[result]);
                    }
                    Err(_) => parts.extend(matches.iter().skip(start).map(|&lit| !lit)),
                }
                self.gates.and(&parts)
            }
            Constraint::Replace { result, source, part, new } => {
                self.replace([result, source, part, new], budget)?
            }
            Constraint::ReplaceAll { result, source, part, new } => {
                self.replace_all([result, source, part, new], budget)?
            }
            Constraint::ReplaceRegex { result, source, matching, new } => {
                self.replace_regex(regexes, [result, source, new], *matching, budget)?
            }
            // Only "not a number" is left here.
            Constraint::ToInt { text, .. } => {
                let digits = LetterSet::range('0' as u32, '9' as u32);
                let digits = self.symbols_in(&digits);
                let mut others = Vec::new();
                for node in self.nodes(text, budget)? {
                    others.push(!self.in_set(node, &digits, budget)?);
                }
                self.gates.or(&others)
            }
            Constraint::ToCode { .. } | Constraint::FromCode { .. } | Constraint::FromInt { .. } => {
                unreachable!("known letters are rows of cells")
            }
        })
    }

    fn nodes(&mut self, text: &Text, budget: &mut Budget) -> Result<Vec<NodeId>, LimitReached> {
        let nodes = self.cells.nodes(text, budget)?;
        Ok(nodes.into_iter().map(|node| self.cells.find(node)).collect())
    }

    fn bits(&mut self, class: NodeId) -> Vec<Lit> {
        if let Some(bits) = self.bits.get(&class) {
            return bits.clone();
        }
        let bit_count = self.symbols.bit_count();
        let bits: Vec<Lit> = match self.cells.letter_of(class) {
            Some(letter) => {
                let symbol = self.symbols.of_letter(letter);
                (0..bit_count).map(|bit| self.gates.constant(symbol >> bit & 1 == 1)).collect()
            }
            None => {
                let bits: Vec<Lit> = (0..bit_count).map(|_| self.gates.fresh()).collect();
                self.forbid_large_numbers(&bits);
                bits
            }
        };
        self.bits.insert(class, bits.clone());
        bits
    }

    /// Numbers that are no symbols are no values.
    fn forbid_large_numbers(&mut self, bits: &[Lit]) {
        let largest = self.symbols.letters().len() - 1;
        for low in (0..bits.len()).filter(|low| largest >> low & 1 == 0) {
            let higher = (low + 1..bits.len()).filter(|high| largest >> high & 1 == 1);
            let mut clause: Vec<Lit> = higher.map(|high| !bits[high]).collect();
            clause.push(!bits[low]);
            self.gates.add_clause(&clause);
        }
    }

    /// Whether a class has a symbol.
    fn indicator(&mut self, class: NodeId, symbol: u32) -> Lit {
        if let Some(&lit) = self.indicators.get(&(class, symbol)) {
            return lit;
        }
        let bits = self.bits(class);
        let pattern: Vec<Lit> = bits
            .iter()
            .enumerate()
            .map(|(bit, &lit)| if symbol >> bit & 1 == 1 { lit } else { !lit })
            .collect();
        let lit = self.gates.and(&pattern);
        self.indicators.insert((class, symbol), lit);
        lit
    }

    fn symbols_in(&self, letters: &LetterSet) -> Vec<u32> {
        let all = self.symbols.letters().iter().enumerate();
        all.filter(|&(_, &letter)| letters.contains(letter)).map(|(symbol, _)| symbol as u32).collect()
    }

    /// Whether a class has one of these symbols, which are ascending.
    fn in_set(&mut self, class: NodeId, symbols: &[u32], budget: &mut Budget) -> Result<Lit, LimitReached> {
        let symbol_count = self.symbols.letters().len();
        if let Some(letter) = self.cells.letter_of(class) {
            let symbol = self.symbols.of_letter(letter) as u32;
            return Ok(self.gates.constant(symbols.binary_search(&symbol).is_ok()));
        }
        if symbols.len() == symbol_count {
            return Ok(self.gates.constant(true));
        }
        if symbols.len() > symbol_count / 2 {
            let is_other = |symbol: &u32| symbols.binary_search(symbol).is_err();
            let others: Vec<u32> = (0..symbol_count as u32).filter(is_other).collect();
            return Ok(!self.in_set(class, &others, budget)?);
        }
        if let Some(&lit) = self.sets.get(&(class, symbols.into())) {
            return Ok(lit);
        }
        budget.spend(GATE_COST * (1 + symbols.len() as u64))?;
        let indicators: Vec<Lit> = symbols.iter().map(|&symbol| self.indicator(class, symbol)).collect();
        let lit = self.gates.or(&indicators);
        self.sets.insert((class, symbols.into()), lit);
        Ok(lit)
    }

    /// Whether two classes have the same symbol.
    fn equal(&mut self, left: NodeId, right: NodeId, budget: &mut Budget) -> Result<Lit, LimitReached> {
        let (left, right) = (left.min(right), left.max(right));
        if left == right {
            return Ok(self.gates.constant(true));
        }
        if let Some(&lit) = self.equalities.get(&(left, right)) {
            return Ok(lit);
        }
        budget.spend(GATE_COST * u64::from(self.symbols.bit_count() + 1))?;
        let (left_bits, right_bits) = (self.bits(left), self.bits(right));
        let same: Vec<Lit> =
            left_bits.into_iter().zip(right_bits).map(|(left, right)| self.gates.same(left, right)).collect();
        let lit = self.gates.and(&same);
        self.equalities.insert((left, right), lit);
        Ok(lit)
    }

    /// Whether two rows are equal; they are not if their lengths differ.
    fn rows_equal(
        &mut self,
        left: &[NodeId],
        right: &[NodeId],
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        if left.len() != right.len() {
            return Ok(self.gates.constant(false));
        }
        // Letters that differ decide without any gate.
        budget.spend(8 * left.len() as u64)?;
        for (&left, &right) in left.iter().zip(right) {
            let letters = (self.cells.letter_of(left), self.cells.letter_of(right));
            if matches!(letters, (Some(left), Some(right)) if left != right) {
                return Ok(self.gates.constant(false));
            }
        }
        let mut equal = Vec::new();
        for (&left, &right) in left.iter().zip(right) {
            equal.push(self.equal(left, right, budget)?);
        }
        Ok(self.gates.and(&equal))
    }

    /// For every offset whether `part` occurs there; as many as there are places for it.
    fn matches(
        &mut self,
        whole: &[NodeId],
        part: &[NodeId],
        budget: &mut Budget,
    ) -> Result<Vec<Lit>, LimitReached> {
        if part.is_empty() {
            return Ok(vec![self.gates.constant(true); whole.len() + 1]);
        }
        whole.windows(part.len()).map(|window| self.rows_equal(window, part, budget)).collect()
    }

    /// Whether a row comes before another one.
    fn less(
        &mut self,
        left: &[NodeId],
        right: &[NodeId],
        or_equal: bool,
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        let if_prefix = if left.len() == right.len() { or_equal } else { left.len() < right.len() };
        let mut lit = self.gates.constant(if_prefix);
        for (&left, &right) in left.iter().zip(right).rev() {
            budget.spend(GATE_COST * u64::from(self.symbols.bit_count() + 1))?;
            // From the lowest bit up: the higher bit decides unless it is the same.
            for (left_bit, right_bit) in self.bits(left).into_iter().zip(self.bits(right)) {
                let smaller = self.gates.and(&[!left_bit, right_bit]);
                let not_larger = self.gates.or(&[!left_bit, right_bit]);
                let decided_below = self.gates.and(&[not_larger, lit]);
                lit = self.gates.or(&[smaller, decided_below]);
            }
        }
        Ok(lit)
    }

    fn replace(
        &mut self,
        [result, source, part, new]: [&Text; 4],
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        let (result, source) = (self.nodes(result, budget)?, self.nodes(source, budget)?);
        let (part, new) = (self.nodes(part, budget)?, self.nodes(new, budget)?);
        let matches = self.matches(&source, &part, budget)?;
        let mut cases = Vec::new();
        let mut none_before = self.gates.constant(true);
        for (offset, &found) in matches.iter().enumerate() {
            if result.len() + part.len() == source.len() + new.len() {
                let expected = [&source[..offset], &new, &source[offset + part.len()..]].concat();
                let equal = self.rows_equal(&result, &expected, budget)?;
                cases.push(self.gates.and(&[none_before, found, equal]));
            }
            none_before = self.gates.and(&[none_before, !found]);
        }
        let unchanged = self.rows_equal(&result, &source, budget)?;
        cases.push(self.gates.and(&[none_before, unchanged]));
        Ok(self.gates.or(&cases))
    }

    fn replace_all(
        &mut self,
        [result, source, part, new]: [&Text; 4],
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        let (result, source) = (self.nodes(result, budget)?, self.nodes(source, budget)?);
        let (part, new) = (self.nodes(part, budget)?, self.nodes(new, budget)?);
        let matches = self.matches(&source, &part, budget)?;
        // Whether the rest of the source from one place on becomes the rest of the result from another place on,
        // from the back to the front.
        let mut works: Vec<Vec<Lit>> = vec![Vec::new(); source.len() + 1];
        for from in (0..=source.len()).rev() {
            for to in 0..=result.len() {
                budget.spend(GATE_COST)?;
                if from == source.len() {
                    let lit = self.gates.constant(to == result.len());
                    works[from].push(lit);
                    continue;
                }
                let found = matches.get(from).copied().unwrap_or(self.gates.constant(false));
                let replaced = match result.get(to..to + new.len()) {
                    Some(row) if !self.gates.is_false(found) => {
                        let rest = works[from + part.len()][to + new.len()];
                        let equal = self.rows_equal(row, &new, budget)?;
                        self.gates.and(&[found, equal, rest])
                    }
                    _ => self.gates.constant(false),
                };
                let kept = match result.get(to) {
                    Some(&cell) => {
                        let rest = works[from + 1][to + 1];
                        let equal = if self.gates.is_false(rest) {
                            rest
                        } else {
                            self.equal(cell, source[from], budget)?
                        };
                        self.gates.and(&[!found, equal, rest])
                    }
                    None => self.gates.constant(false),
                };
                let lit = self.gates.or(&[replaced, kept]);
                works[from].push(lit);
            }
        }
        Ok(works[0][0])
    }

    /// Whether a row spells a word of the language.
    fn member(
        &mut self,
        regexes: &mut Regexes,
        nodes: &[NodeId],
        re: Re,
        budget: &mut Budget,
    ) -> Result<Lit, LimitReached> {
        let layers = self.layers(regexes, nodes, re, budget)?;
        // For each state of the next layer the literal that stands for it; states without one cannot end well.
        let mut next: FxHashMap<Re, Lit> = FxHashMap::default();
        if let Some(last) = layers.get(nodes.len()) {
            for &state in last.keys().filter(|&&state| regexes.is_nullable(state)) {
                next.insert(state, self.gates.constant(true));
            }
        }
        next.insert(Re::ALL, self.gates.constant(true));
        for (position, layer) in layers.iter().enumerate().take(nodes.len()).rev() {
            let mut current = FxHashMap::from_iter([(Re::ALL, self.gates.constant(true))]);
            let mut states: Vec<&Re> = layer.keys().collect();
            states.sort_unstable();
            for state in states {
                let mut good = Vec::new();
                for (target, symbols) in &layer[state] {
                    let Some(&rest) = next.get(target) else { continue };
                    let letter = self.in_set(nodes[position], symbols, budget)?;
                    good.push(self.gates.and(&[letter, rest]));
                }
                budget.spend(GATE_COST * (1 + good.len() as u64))?;
                let lit = self.gates.or(&good);
                if !self.gates.is_false(lit) {
                    current.insert(*state, lit);
                }
            }
            next = current;
        }
        Ok(next.get(&re).copied().unwrap_or(self.gates.constant(false)))
    }

    /// The states that can be reached after each number of letters, with their steps. The state that accepts everything is
    /// left out.
    fn layers(
        &mut self,
        regexes: &mut Regexes,
        nodes: &[NodeId],
        re: Re,
        budget: &mut Budget,
    ) -> Result<Vec<FxHashMap<Re, Steps>>, LimitReached> {
        let mut layers: Vec<FxHashMap<Re, Steps>> = Vec::new();
        let mut current: Vec<Re> = if re == Re::ALL { Vec::new() } else { vec![re] };
        for position in 0..=nodes.len() {
            let remaining = (nodes.len() - position) as u64;
            current.retain(|&state| {
                regexes.progression(state).contains(remaining) && !regexes.is_known_empty(state)
            });
            let node = nodes.get(position).copied();
            let mut layer = FxHashMap::default();
            let mut next = Vec::new();
            for &state in &current {
                budget.spend(GATE_COST)?;
                let steps = match node {
                    None => Steps::new(),
                    Some(node) => self.steps_at(regexes, state, node, budget)?,
                };
                next.extend(steps.iter().map(|(target, _)| *target));
                layer.insert(state, steps);
            }
            layers.push(layer);
            next.sort_unstable();
            next.dedup();
            next.retain(|&state| state != Re::ALL && state != Re::NONE);
            current = next;
            if current.is_empty() {
                break;
            }
        }
        Ok(layers)
    }

    /// The steps of a state at a cell, of which the letter may be known.
    fn steps_at(
        &mut self,
        regexes: &mut Regexes,
        state: Re,
        node: NodeId,
        budget: &mut Budget,
    ) -> Result<Steps, LimitReached> {
        match self.cells.letter_of(node) {
            Some(letter) => {
                let target = regexes.derivative(state, letter, budget)?;
                Ok(vec![(target, vec![self.symbols.of_letter(letter) as u32])])
            }
            None => self.steps(regexes, state, budget),
        }
    }

    /// For every target of a state the symbols that lead to it.
    fn steps(&self, regexes: &mut Regexes, state: Re, budget: &mut Budget) -> Result<Steps, LimitReached> {
        let transitions = regexes.transitions(state, budget)?;
        let mut by_target: FxHashMap<Re, Vec<u32>> = FxHashMap::default();
        let letters = self.symbols.letters();
        budget.spend(20 * (letters.len() + transitions.len()) as u64)?;
        for step in &*transitions {
            let from = letters.partition_point(|&letter| letter < step.low);
            let to = letters.partition_point(|&letter| letter <= step.high);
            by_target.entry(step.target).or_default().extend(from as u32..to as u32);
        }
        let mut steps: Steps = by_target.into_iter().filter(|(_, symbols)| !symbols.is_empty()).collect();
        steps.sort_unstable();
        Ok(steps)
    }
}

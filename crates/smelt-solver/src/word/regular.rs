//! Word equations whose variables range over regular languages.
//!
//! Where the sides of an equation begin with variables x and y, one is a beginning of the other: x = y x' or y = x y'. A word of x is
//! then cut in two, and its language with it (`Regexes::cuts`); the languages of y and of the first part of x meet. What is left
//! when no equation is left are variables that are independent of each other, each with a language: a [`Shape`] of solutions.
//! The lengths of a shape are sums of the lengths of languages, so the shapes of a system are a formula over lengths.
//!
//! An equation with a variable alone on one side is a definition if that variable may be anything the other side can be. Branches are
//! cut off where the languages of the two sides have no word in common.
//!
//! The idea to decide a conjunction of equations and languages as a whole and to hand back lengths is that of Blahoudek, Chen,
//! Chocholatý, Havlena, Holík, Lengál and Síč, «Word equations in synergy with regular constraints», 2023. We split
//! one variable at a time on lazily derived languages instead of whole automata.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::{Budget, LimitReached};

use super::equation::{Equation, Equations, Symbol, normalise, substitute, symbols};
use super::nielsen::{components, symbol_count};
use super::{Answer, Refuted, System, vars_of};
use crate::automata::{Emptiness, Re, Regexes, Wanted};
use crate::fixed_length::{Piece, Text, Var};

/// Cost of one symbol of a system that is looked at.
const SYMBOL_COST: u64 = 200;
/// Effort for one attempt to cut a branch off or to see an inclusion.
const PRUNING_EFFORT: u64 = 2_000_000;
/// Longer texts are not written out.
const MAX_TEXT_LEN: usize = 1 << 16;

/// Word equations, and a language for every variable.
#[derive(Debug, Clone, Default)]
pub struct RegularSystem {
    /// The equations.
    pub system: System,
    /// The language of each variable.
    pub languages: Vec<Re>,
}

/// Solutions that look alike: any words of the languages, chosen independently, make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// What each variable of the system is, in terms of independent variables.
    pub texts: Vec<Text>,
    /// The languages of the independent variables, indexed by variable. None of those that occur in `texts` is empty.
    pub languages: Vec<Re>,
}

/// Shapes of solutions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shapes {
    /// The shapes that were found.
    pub shapes: Vec<Shape>,
    /// Whether every solution has one of these shapes. Then no shape at all means that there is no solution.
    pub is_complete: bool,
}

/// Decides the system, if the budget lasts. The core of a refutation is a set of equations with the languages of their variables;
/// without equations, it is the language of some variable that is empty.
pub fn solve(regexes: &mut Regexes, system: &RegularSystem, budget: &mut Budget) -> Answer {
    try_solve(regexes, system, budget).unwrap_or(Answer::Unknown)
}

fn try_solve(
    regexes: &mut Regexes,
    system: &RegularSystem,
    budget: &mut Budget,
) -> Result<Answer, LimitReached> {
    for &language in &system.languages {
        if regexes.emptiness(language, budget)? == Emptiness::Empty {
            return Ok(Answer::Unsat(Refuted { equations: Vec::new() }));
        }
    }
    let mut words: Vec<Vec<u32>> = vec![Vec::new(); system.languages.len()];
    let mut is_done = vec![false; system.languages.len()];
    for component in components(&system.system) {
        let mut search = Search::new(system, &component, Memory::Everything);
        let Some(shape) = search.next_shape(regexes, budget)? else {
            return Ok(Answer::Unsat(Refuted { equations: component }));
        };
        let values = shape.words(regexes, budget)?;
        for &index in &component {
            let (left, right) = &system.system.equations[index];
            for var in vars_of(left).chain(vars_of(right)) {
                words[var as usize].clone_from(&values[var as usize]);
                is_done[var as usize] = true;
            }
        }
    }
    for (var, &language) in system.languages.iter().enumerate() {
        if !is_done[var] {
            words[var] = regexes.find_word(language, Wanted::default(), budget)?.ok_or(LimitReached)?;
        }
    }
    Ok(Answer::Sat(words))
}

/// Up to `max_shapes` shapes of solutions, simple ones first.
pub fn shapes(
    regexes: &mut Regexes,
    system: &RegularSystem,
    max_shapes: usize,
    budget: &mut Budget,
) -> Shapes {
    let mut shapes = Vec::new();
    for &language in &system.languages {
        match regexes.emptiness(language, budget) {
            Ok(Emptiness::NonEmpty) => {}
            Ok(Emptiness::Empty) => return Shapes { shapes, is_complete: true },
            Err(LimitReached) => return Shapes { shapes, is_complete: false },
        }
    }
    let all: Vec<usize> = (0..system.system.equations.len()).collect();
    let mut search = Search::new(system, &all, Memory::Nothing);
    while shapes.len() < max_shapes {
        match search.next_shape(regexes, budget) {
            Ok(Some(shape)) => shapes.push(shape),
            Ok(None) => return Shapes { shapes, is_complete: true },
            Err(LimitReached) => return Shapes { shapes, is_complete: false },
        }
    }
    let is_complete = search.queue.is_empty();
    Shapes { shapes, is_complete }
}

impl Shape {
    /// One solution of this shape, of short words.
    pub fn words(&self, regexes: &mut Regexes, budget: &mut Budget) -> Result<Vec<Vec<u32>>, LimitReached> {
        let mut chosen: FxHashMap<Var, Vec<u32>> = FxHashMap::default();
        for text in &self.texts {
            for var in vars_of(text) {
                if let Entry::Vacant(entry) = chosen.entry(var) {
                    let language = self.languages[var as usize];
                    let word = regexes.find_word(language, Wanted::default(), budget)?;
                    entry.insert(word.ok_or(LimitReached)?);
                }
            }
        }
        Ok(self.texts.iter().map(|text| substituted(text, &chosen)).collect())
    }

    /// The solution with these words for the independent variables.
    pub fn words_with(&self, chosen: &FxHashMap<Var, Vec<u32>>) -> Vec<Vec<u32>> {
        self.texts.iter().map(|text| substituted(text, chosen)).collect()
    }
}

fn substituted(text: &Text, words: &FxHashMap<Var, Vec<u32>>) -> Vec<u32> {
    let mut letters = Vec::new();
    for piece in text {
        match piece {
            Piece::Var(var) => letters.extend(words.get(var).into_iter().flatten()),
            Piece::Word(word) => letters.extend_from_slice(word),
        }
    }
    letters
}

/// What a search remembers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Systems that were seen are not entered again: enough to find out whether there is a solution.
    Everything,
    /// Every way counts: needed to find all solutions.
    Nothing,
}

/// A system on the way to a shape.
struct Node {
    parent: usize,
    /// What was substituted on the way from the parent, in order.
    steps: Vec<(Var, Vec<Symbol>)>,
    equations: Equations,
    languages: Vec<Re>,
}

struct Search {
    memory: Memory,
    nodes: Vec<Node>,
    /// Nodes that are still to be looked at.
    queue: VecDeque<usize>,
    visited: FxHashSet<(Equations, Vec<(Var, Re)>)>,
    is_fresh: bool,
}

impl Search {
    fn new(system: &RegularSystem, component: &[usize], memory: Memory) -> Self {
        let equations = component.iter().map(|&index| {
            let (left, right) = &system.system.equations[index];
            (symbols(left), symbols(right))
        });
        let root = Node {
            parent: 0,
            steps: Vec::new(),
            equations: equations.collect(),
            languages: system.languages.clone(),
        };
        Search {
            memory,
            nodes: vec![root],
            queue: VecDeque::new(),
            visited: FxHashSet::default(),
            is_fresh: true,
        }
    }

    /// The next shape; `None` after the last one.
    fn next_shape(
        &mut self,
        regexes: &mut Regexes,
        budget: &mut Budget,
    ) -> Result<Option<Shape>, LimitReached> {
        if std::mem::take(&mut self.is_fresh) {
            let mut root = self.nodes.pop().expect("a fresh search has a root");
            if simplify(regexes, &mut root, budget)? {
                self.nodes.push(root);
                self.queue.push_back(0);
            }
        }
        while let Some(index) = self.queue.pop_front() {
            if self.nodes[index].equations.is_empty() {
                return self.shape(index, budget).map(Some);
            }
            for (steps, languages) in branches(regexes, &self.nodes[index], budget)? {
                let mut equations = self.nodes[index].equations.clone();
                for (var, by) in &steps {
                    equations = substitute(&equations, *var, by);
                }
                budget.spend(SYMBOL_COST * (4 + symbol_count(&equations)))?;
                let mut node = Node { parent: index, steps, equations, languages };
                if simplify(regexes, &mut node, budget)? && self.is_new(&node) {
                    self.queue.push_back(self.nodes.len());
                    self.nodes.push(node);
                }
            }
        }
        Ok(None)
    }

    fn is_new(&mut self, node: &Node) -> bool {
        if self.memory == Memory::Nothing {
            return true;
        }
        let mut vars: Vec<Var> = node
            .equations
            .iter()
            .flat_map(|(left, right)| left.iter().chain(&**right))
            .filter_map(|symbol| match symbol {
                Symbol::Var(var) => Some(*var),
                Symbol::Letter(_) => None,
            })
            .collect();
        vars.sort_unstable();
        vars.dedup();
        let languages = vars.into_iter().map(|var| (var, node.languages[var as usize])).collect();
        self.visited.insert((node.equations.clone(), languages))
    }

    /// The shape at a node without equations: the substitutions carried out from the last one to the first.
    fn shape(&self, index: usize, budget: &mut Budget) -> Result<Shape, LimitReached> {
        let var_count = self.nodes[index].languages.len();
        let mut texts: Vec<Vec<Symbol>> = (0..var_count as Var).map(|var| vec![Symbol::Var(var)]).collect();
        let mut current = index;
        loop {
            let node = &self.nodes[current];
            for (var, by) in node.steps.iter().rev() {
                let mut text = Vec::new();
                for symbol in by {
                    match symbol {
                        Symbol::Letter(_) => text.push(*symbol),
                        Symbol::Var(part) => text.extend_from_slice(&texts[*part as usize]),
                    }
                }
                budget.spend(text.len() as u64 + 1)?;
                if text.len() > MAX_TEXT_LEN {
                    return Err(LimitReached);
                }
                texts[*var as usize] = text;
            }
            if current == 0 {
                break;
            }
            current = node.parent;
        }
        let texts = texts.iter().map(|text| pieces(text)).collect();
        Ok(Shape { texts, languages: self.nodes[index].languages.clone() })
    }
}

/// Symbols as pieces, with neighbouring letters in one word.
fn pieces(symbols: &[Symbol]) -> Text {
    let mut text = Text::new();
    let mut letters = Vec::new();
    for symbol in symbols {
        match symbol {
            Symbol::Letter(letter) => letters.push(*letter),
            Symbol::Var(var) => {
                if !letters.is_empty() {
                    text.push(Piece::word(&letters));
                    letters.clear();
                }
                text.push(Piece::Var(*var));
            }
        }
    }
    if !letters.is_empty() {
        text.push(Piece::word(&letters));
    }
    text
}

/// Carries out what follows without a choice. Whether there may still be a solution.
fn simplify(regexes: &mut Regexes, node: &mut Node, budget: &mut Budget) -> Result<bool, LimitReached> {
    loop {
        budget.spend(SYMBOL_COST * symbol_count(&node.equations))?;
        let Some(normal) = normalise(std::mem::take(&mut node.equations)) else { return Ok(false) };
        node.equations = normal.equations;
        for var in normal.empty_vars {
            if !regexes.is_nullable(node.languages[var as usize]) {
                return Ok(false);
            }
            node.steps.push((var, Vec::new()));
        }
        match find_definition(regexes, node, budget)? {
            Definition::Impossible => return Ok(false),
            Definition::None => break,
            Definition::Found(var, by) => {
                node.equations = substitute(&node.equations, var, &by);
                node.steps.push((var, by));
            }
        }
    }
    for (left, right) in &node.equations {
        let (left, right) = (side_language(regexes, node, left), side_language(regexes, node, right));
        let common = regexes.inter(&[left, right]);
        let found = with_part_of(budget, PRUNING_EFFORT, |part| regexes.emptiness(common, part));
        if found == Ok(Emptiness::Empty) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An equation that says what a variable is.
enum Definition {
    None,
    Found(Var, Vec<Symbol>),
    Impossible,
}

fn find_definition(
    regexes: &mut Regexes,
    node: &mut Node,
    budget: &mut Budget,
) -> Result<Definition, LimitReached> {
    for index in 0..node.equations.len() {
        let (left, right) = node.equations[index].clone();
        for (alone, other) in [(&left, &right), (&right, &left)] {
            let [Symbol::Var(var)] = **alone else { continue };
            if other.contains(&Symbol::Var(var)) {
                continue;
            }
            let language = node.languages[var as usize];
            if let [Symbol::Var(same)] = **other {
                let common = regexes.inter(&[language, node.languages[same as usize]]);
                if regexes.emptiness(common, budget)? == Emptiness::Empty {
                    return Ok(Definition::Impossible);
                }
                node.languages[same as usize] = common;
                return Ok(Definition::Found(var, other.to_vec()));
            }
            let others = side_language(regexes, node, other);
            let is_free = language == Re::ALL
                || with_part_of(budget, PRUNING_EFFORT, |part| regexes.is_included(others, language, part))
                    == Ok(true);
            if is_free {
                return Ok(Definition::Found(var, other.to_vec()));
            }
        }
    }
    Ok(Definition::None)
}

/// The words that one side of an equation can be, if its variables are taken to be independent.
fn side_language(regexes: &mut Regexes, node: &Node, side: &[Symbol]) -> Re {
    let mut parts = Vec::new();
    let mut letters = Vec::new();
    for symbol in side {
        match symbol {
            Symbol::Letter(letter) => letters.push(*letter),
            Symbol::Var(var) => {
                parts.push(regexes.word(&letters));
                letters.clear();
                parts.push(node.languages[*var as usize]);
            }
        }
    }
    parts.push(regexes.word(&letters));
    regexes.concat(&parts)
}

type Branch = (Vec<(Var, Vec<Symbol>)>, Vec<Re>);

/// The cases of which exactly one must hold, by the first symbols of an equation.
fn branches(regexes: &mut Regexes, node: &Node, budget: &mut Budget) -> Result<Vec<Branch>, LimitReached> {
    let begins_with_letter = |(left, right): &&Equation| {
        matches!(left[0], Symbol::Letter(_)) || matches!(right[0], Symbol::Letter(_))
    };
    let equation = node.equations.iter().find(begins_with_letter).unwrap_or(&node.equations[0]);
    let with = |changes: &[(Var, Re)]| {
        let mut languages = node.languages.clone();
        for &(var, language) in changes {
            languages[var as usize] = language;
        }
        languages
    };
    let mut branches = Vec::new();
    match (equation.0[0], equation.1[0]) {
        (Symbol::Var(var), Symbol::Letter(letter)) | (Symbol::Letter(letter), Symbol::Var(var)) => {
            let language = node.languages[var as usize];
            if regexes.is_nullable(language) {
                branches.push((vec![(var, Vec::new())], with(&[])));
            }
            let rest = regexes.derivative(language, letter, budget)?;
            if regexes.emptiness(rest, budget)? == Emptiness::NonEmpty {
                let by = vec![Symbol::Letter(letter), Symbol::Var(var)];
                branches.push((vec![(var, by)], with(&[(var, rest)])));
            }
        }
        (Symbol::Var(one), Symbol::Var(two)) => {
            let (one_language, two_language) = (node.languages[one as usize], node.languages[two as usize]);
            for cut in regexes.cuts(one_language, two_language, budget)? {
                let by = vec![Symbol::Var(two), Symbol::Var(one)];
                branches.push((vec![(one, by)], with(&[(two, cut.first), (one, cut.rest)])));
            }
            let nonempty = regexes.repeat(Re::ALLCHAR, 1, None);
            for cut in regexes.cuts(two_language, one_language, budget)? {
                let rest = regexes.inter(&[cut.rest, nonempty]);
                if regexes.emptiness(rest, budget)? == Emptiness::NonEmpty {
                    let by = vec![Symbol::Var(one), Symbol::Var(two)];
                    branches.push((vec![(two, by)], with(&[(one, cut.first), (two, rest)])));
                }
            }
        }
        (Symbol::Letter(_), Symbol::Letter(_)) => {
            unreachable!("equal letters are stripped, different ones clash")
        }
    }
    Ok(branches)
}

/// Does some work with at most so much of the budget.
fn with_part_of<T>(budget: &mut Budget, units: u64, work: impl FnOnce(&mut Budget) -> T) -> T {
    let granted = units.min(budget.remaining());
    let mut part = Budget::new(granted);
    let result = work(&mut part);
    // What the part has spent was there to be spent.
    let _ = budget.spend(granted - part.remaining());
    result
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::automata::letters::LetterSet;

    const A: u32 = 'a' as u32;

    fn budget() -> Budget {
        Budget::new(1 << 28)
    }

    fn short_words() -> Vec<Vec<u32>> {
        let mut words = vec![Vec::new()];
        for len in 0..3 {
            let longest: Vec<Vec<u32>> =
                words.iter().filter(|word: &&Vec<u32>| word.len() == len).cloned().collect();
            for word in longest {
                words.extend([A, A + 1].map(|letter| [&word[..], &[letter]].concat()));
            }
        }
        words
    }

    struct Generator(Xoshiro256PlusPlus);

    impl Generator {
        fn below(&mut self, bound: u64) -> u64 {
            self.0.next_u64() % bound
        }

        fn language(&mut self, regexes: &mut Regexes) -> Re {
            let part = |generator: &mut Generator, regexes: &mut Regexes| {
                let letters = [LetterSet::single(A), LetterSet::single(A + 1), LetterSet::range(A, A + 1)];
                let letter = regexes.letters(letters[generator.below(3) as usize].clone());
                match generator.below(3) {
                    0 => letter,
                    1 => regexes.star(letter),
                    _ => {
                        let other = regexes.word(&[A, A + 1]);
                        let both = regexes.union(&[letter, other]);
                        regexes.star(both)
                    }
                }
            };
            match self.below(3) {
                0 => Re::ALL,
                1 => part(self, regexes),
                _ => {
                    let (one, two) = (part(self, regexes), part(self, regexes));
                    regexes.concat_two(one, two)
                }
            }
        }

        fn side(&mut self) -> Text {
            (0..self.below(4))
                .map(|_| match self.below(5) {
                    number @ 0..=2 => Piece::Var(number as Var),
                    number => Piece::word(&[A + number as u32 - 3]),
                })
                .collect()
        }

        fn system(&mut self, regexes: &mut Regexes) -> RegularSystem {
            let equations = (0..1 + self.below(2)).map(|_| (self.side(), self.side())).collect();
            let languages = (0..3).map(|_| self.language(regexes)).collect();
            RegularSystem { system: System { var_count: 3, equations }, languages }
        }
    }

    fn is_solution(regexes: &mut Regexes, system: &RegularSystem, words: &[Vec<u32>]) -> bool {
        let chosen: FxHashMap<Var, Vec<u32>> =
            words.iter().enumerate().map(|(var, word)| (var as Var, word.clone())).collect();
        let equations_hold = system
            .system
            .equations
            .iter()
            .all(|(left, right)| substituted(left, &chosen) == substituted(right, &chosen));
        equations_hold
            && words
                .iter()
                .zip(&system.languages)
                .all(|(word, &language)| regexes.matches(language, word, &mut budget()).unwrap())
    }

    fn short_solutions(regexes: &mut Regexes, system: &RegularSystem) -> Vec<[Vec<u32>; 3]> {
        let candidates = short_words();
        let mut found = Vec::new();
        for x in &candidates {
            for y in &candidates {
                for z in &candidates {
                    let words = [x.clone(), y.clone(), z.clone()];
                    if is_solution(regexes, system, &words) {
                        found.push(words);
                    }
                }
            }
        }
        found
    }

    #[test]
    fn answers_agree_with_trying_all_short_words() {
        let mut generator = Generator(Xoshiro256PlusPlus::seed_from_u64(11));
        let mut regexes = Regexes::new();
        let (mut sat_count, mut unsat_count, mut unknown_count) = (0, 0, 0);
        for _ in 0..250 {
            let system = generator.system(&mut regexes);
            match solve(&mut regexes, &system, &mut Budget::new(1 << 24)) {
                Answer::Sat(words) => {
                    sat_count += 1;
                    assert!(is_solution(&mut regexes, &system, &words), "{system:?} {words:?}");
                }
                Answer::Unsat(refuted) => {
                    unsat_count += 1;
                    let mut core = system.clone();
                    core.system.equations = refuted
                        .equations()
                        .iter()
                        .map(|&index| system.system.equations[index].clone())
                        .collect();
                    assert_eq!(short_solutions(&mut regexes, &core).first(), None, "{system:?}");
                }
                Answer::Unknown => unknown_count += 1,
            }
        }
        assert!(
            sat_count > 60 && unsat_count > 60 && unknown_count < 15,
            "{sat_count} {unsat_count} {unknown_count}"
        );
    }

    #[test]
    fn complete_shapes_cover_all_short_solutions_and_hold_nothing_else() {
        let mut generator = Generator(Xoshiro256PlusPlus::seed_from_u64(12));
        let mut regexes = Regexes::new();
        let candidates = short_words();
        let mut complete_count = 0;
        for _ in 0..150 {
            let system = generator.system(&mut regexes);
            let found = shapes(&mut regexes, &system, 40, &mut Budget::new(1 << 23));
            complete_count += usize::from(found.is_complete);
            let mut covered = FxHashSet::default();
            for shape in &found.shapes {
                let mut vars: Vec<Var> = shape.texts.iter().flat_map(vars_of).collect();
                vars.sort_unstable();
                vars.dedup();
                // Some words for each independent variable, all combined.
                let mut choices: Vec<FxHashMap<Var, Vec<u32>>> = vec![FxHashMap::default()];
                for &var in &vars {
                    let language = shape.languages[var as usize];
                    let members: Vec<&Vec<u32>> = candidates
                        .iter()
                        .filter(|word| regexes.matches(language, word, &mut budget()).unwrap())
                        .collect();
                    let longer = choices.iter().flat_map(|choice| {
                        members.iter().map(move |&word| {
                            let mut choice = choice.clone();
                            choice.insert(var, word.clone());
                            choice
                        })
                    });
                    choices = longer.collect();
                }
                for choice in &choices {
                    let words = shape.words_with(choice);
                    assert!(is_solution(&mut regexes, &system, &words), "{system:?} {shape:?} {words:?}");
                    covered.insert(words);
                }
            }
            if found.is_complete {
                for solution in short_solutions(&mut regexes, &system) {
                    assert!(covered.contains(solution.as_slice()), "{system:?} {solution:?}");
                }
            }
        }
        assert!(complete_count > 60, "{complete_count}");
    }
}

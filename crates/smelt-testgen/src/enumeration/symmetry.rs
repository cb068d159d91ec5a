//! Symmetry breaking: fewer formulas that say the same with other names or in another order.
//!
//! Both kinds are changes of the rules, so counts stay exact, and everything else works as without them.
//!
//! *Variables.* Of the formulas that differ in the names of variables of one sort only, the one stays in which the
//! variables occur for the first time in their order. A nonterminal becomes one for each number of variables that are
//! in use before and after it: at a place with m variables in use stands one of these, or the next.
//!
//! *Arguments.* Two arguments of a commutative operator, derived from one nonterminal, stay in the order of their
//! enumeration: the smaller first, and among those of one size by their index.
//!
//! With either of them alone exactly one formula of each class of equivalent ones stays. With both, every class keeps at
//! least one: exchanging arguments that are out of order, and renaming, always lead to a formula that is earlier in the
//! enumeration, so they end. A class keeps more than one only where arguments of the same size use new variables.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;

use super::lexer::lexemes;
use super::rules::{Nonterminal, NonterminalId, Production, Rules};

/// Operators whose first two arguments can be exchanged, not counting a rounding mode.
pub const COMMUTATIVE: &[Op] = &[
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Eq,
    Op::Distinct,
    Op::Iff,
    Op::Add,
    Op::Mul,
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvNand,
    Op::BvNor,
    Op::BvXnor,
    Op::BvAdd,
    Op::BvMul,
    Op::BvComp,
    Op::BvUaddO,
    Op::BvSaddO,
    Op::BvUmulO,
    Op::BvSmulO,
    Op::FpEq,
    Op::FpAdd,
    Op::FpMul,
    Op::FpFma,
    Op::ReUnion,
    Op::ReInter,
];

/// Those among them whose first argument is a rounding mode.
pub const ROUNDED: &[Op] = &[Op::FpAdd, Op::FpMul, Op::FpFma];

/// Marks productions with a commutative operator; operators that stand in one rule with others get rules of their own.
pub(super) fn mark_commutative(rules: &mut Rules) {
    // For a rule of operators the two rules that take its place.
    let mut halves: FxHashMap<NonterminalId, [Option<NonterminalId>; 2]> = FxHashMap::default();
    for position in 0..rules.nonterminals.len() {
        let mut productions = Vec::new();
        for production in std::mem::take(&mut rules.nonterminals[position].productions) {
            let Some(head) = head(rules, &production) else {
                productions.push(production);
                continue;
            };
            match head {
                Head::Word(place) => productions.push(Production { exchanges: place, ..production }),
                Head::Rule { id, place } => {
                    let [others, commutative] = *halves.entry(id).or_insert_with(|| split(rules, id));
                    for (half, exchanges) in [(others, None), (commutative, Some(place))] {
                        let Some(half) = half else { continue };
                        let mut copy = Production { exchanges, ..production.clone() };
                        copy.children[0] = half;
                        productions.push(copy);
                    }
                }
            }
        }
        rules.nonterminals[position].productions = productions;
    }
}

/// What an application applies, if its arguments can be exchanged at all.
enum Head {
    /// A word, with the place of the first argument that can be exchanged with the next, if there is one.
    Word(Option<usize>),
    /// A rule of words, some of which are commutative.
    Rule { id: NonterminalId, place: usize },
}

/// The head of a production of the form `(operator argument argument ..)` with all arguments derived.
fn head(rules: &Rules, production: &Production) -> Option<Head> {
    let (first, others) = production.texts.split_first()?;
    let (last, between) = others.split_last()?;
    if last.trim() != ")" {
        return None;
    }
    let words = lexemes(first);
    let blank = |text: &String| text.trim().is_empty();
    match words[..] {
        [opening, word] if opening.text == "(" && between.iter().all(blank) => {
            let place = commutative_place(word.text);
            Some(Head::Word(place.filter(|place| is_pair(&production.children, *place))))
        }
        [opening] if opening.text == "(" && between.iter().all(blank) => {
            let id = *production.children.first()?;
            let place = rules
                .nonterminal(id)
                .productions
                .iter()
                .filter(|operator| operator.children.is_empty())
                .find_map(|operator| commutative_place(operator.texts[0].trim()))?;
            let is_words =
                rules.nonterminal(id).productions.iter().all(|operator| operator.children.is_empty());
            (is_words && is_pair(&production.children, place + 1))
                .then_some(Head::Rule { id, place: place + 1 })
        }
        _ => None,
    }
}

/// Whether two children from this place on are derived from one nonterminal.
fn is_pair(children: &[NonterminalId], place: usize) -> bool {
    matches!(children.get(place..place + 2), Some([left, right]) if left == right)
}

/// The first argument of an operator that can be exchanged with the next.
fn commutative_place(word: &str) -> Option<usize> {
    let op = COMMUTATIVE.iter().find(|op| op.info().name == word)?;
    Some(usize::from(ROUNDED.contains(op)))
}

/// Rules for the operators of a rule that are not commutative, and for those that are.
fn split(rules: &mut Rules, id: NonterminalId) -> [Option<NonterminalId>; 2] {
    let Nonterminal { name, productions } = rules.nonterminal(id).clone();
    let (commutative, others): (Vec<Production>, Vec<Production>) = productions
        .into_iter()
        .partition(|production| commutative_place(production.texts[0].trim()).is_some());
    [others, commutative].map(|productions| {
        (!productions.is_empty()).then(|| {
            rules.nonterminals.push(Nonterminal { name: name.clone(), productions });
            (rules.nonterminals.len() - 1) as NonterminalId
        })
    })
}

/// Gives marked pairs of children a nonterminal of their own, whose production is unordered.
pub(super) fn order_marked(rules: &mut Rules) {
    let mut pairs: FxHashMap<(NonterminalId, NonterminalId, String), NonterminalId> = FxHashMap::default();
    for position in 0..rules.nonterminals.len() {
        for number in 0..rules.nonterminals[position].productions.len() {
            let production = &rules.nonterminals[position].productions[number];
            let Some(place) = production.exchanges else { continue };
            let (left, right) = (production.children[place], production.children[place + 1]);
            let between = production.texts[place + 1].clone();
            let span = production.span;
            let next = rules.nonterminals.len() as NonterminalId;
            let pair = *pairs.entry((left, right, between.clone())).or_insert(next);
            if pair == next {
                let production = Production {
                    span,
                    cost: 0,
                    texts: vec![String::new(), between, String::new()],
                    children: vec![left, right],
                    is_unordered: true,
                    variable: None,
                    exchanges: None,
                };
                let name = format!("pair of {}", rules.nonterminal(left).name);
                rules.nonterminals.push(Nonterminal { name, productions: vec![production] });
            }
            let production = &mut rules.nonterminals[position].productions[number];
            production.exchanges = None;
            production.children.splice(place..place + 2, [pair]);
            production.texts.remove(place + 1);
        }
    }
}

/// How many variables of each group are in use.
type Used = Vec<u32>;

/// A nonterminal with the variables in use before and after it.
type Key = (NonterminalId, Used, Used);

/// Rules in which variables occur for the first time in their order.
pub(super) fn order_variables(rules: &Rules) -> Rules {
    let has_variables = with_variables(rules);
    let nothing: Used = vec![0; rules.groups.len()];
    let mut refinement = Refinement { ids: FxHashMap::default(), open: Vec::new() };
    let all: Used = rules.groups.clone();
    let starts: Vec<NonterminalId> = between(&nothing, &all)
        .into_iter()
        .filter(|used| has_variables[rules.start as usize] || *used == nothing)
        .map(|used| refinement.id((rules.start, nothing.clone(), used)))
        .collect();
    let mut nonterminals: Vec<Nonterminal> = Vec::new();
    while let Some((id, before, after)) = refinement.open.get(nonterminals.len()).cloned() {
        let nonterminal = rules.nonterminal(id);
        let mut productions = Vec::new();
        for production in &nonterminal.productions {
            if let Some((group, number)) = production.variable {
                let mut used = before.clone();
                used[group] = used[group].max(number + 1);
                if number <= before[group] && used == after {
                    productions.push(production.clone());
                }
                continue;
            }
            for path in paths(&production.children, &before, &after, &has_variables) {
                let children = production
                    .children
                    .iter()
                    .zip(path.windows(2))
                    .map(|(child, step)| match has_variables[*child as usize] {
                        true => refinement.id((*child, step[0].clone(), step[1].clone())),
                        // The same wherever it stands.
                        false => refinement.id((*child, nothing.clone(), nothing.clone())),
                    })
                    .collect();
                productions.push(Production { children, ..production.clone() });
            }
        }
        nonterminals.push(Nonterminal { name: nonterminal.name.clone(), productions });
    }
    let productions = starts
        .iter()
        .map(|start| Production {
            span: rules.nonterminal(rules.start).productions[0].span,
            cost: 0,
            texts: vec![String::new(), String::new()],
            children: vec![*start],
            is_unordered: false,
            variable: None,
            exchanges: None,
        })
        .collect();
    let start = nonterminals.len() as NonterminalId;
    nonterminals.push(Nonterminal { name: "start".to_owned(), productions });
    Rules { nonterminals, start, groups: rules.groups.clone() }.without_useless()
}

struct Refinement {
    ids: FxHashMap<Key, NonterminalId>,
    /// The keys in the order of their ids.
    open: Vec<Key>,
}

impl Refinement {
    fn id(&mut self, key: Key) -> NonterminalId {
        let next = self.open.len() as NonterminalId;
        let id = *self.ids.entry(key.clone()).or_insert(next);
        if id == next {
            self.open.push(key);
        }
        id
    }
}

/// For each nonterminal whether it derives variables.
fn with_variables(rules: &Rules) -> Vec<bool> {
    let mut found = vec![false; rules.nonterminals.len()];
    loop {
        let mut has_changed = false;
        for (position, nonterminal) in rules.nonterminals.iter().enumerate() {
            let derives = |production: &Production| {
                production.variable.is_some()
                    || production.children.iter().any(|child| found[*child as usize])
            };
            if !found[position] && nonterminal.productions.iter().any(derives) {
                found[position] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return found;
        }
    }
}

/// All that is in use between two stages, from the first on.
fn between(low: &Used, high: &Used) -> Vec<Used> {
    let mut found = vec![Vec::new()];
    for (low, high) in low.iter().zip(high) {
        found = found
            .into_iter()
            .flat_map(|used: Used| (*low..=*high).map(move |number| [&used[..], &[number]].concat()))
            .collect();
    }
    found
}

/// The ways from one stage to another over children, with the stages before, between and after them.
fn paths(children: &[NonterminalId], before: &Used, after: &Used, has_variables: &[bool]) -> Vec<Vec<Used>> {
    let mut found = vec![vec![before.clone()]];
    let last = children.iter().rposition(|child| has_variables[*child as usize]);
    if last.is_none() && before != after {
        return Vec::new();
    }
    for (position, child) in children.iter().enumerate() {
        let steps = |path: Vec<Used>| -> Vec<Vec<Used>> {
            let current = path.last().expect("a path has a beginning").clone();
            let next = if Some(position) == last {
                vec![after.clone()]
            } else if has_variables[*child as usize] {
                between(&current, after)
            } else {
                vec![current]
            };
            next.into_iter().map(|used| [&path[..], &[used]].concat()).collect()
        };
        found = found.into_iter().flat_map(steps).collect();
    }
    found
}

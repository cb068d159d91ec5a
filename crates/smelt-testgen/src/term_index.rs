//! A look over the assertions of a script: what occurs where, and a uniform choice among the occurrences.
//!
//! A formula is a graph that may stand for a far larger tree, and an occurrence is a node of the tree. Counting per
//! node of the graph lets us choose uniformly among the occurrences without listing them.
//!
//! Order is that of the text, never that of ids, so that nothing depends on what else the arena holds.

use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{AttributeValue, Head, Term, Terms};
use smelt_smtlib::walk::subterm_at;

use crate::operators::wants_literals;
use crate::random::Random;

/// Few places are deeper.
const USUAL_DEPTH: usize = 8;

/// What is known of one distinct subterm.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// How many occurrences in it, itself included, are wanted.
    wanted: u64,
    /// How many nodes it has as a tree.
    pub nodes: u64,
    /// Whether an annotation in it gives a name; such a term can neither be dropped nor copied.
    pub has_names: bool,
    /// Whether something in it is not known to the operator table.
    pub has_opaque: bool,
}

/// The distinct subterms of the assertions of a script that may be touched.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermIndex {
    /// Positions of the assertions among the commands, with their terms.
    assertions: Vec<(usize, Term)>,
    /// Distinct subterms of all that was looked at, each after its arguments.
    pub terms: Vec<Term>,
    /// By the index of the term; none for what was not looked at.
    facts: Vec<Option<Facts>>,
    /// Terms to be looked at, each with the argument to look at next.
    pending: Vec<(Term, usize)>,
}

/// One occurrence of a subterm.
#[derive(Debug, Clone)]
pub(crate) struct TermSite {
    /// The position of the assertion among the commands.
    pub command: usize,
    /// The asserted term.
    pub root: Term,
    /// The way down from there.
    pub path: Vec<u32>,
    /// The subterm.
    pub term: Term,
}

impl TermSite {
    /// Whether what stands here must be a literal, or may not be any: a multiplicity that is written as a negative
    /// number is ill-formed.
    pub(crate) fn wants_literal(&self, terms: &Terms) -> bool {
        let Some((position, above)) = self.path.split_last() else { return false };
        let parent = subterm_at(terms, self.root, above);
        let op = parent.and_then(|parent| terms.op(parent));
        op.is_some_and(|op| wants_literals(op) || op == Op::BagMake && *position == 1)
    }
}

impl TermIndex {
    /// Looks at all assertions; `is_wanted` says which subterms are to be chosen from.
    pub(crate) fn new(terms: &Terms, script: &Script, is_wanted: impl Fn(Term, &Facts) -> bool) -> Self {
        let mut survey = TermIndex::default();
        survey.look(terms, script, is_wanted);
        survey
    }

    /// Looks at all assertions of another script over the same terms, with the same wishes as before: what was seen
    /// before is not looked at again.
    pub(crate) fn look(&mut self, terms: &Terms, script: &Script, is_wanted: impl Fn(Term, &Facts) -> bool) {
        self.assertions.clear();
        self.assertions.extend(script.commands.iter().enumerate().filter_map(|(position, command)| {
            match command {
                Command::Assert(term) => Some((position, *term)),
                _ => None,
            }
        }));
        self.facts.resize(terms.len(), None);
        for number in 0..self.assertions.len() {
            self.pending.push((self.assertions[number].1, 0));
            while let Some((term, position)) = self.pending.pop() {
                if position == 0 && self.facts[term.index()].is_some() {
                    continue;
                }
                let open = open_args(terms, term);
                let is_new = |arg: &Term| self.facts[arg.index()].is_none();
                if let Some(next) = open[position..].iter().position(is_new) {
                    let next = position + next;
                    self.pending.push((term, next + 1));
                    self.pending.push((open[next], 0));
                    continue;
                }
                let mut facts = self.facts_of(terms, term, open);
                facts.wanted = facts.wanted.saturating_add(u64::from(is_wanted(term, &facts)));
                self.facts[term.index()] = Some(facts);
                self.terms.push(term);
            }
        }
    }

    fn facts_of(&self, terms: &Terms, term: Term, open: &[Term]) -> Facts {
        let names = match terms.head(term) {
            Head::Annotated(attributes) => terms
                .attributes(attributes)
                .iter()
                .any(|attribute| matches!(attribute.value, AttributeValue::Name(_))),
            _ => false,
        };
        let is_opaque = matches!(terms.head(term), Head::Opaque(_)) || terms.sort(term) == Sort::UNKNOWN;
        let mut facts = Facts { wanted: 0, nodes: 1, has_names: names, has_opaque: is_opaque };
        for arg in open {
            let below = self.facts(*arg);
            facts.wanted = facts.wanted.saturating_add(below.wanted);
            facts.nodes = facts.nodes.saturating_add(below.nodes);
            facts.has_names |= below.has_names;
            facts.has_opaque |= below.has_opaque;
        }
        facts
    }

    /// What is known of a subterm.
    pub(crate) fn facts(&self, term: Term) -> &Facts {
        self.facts[term.index()].as_ref().expect("only what was looked at is asked for")
    }

    /// One of the wanted occurrences, each with the same chance; none if there is none.
    pub(crate) fn draw(&self, terms: &Terms, random: &mut Random) -> Option<TermSite> {
        let wanted = |term: Term| self.facts(term).wanted;
        let total = self.assertions.iter().fold(0u64, |sum, (_, root)| sum.saturating_add(wanted(*root)));
        if total == 0 {
            return None;
        }
        let mut left = random.below(total);
        let &(command, root) = self.assertions.iter().find(|(_, root)| {
            let is_here = left < wanted(*root);
            left = if is_here { left } else { left - wanted(*root) };
            is_here
        })?;
        let mut place = TermSite { command, root, path: Vec::with_capacity(USUAL_DEPTH), term: root };
        'down: loop {
            for (position, arg) in open_args(terms, place.term).iter().enumerate() {
                if left < wanted(*arg) {
                    place.path.push(position as u32);
                    place.term = *arg;
                    continue 'down;
                }
                left -= wanted(*arg);
            }
            // What is left when all arguments are passed is the term itself.
            return Some(place);
        }
    }
}

/// The arguments of a term that may be looked into: not those of opaque operators, and no patterns.
pub(crate) fn open_args(terms: &Terms, term: Term) -> &[Term] {
    let args = terms.args(term);
    match terms.head(term) {
        Head::Opaque(_) => &[],
        Head::Annotated(_) => &args[..1],
        _ => args,
    }
}

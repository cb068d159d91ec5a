//! Does a grammar derive a formula in two ways? Then it would be enumerated twice.
//!
//! For context-free grammars nobody can tell, but rules that derive whole S-expressions are a regular tree grammar, for
//! which it can be decided. What stands between two parentheses is a *content*: an automaton whose letters are atoms,
//! contents of inner lists, and rules that derive one expression. Two letters *meet* if some expression is derived from
//! both; which contents meet is a least fixed point. A grammar is ambiguous if two alternatives of a rule meet, or if a
//! content has two different runs over letters that meet.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::source::{Span, line_column};

use super::rules::{NonterminalId, Production, Rules, Symbol};

/// The overlaps of a grammar, at the second of the two places.
pub(super) fn overlaps(rules: &Rules, source: &str) -> Vec<Diagnostic> {
    match Analysis::new(rules) {
        Ok(mut analysis) => {
            analysis.close();
            analysis.overlaps(source)
        }
        Err(problem) => vec![problem],
    }
}

/// What an expression can be derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Letter {
    Atom(u32),
    /// A list with this content.
    List(u32),
    /// A rule that derives one expression.
    Rule(NonterminalId),
}

/// An element of a right side.
#[derive(Debug, Clone)]
enum Item {
    Atom(u32),
    List(u32),
    Child(NonterminalId),
}

/// The automaton of a content; state 0 is the first, state 1 the last.
#[derive(Debug, Clone)]
struct Content {
    span: Span,
    /// From, letter, to.
    steps: Vec<(u32, Letter, u32)>,
    /// Steps without a letter.
    jumps: Vec<(u32, u32)>,
    states: u32,
    /// By state: the positions of the steps from it, jumps being followed.
    steps_from: Vec<Vec<usize>>,
    /// Whether the last state is reached by jumps alone.
    is_accepting: Vec<bool>,
}

struct Analysis<'r> {
    rules: &'r Rules,
    /// By nonterminal and production.
    items: Vec<Vec<Vec<Item>>>,
    /// Whether a nonterminal derives exactly one expression.
    is_tree: Vec<bool>,
    contents: Vec<Content>,
    /// For rules that derive one expression: atoms and lists, each with the alternative that leads to it.
    roots: Vec<Vec<(Letter, Span)>>,
    /// Pairs of contents that meet, the smaller first.
    meeting: FxHashSet<(u32, u32)>,
}

impl<'r> Analysis<'r> {
    fn new(rules: &'r Rules) -> Result<Self, Diagnostic> {
        let mut atoms: FxHashMap<&str, u32> = FxHashMap::default();
        let mut lists: Vec<(Vec<Item>, Span)> = Vec::new();
        let mut items_of = |production: &'r Production| {
            let mut open = vec![Vec::new()];
            for symbol in production.symbols() {
                let item = match symbol {
                    Symbol::Child(child) => Item::Child(child),
                    Symbol::Token("(") => {
                        open.push(Vec::new());
                        continue;
                    }
                    Symbol::Token(")") => {
                        let items = open.pop().expect("the parentheses of a production match");
                        lists.push((items, production.span));
                        Item::List((lists.len() - 1) as u32)
                    }
                    Symbol::Token(token) => {
                        let next = atoms.len() as u32;
                        Item::Atom(*atoms.entry(token).or_insert(next))
                    }
                };
                open.last_mut().expect("the parentheses of a production match").push(item);
            }
            open.pop().expect("the parentheses of a production match")
        };
        let items: Vec<Vec<Vec<Item>>> = rules
            .nonterminals
            .iter()
            .map(|nonterminal| nonterminal.productions.iter().map(&mut items_of).collect())
            .collect();
        let is_tree = trees(&items);
        let mut analysis = Analysis {
            rules,
            items,
            is_tree,
            contents: Vec::new(),
            roots: Vec::new(),
            meeting: FxHashSet::default(),
        };
        for (items, span) in &lists {
            let content = analysis.content(items, *span)?;
            analysis.contents.push(content);
        }
        // The whole script is a content too.
        let start = rules.nonterminal(rules.start).productions[0].span;
        let script = analysis.content(&[Item::Child(rules.start)], start)?;
        analysis.contents.push(script);
        for id in 0..rules.nonterminals.len() as NonterminalId {
            let roots = if analysis.is_tree[id as usize] { analysis.roots_of(id)? } else { Vec::new() };
            analysis.roots.push(roots);
        }
        Ok(analysis)
    }

    /// The automaton of a sequence of items.
    fn content(&self, items: &[Item], span: Span) -> Result<Content, Diagnostic> {
        let mut content = Content {
            span,
            steps: Vec::new(),
            jumps: Vec::new(),
            states: 2,
            steps_from: Vec::new(),
            is_accepting: Vec::new(),
        };
        self.add(&mut content, items, 0, 1, &mut Vec::new())?;
        content.follow_jumps();
        Ok(content)
    }

    /// Adds a way between two states. `open` has the rules being written out, with the states where they begin.
    fn add(
        &self,
        content: &mut Content,
        items: &[Item],
        from: u32,
        to: u32,
        open: &mut Vec<(NonterminalId, u32)>,
    ) -> Result<(), Diagnostic> {
        let mut current = from;
        for (position, item) in items.iter().enumerate() {
            let is_last = position + 1 == items.len();
            let next = if is_last { to } else { content.state() };
            let letter = match item {
                Item::Atom(atom) => Letter::Atom(*atom),
                Item::List(list) => Letter::List(*list),
                Item::Child(child) if self.is_tree[*child as usize] => Letter::Rule(*child),
                Item::Child(child) => {
                    let known = open.iter().position(|(id, _)| id == child);
                    match known {
                        // At its end a rule may begin again.
                        Some(known) if is_last && known + 1 == open.len() => {
                            content.jumps.push((current, open[known].1));
                        }
                        Some(_) => return Err(self.not_at_end(*child)),
                        None => {
                            let begin = content.state();
                            content.jumps.push((current, begin));
                            open.push((*child, begin));
                            for items in &self.items[*child as usize] {
                                self.add(content, items, begin, next, open)?;
                            }
                            open.pop();
                        }
                    }
                    current = next;
                    continue;
                }
            };
            content.steps.push((current, letter, next));
            current = next;
        }
        Ok(())
    }

    fn not_at_end(&self, id: NonterminalId) -> Diagnostic {
        let nonterminal = self.rules.nonterminal(id);
        let message = format!(
            "the rule `{}` derives several expressions, so it may contain itself at its end only",
            nonterminal.name
        );
        Diagnostic::new(Problem::Form, nonterminal.productions[0].span, message)
            .with_help("write a repetition with `+`")
    }

    /// The atoms and lists that a rule derives, by all chains of rules that lead to them.
    fn roots_of(&self, id: NonterminalId) -> Result<Vec<(Letter, Span)>, Diagnostic> {
        let mut roots = Vec::new();
        let mut open: Vec<(NonterminalId, Option<Span>, usize)> = vec![(id, None, 0)];
        while let Some((id, first, length)) = open.pop() {
            if length > self.items.len() {
                let production = &self.rules.nonterminal(id).productions[0];
                let message = format!("the rule `{}` derives itself", self.rules.nonterminal(id).name);
                return Err(Diagnostic::new(Problem::Form, production.span, message));
            }
            let productions = &self.rules.nonterminal(id).productions;
            for (items, production) in self.items[id as usize].iter().zip(productions).rev() {
                let span = first.unwrap_or(production.span);
                match items[..] {
                    [Item::Atom(atom)] => roots.push((Letter::Atom(atom), span)),
                    [Item::List(list)] => roots.push((Letter::List(list), span)),
                    [Item::Child(child)] => open.push((child, Some(span), length + 1)),
                    _ => unreachable!("a rule that derives one expression has one item in each alternative"),
                }
            }
        }
        Ok(roots)
    }

    /// Finds all contents that meet.
    fn close(&mut self) {
        let count = self.contents.len() as u32;
        loop {
            let mut found = Vec::new();
            for left in 0..count {
                for right in left..count {
                    if !self.meeting.contains(&(left, right)) && self.contents_meet(left, right) {
                        found.push((left, right));
                    }
                }
            }
            if found.is_empty() {
                return;
            }
            self.meeting.extend(found);
        }
    }

    fn contents_meet(&self, left: u32, right: u32) -> bool {
        let (left, right) = (&self.contents[left as usize], &self.contents[right as usize]);
        let mut met = FxHashSet::from_iter([(0, 0)]);
        let mut open = vec![(0, 0)];
        while let Some((at_left, at_right)) = open.pop() {
            if left.is_accepting[at_left as usize] && right.is_accepting[at_right as usize] {
                return true;
            }
            for step in &left.steps_from[at_left as usize] {
                let (_, letter, to_left) = left.steps[*step];
                for other in &right.steps_from[at_right as usize] {
                    let (_, other_letter, to_right) = right.steps[*other];
                    if self.letters_meet(letter, other_letter) && met.insert((to_left, to_right)) {
                        open.push((to_left, to_right));
                    }
                }
            }
        }
        false
    }

    fn letters_meet(&self, left: Letter, right: Letter) -> bool {
        match (left, right) {
            (Letter::Atom(left), Letter::Atom(right)) => left == right,
            (Letter::List(left), Letter::List(right)) => {
                self.meeting.contains(&(left.min(right), left.max(right)))
            }
            (Letter::Rule(left), Letter::Rule(right)) if left == right => true,
            (Letter::Rule(rule), other) | (other, Letter::Rule(rule)) => {
                self.roots[rule as usize].iter().any(|(root, _)| self.letters_meet(*root, other))
            }
            _ => false,
        }
    }

    fn overlaps(&self, source: &str) -> Vec<Diagnostic> {
        let mut problems: Vec<Diagnostic> = Vec::new();
        let mut complain = |first: Span, second: Span| {
            let (first, second) = (first.min(second), first.max(second));
            let place = line_column(source, first.start);
            let message = if first == second {
                "this derives some expressions in two ways, so formulas would come twice".to_owned()
            } else {
                format!(
                    "this derives expressions that the alternative in line {}, column {} derives too, so formulas \
                     would come twice",
                    place.line, place.column
                )
            };
            if !problems.iter().any(|problem| problem.span == second) {
                problems.push(Diagnostic::new(Problem::Form, second, message));
            }
        };
        for roots in &self.roots {
            for (position, (letter, span)) in roots.iter().enumerate() {
                for (other, other_span) in &roots[..position] {
                    if self.letters_meet(*letter, *other) {
                        complain(*other_span, *span);
                    }
                }
            }
        }
        for content in &self.contents {
            if self.has_two_runs(content) {
                complain(content.span, content.span);
            }
        }
        problems
    }

    /// Whether two different runs of a content go over letters that meet.
    fn has_two_runs(&self, content: &Content) -> bool {
        let mut met = FxHashSet::from_iter([(0, 0, false)]);
        let mut open = vec![(0, 0, false)];
        while let Some((left, right, differs)) = open.pop() {
            if differs && content.is_accepting[left as usize] && content.is_accepting[right as usize] {
                return true;
            }
            for step in &content.steps_from[left as usize] {
                for other in &content.steps_from[right as usize] {
                    let ((_, letter, to), (_, other_letter, other_to)) =
                        (content.steps[*step], content.steps[*other]);
                    let next = (to, other_to, differs || step != other);
                    if (step == other || self.letters_meet(letter, other_letter)) && met.insert(next) {
                        open.push(next);
                    }
                }
            }
        }
        false
    }
}

impl Content {
    fn state(&mut self) -> u32 {
        self.states += 1;
        self.states - 1
    }

    fn follow_jumps(&mut self) {
        for state in 0..self.states {
            let mut met = vec![state];
            let mut next = 0;
            while let Some(at) = met.get(next).copied() {
                next += 1;
                let targets = self.jumps.iter().filter(|(from, _)| *from == at).map(|(_, to)| *to);
                let fresh: Vec<u32> = targets.filter(|to| !met.contains(to)).collect();
                met.extend(fresh);
            }
            self.is_accepting.push(met.contains(&1));
            let steps = (0..self.steps.len()).filter(|step| met.contains(&self.steps[*step].0));
            self.steps_from.push(steps.collect());
        }
    }
}

/// For each nonterminal whether it derives exactly one expression.
fn trees(items: &[Vec<Vec<Item>>]) -> Vec<bool> {
    let mut is_tree = vec![true; items.len()];
    loop {
        let mut has_changed = false;
        for (position, productions) in items.iter().enumerate() {
            let is_one = |items: &Vec<Item>| match items[..] {
                [Item::Child(child)] => is_tree[child as usize],
                [_] => true,
                _ => false,
            };
            if is_tree[position] && !productions.iter().all(is_one) {
                is_tree[position] = false;
                has_changed = true;
            }
        }
        if !has_changed {
            return is_tree;
        }
    }
}

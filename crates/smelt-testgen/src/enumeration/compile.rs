//! From what a grammar file says to rules: repetitions become rules of their own, texts get their spaces.
//!
//! `x+` stands for `x | x x+`, `x?` for nothing or a rule `x`, `x*` for nothing or `x+`; what can be left out is
//! compiled into alternatives without it, so no rule derives the empty text. The size counts applied productions whose
//! right side contains a nonterminal, and for these rules too.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::diagnostic::{Diagnostic, Diagnostics, Problem, nearest};
use smelt_smtlib::source::Span;

use super::Parameters;
use super::grammar::{Alternative, Element, Grammar, Item, Repetition};
use super::lexer::lexemes;
use super::rules::{Nonterminal, NonterminalId, Production, Rules};

/// An alternative with items that may be left out becomes at most so many.
const MAX_VARIANTS: usize = 256;

/// Makes rules of a grammar, or says what is wrong with it.
pub(super) fn compile(grammar: &Grammar, parameters: &Parameters) -> Result<Rules, Diagnostics> {
    let mut compiler =
        Compiler { parameters, names: FxHashMap::default(), drafts: Vec::new(), problems: Vec::new() };
    let groups = compiler.declare(grammar);
    for rule in &grammar.rules {
        compiler.name(&rule.name, rule.span);
    }
    for rule in &grammar.rules {
        let id = compiler.names[&rule.name];
        compiler.alternatives(id, &rule.alternatives);
    }
    let Some(start) = compiler.names.get("start").copied() else {
        let message = "there is no rule `start`, which formulas are derived from";
        compiler.problems.push(Diagnostic::new(Problem::UnknownName, Span::new(0, 0), message));
        return Err(Diagnostics(compiler.problems));
    };
    if compiler.problems.is_empty() {
        compiler.look_for_useless(start);
    }
    if !compiler.problems.is_empty() {
        return Err(Diagnostics(compiler.problems));
    }
    Ok(compiler.finish(start, groups))
}

/// The name of a variable.
pub(super) fn variable_name(position: u32) -> String {
    let letter = char::from(b'a' + (position % 26) as u8);
    if position < 26 { letter.to_string() } else { format!("{letter}{}", position / 26) }
}

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Child(NonterminalId),
}

#[derive(Debug, Clone)]
struct DraftProduction {
    span: Span,
    cost: u32,
    pieces: Vec<Piece>,
    variable: Option<(usize, u32)>,
}

#[derive(Debug, Clone)]
struct Draft {
    name: String,
    /// Where it is named; none for repetitions and groups.
    span: Option<Span>,
    productions: Vec<DraftProduction>,
    /// A group of variables can be empty.
    is_group: bool,
}

struct Compiler<'p> {
    parameters: &'p Parameters,
    names: FxHashMap<String, NonterminalId>,
    drafts: Vec<Draft>,
    problems: Vec<Diagnostic>,
}

impl Compiler<'_> {
    fn add(&mut self, name: String, span: Option<Span>) -> NonterminalId {
        self.drafts.push(Draft { name, span, productions: Vec::new(), is_group: false });
        (self.drafts.len() - 1) as NonterminalId
    }

    fn name(&mut self, name: &str, span: Span) -> NonterminalId {
        if self.names.contains_key(name) {
            let message = format!("there is a rule `{name}` already");
            self.problems.push(Diagnostic::new(Problem::Scope, span, message));
        }
        let id = self.add(name.to_owned(), Some(span));
        *self.names.entry(name.to_owned()).or_insert(id)
    }

    /// Makes the rules of the block of declarations; how many variables each group has.
    fn declare(&mut self, grammar: &Grammar) -> Vec<u32> {
        let Some(declarations) = &grammar.declarations else { return Vec::new() };
        let mut texts = declarations.commands.clone();
        let mut counts = vec![0; declarations.groups.len()];
        let ids: Vec<NonterminalId> = declarations
            .groups
            .iter()
            .map(|group| {
                let id = self.name(&group.name, group.span);
                self.drafts[id as usize].is_group = true;
                id
            })
            .collect();
        let variables = if ids.is_empty() { 0 } else { self.parameters.variables };
        for position in 0..variables {
            let place = position as usize % ids.len();
            let group = &declarations.groups[place];
            let name = variable_name(position);
            texts.push(format!("(declare-const {name} {})", group.sort));
            self.drafts[ids[place] as usize].productions.push(DraftProduction {
                span: group.span,
                cost: 0,
                pieces: vec![Piece::Text(name)],
                variable: Some((place, counts[place])),
            });
            counts[place] += 1;
        }
        let id = self.name("declarations", declarations.span);
        if texts.is_empty() {
            let message = "nothing is declared";
            self.problems.push(Diagnostic::new(Problem::Form, declarations.span, message));
        }
        // The thesis writes this block as one production with nonterminals for the sorts.
        let text = texts.join(self.parameters.layout.between_commands());
        self.drafts[id as usize].productions.push(DraftProduction {
            span: declarations.span,
            cost: 1,
            pieces: vec![Piece::Text(text)],
            variable: None,
        });
        counts
    }

    fn alternatives(&mut self, id: NonterminalId, alternatives: &[Alternative]) {
        for alternative in alternatives {
            let cost = u32::from(alternative.items.iter().any(contains_nonterminal));
            let span = alternative.span;
            for pieces in self.variants(id, alternative) {
                if pieces.is_empty() {
                    let message = "this alternative can be empty, and no rule may be";
                    self.problems.push(
                        Diagnostic::new(Problem::Form, span, message)
                            .with_help("write `?` or `*` where the rule is used"),
                    );
                    continue;
                }
                self.look_at_parentheses(&pieces, span);
                self.drafts[id as usize].productions.push(DraftProduction {
                    span,
                    cost,
                    pieces,
                    variable: None,
                });
            }
        }
    }

    /// The right sides of an alternative: one, or more if something can be left out.
    fn variants(&mut self, owner: NonterminalId, alternative: &Alternative) -> Vec<Vec<Piece>> {
        let mut variants = vec![Vec::new()];
        for item in &alternative.items {
            let Some(piece) = self.element(owner, item) else { return Vec::new() };
            let copies = |count: u32| vec![piece.clone(); count as usize];
            let (present, can_be_absent) = match item.repetition {
                Repetition::Once => (copies(1), false),
                Repetition::Exactly(count) => (copies(count), false),
                Repetition::Asserts => (copies(self.parameters.asserts), false),
                Repetition::Variables => (copies(self.parameters.variables), false),
                Repetition::Optional => (vec![self.repeated(&piece, item, false)], true),
                Repetition::Any => (vec![self.repeated(&piece, item, true)], true),
                Repetition::Some => (vec![self.repeated(&piece, item, true)], false),
            };
            let mut with = variants.clone();
            with.iter_mut().for_each(|pieces: &mut Vec<Piece>| pieces.extend(present.iter().cloned()));
            if can_be_absent {
                variants.extend(with);
            } else {
                variants = with;
            }
            if variants.len() > MAX_VARIANTS {
                let message = "too much can be left out of this alternative";
                self.problems.push(
                    Diagnostic::new(Problem::Form, alternative.span, message)
                        .with_help("move some of it into a rule of its own"),
                );
                return Vec::new();
            }
        }
        variants
    }

    fn element(&mut self, owner: NonterminalId, item: &Item) -> Option<Piece> {
        match &item.element {
            Element::Text(text) => {
                if lexemes(text).iter().any(|lexeme| !lexeme.is_closed) {
                    let message = "a string or quoted symbol of this text is not closed";
                    self.problems.push(Diagnostic::new(Problem::Syntax, item.span, message));
                }
                Some(Piece::Text(text.trim().to_owned()))
            }
            Element::Name(name) => match self.names.get(name) {
                Some(id) => Some(Piece::Child(*id)),
                None => {
                    let message = format!("there is no rule `{name}`");
                    let mut problem = Diagnostic::new(Problem::UnknownName, item.span, message);
                    if let Some(near) = nearest(name, self.names.keys().map(String::as_str)) {
                        problem = problem.with_help(format!("did you mean `{near}`?"));
                    }
                    self.problems.push(problem);
                    None
                }
            },
            Element::Group(alternatives) => {
                let name = format!("group in {}", self.drafts[owner as usize].name);
                let id = self.add(name, None);
                self.alternatives(id, alternatives);
                Some(Piece::Child(id))
            }
        }
    }

    /// A rule for one or, if it repeats itself, more copies of an element.
    fn repeated(&mut self, piece: &Piece, item: &Item, repeats: bool) -> Piece {
        let (what, cost) = match piece {
            Piece::Text(text) => (text.clone(), 0),
            Piece::Child(child) => (self.drafts[*child as usize].name.clone(), 1),
        };
        let id = self.add(format!("{what}{}", if repeats { "+" } else { "?" }), None);
        let production = |cost, pieces| DraftProduction { span: item.span, cost, pieces, variable: None };
        let mut productions = vec![production(cost, vec![piece.clone()])];
        if repeats {
            productions.push(production(1, vec![piece.clone(), Piece::Child(id)]));
        }
        self.drafts[id as usize].productions = productions;
        Piece::Child(id)
    }

    fn look_at_parentheses(&mut self, pieces: &[Piece], span: Span) {
        let mut depth = 0_i64;
        let mut is_bad = false;
        for piece in pieces {
            let Piece::Text(text) = piece else { continue };
            for lexeme in lexemes(text) {
                depth += match lexeme.text {
                    "(" => 1,
                    ")" => -1,
                    _ => 0,
                };
                is_bad |= depth < 0;
            }
        }
        if is_bad || depth != 0 {
            let message = "the parentheses of this alternative do not match";
            self.problems.push(
                Diagnostic::new(Problem::Form, span, message)
                    .with_help("an alternative must derive whole S-expressions"),
            );
        }
    }

    /// Complains of rules that derive nothing or that nothing needs.
    fn look_for_useless(&mut self, start: NonterminalId) {
        let full = self.productive(true);
        let met = self.reachable(start);
        for (position, draft) in self.drafts.iter().enumerate() {
            let Some(span) = draft.span else { continue };
            let message = if !full[position] {
                format!("the rule `{}` derives nothing: every alternative needs the rule again", draft.name)
            } else if !met.contains(&(position as NonterminalId)) {
                format!("the rule `{}` is never used", draft.name)
            } else {
                continue;
            };
            self.problems.push(Diagnostic::new(Problem::Form, span, message));
        }
        if self.problems.is_empty() && !self.productive(false)[start as usize] {
            let message = "there are not enough variables for any formula";
            let span = self.drafts[start as usize].span.unwrap_or(Span::new(0, 0));
            self.problems.push(Diagnostic::new(Problem::Form, span, message));
        }
    }

    /// For each rule whether it derives anything; groups of variables that are empty count as if they were not.
    fn productive(&self, assume_variables: bool) -> Vec<bool> {
        let mut is_productive: Vec<bool> =
            self.drafts.iter().map(|draft| assume_variables && draft.is_group).collect();
        loop {
            let mut has_changed = false;
            for position in 0..self.drafts.len() {
                let derives = |production: &DraftProduction| {
                    children(&production.pieces).all(|child| is_productive[child as usize])
                };
                if !is_productive[position] && self.drafts[position].productions.iter().any(derives) {
                    is_productive[position] = true;
                    has_changed = true;
                }
            }
            if !has_changed {
                return is_productive;
            }
        }
    }

    fn reachable(&self, start: NonterminalId) -> FxHashSet<NonterminalId> {
        let mut met = FxHashSet::from_iter([start]);
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            for production in &self.drafts[id as usize].productions {
                open.extend(children(&production.pieces).filter(|child| met.insert(*child)));
            }
        }
        met
    }

    /// Writes the texts, and leaves out what needs variables that there are not.
    fn finish(self, start: NonterminalId, groups: Vec<u32>) -> Rules {
        let of_commands = self.rules_of_commands(start);
        let nonterminals = self
            .drafts
            .iter()
            .enumerate()
            .map(|(position, draft)| {
                let outer = if of_commands.contains(&(position as NonterminalId)) {
                    self.parameters.layout.between_commands()
                } else {
                    " "
                };
                let productions = draft.productions.iter().map(|production| {
                    let mut texts = texts(&production.pieces, outer);
                    if position == start as usize
                        && let Some(last) = texts.last_mut()
                    {
                        last.push('\n');
                    }
                    Production {
                        span: production.span,
                        cost: production.cost,
                        texts,
                        children: children(&production.pieces).collect(),
                        is_unordered: false,
                        exchanges: None,
                        variable: production.variable,
                    }
                });
                Nonterminal { name: draft.name.clone(), productions: productions.collect() }
            })
            .collect();
        Rules { nonterminals, start, groups }.without_useless()
    }

    /// The rules that derive commands rather than parts of one: those outside of all parentheses.
    fn rules_of_commands(&self, start: NonterminalId) -> FxHashSet<NonterminalId> {
        let mut met = FxHashSet::from_iter([start]);
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            for production in &self.drafts[id as usize].productions {
                let mut depth = 0;
                for piece in &production.pieces {
                    match piece {
                        Piece::Text(text) => depth += depth_change(text),
                        Piece::Child(child) if depth == 0 && met.insert(*child) => open.push(*child),
                        Piece::Child(_) => {}
                    }
                }
            }
        }
        met
    }
}

/// Whether an item makes its alternative one with a nonterminal on the right side.
fn contains_nonterminal(item: &Item) -> bool {
    !matches!(item.element, Element::Text(_))
}

fn children(pieces: &[Piece]) -> impl Iterator<Item = NonterminalId> {
    pieces.iter().filter_map(|piece| match piece {
        Piece::Child(child) => Some(*child),
        Piece::Text(_) => None,
    })
}

fn depth_change(text: &str) -> i64 {
    lexemes(text)
        .iter()
        .map(|lexeme| match lexeme.text {
            "(" => 1,
            ")" => -1,
            _ => 0,
        })
        .sum()
}

/// The texts around the children. Isolation two pieces stands a space, or `outer` outside of all parentheses; nothing
/// after an opening and before a closing parenthesis.
fn texts(pieces: &[Piece], outer: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut depth = 0;
    let mut is_after_opening = true;
    for piece in pieces {
        let last = texts.last_mut().expect("there is a text at the start");
        let is_closing = matches!(piece, Piece::Text(text) if text.starts_with(')'));
        if !is_after_opening && !is_closing {
            last.push_str(if depth == 0 { outer } else { " " });
        }
        match piece {
            Piece::Text(text) => {
                last.push_str(text);
                depth += depth_change(text);
                is_after_opening = text.ends_with('(');
            }
            Piece::Child(_) => {
                texts.push(String::new());
                is_after_opening = false;
            }
        }
    }
    texts
}

//! Mutants of a user's query that keep its meaning: the same commands in another order, under other names, or with
//! another random seed.
//!
//! Tests of stability ask a solver all of them. Other than the technique `variant`, which makes cases to find bugs with,
//! they leave the text of every command as it is, so that nothing changes but what they are named after. The order is
//! changed between checks and scopes only: declarations come first there, in a random order as far as none needs
//! another, then assertions in a random order.

use smelt_smtlib::read::Reading;
use smelt_smtlib::script::{Command, Origin, Role};
use smelt_smtlib::term::{AttributeValue, Head, Terms};
use smelt_smtlib::walk::subterms;

use crate::fresh_names::{FreshNames, rename};
use crate::random::Random;

/// What a mutant of a query changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueryMutation {
    /// The order of declarations and of assertions.
    Shuffle,
    /// The names that the query gives.
    Rename,
    /// The random seed of the solver; the text stays as it is.
    Reseed,
}

impl QueryMutation {
    /// All of them.
    pub const ALL: [QueryMutation; 3] =
        [QueryMutation::Shuffle, QueryMutation::Rename, QueryMutation::Reseed];

    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            QueryMutation::Shuffle => "shuffle",
            QueryMutation::Rename => "rename",
            QueryMutation::Reseed => "reseed",
        }
    }
}

/// A query, ready for mutants of it.
#[derive(Debug)]
pub struct MutableQuery<'q> {
    source: &'q str,
    pieces: Vec<Piece>,
    names: Option<FreshNames>,
}

/// A command of a query.
#[derive(Debug)]
struct Piece {
    /// Where its text begins.
    start: usize,
    /// Where its text ends.
    end: usize,
    place: Place,
}

/// Where a command may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Among its like: it declares a name that no neighbouring declaration needs.
    Declaration,
    /// Before what follows: other declarations may need it.
    Definition,
    /// Anywhere behind declarations.
    Assertion,
    /// Nowhere else.
    Fixed,
}

impl<'q> MutableQuery<'q> {
    /// The query with this text, which was read.
    pub fn new(terms: &Terms, reading: &Reading, source: &'q str) -> MutableQuery<'q> {
        let script = &reading.script;
        let commands = script.commands.iter().zip(&script.origins);
        let pieces: Vec<Piece> = commands
            .filter_map(|(command, origin)| match origin {
                Origin::Read(span) => {
                    let place = place(terms, command, source);
                    Some(Piece { start: span.start as usize, end: span.end as usize, place })
                }
                Origin::Changed(_) | Origin::Made => None,
            })
            .collect();
        let is_whole = pieces.len() == script.commands.len();
        MutableQuery {
            source,
            pieces: if is_whole { pieces } else { Vec::new() },
            names: FreshNames::of(terms, script, source).filter(|names| !names.is_empty()),
        }
    }

    /// Whether a mutation changes it.
    pub fn can(&self, mutation: QueryMutation) -> bool {
        match mutation {
            QueryMutation::Shuffle => {
                let movable = |run: &[Piece]| {
                    [Place::Declaration, Place::Assertion]
                        .iter()
                        .any(|place| run.iter().filter(|piece| piece.place == *place).count() > 1)
                };
                self.pieces.chunk_by(is_same_segment).any(movable)
            }
            QueryMutation::Rename => self.names.is_some(),
            QueryMutation::Reseed => true,
        }
    }

    /// A mutant of it as text: the query itself for those that only have another random seed.
    pub fn mutant(&self, mutation: QueryMutation, random: &mut Random) -> String {
        match (mutation, &self.names) {
            (QueryMutation::Shuffle, _) => self.shuffled(random),
            (QueryMutation::Rename, Some(names)) => {
                rename(self.source, &names.drawn(|| format!("n{}", random.below(u64::from(u32::MAX)))))
            }
            (QueryMutation::Rename, None) | (QueryMutation::Reseed, _) => self.source.to_owned(),
        }
    }

    /// Its assertions that may go elsewhere, as text.
    pub fn assertions(&self) -> impl Iterator<Item = &'q str> + '_ {
        self.pieces.iter().filter(|piece| piece.place == Place::Assertion).map(|piece| self.text(piece))
    }

    /// The query with these of its [`assertions`](Self::assertions) only.
    pub fn with_assertions(&self, kept: impl Fn(usize) -> bool) -> String {
        let mut position = 0;
        let mut text = String::with_capacity(self.source.len());
        for piece in &self.pieces {
            let is_kept = piece.place != Place::Assertion || {
                position += 1;
                kept(position - 1)
            };
            if is_kept {
                text.push_str(self.text(piece));
                text.push('\n');
            }
        }
        text
    }

    fn text(&self, piece: &Piece) -> &'q str {
        &self.source[piece.start..piece.end]
    }

    fn shuffled(&self, random: &mut Random) -> String {
        let mut text = String::with_capacity(self.source.len());
        let mut write = |piece: &Piece| {
            text.push_str(self.text(piece));
            text.push('\n');
        };
        for segment in self.pieces.chunk_by(is_same_segment) {
            if segment.iter().any(|piece| piece.place == Place::Fixed) {
                segment.iter().for_each(&mut write);
                continue;
            }
            let (assertions, declarations): (Vec<&Piece>, Vec<&Piece>) =
                segment.iter().partition(|piece| piece.place == Place::Assertion);
            let is_free = |piece: &Piece| piece.place == Place::Declaration;
            let runs = declarations.chunk_by(|left, right| is_free(left) && is_free(right));
            for run in runs.chain([assertions.as_slice()]) {
                let mut run = run.to_vec();
                while let Some(piece) = random.take(&mut run) {
                    write(piece);
                }
            }
        }
        text
    }
}

/// Whether two neighbours are between the same checks and scopes.
fn is_same_segment(left: &Piece, right: &Piece) -> bool {
    (left.place == Place::Fixed) == (right.place == Place::Fixed)
}

/// Where a command may go. An assertion with a label that is used elsewhere must stay where it is, and so must what
/// follows it.
fn place(terms: &Terms, command: &Command, source: &str) -> Place {
    match command {
        Command::DeclareConst(..) | Command::DeclareFun(..) => Place::Declaration,
        Command::Assert(term) => {
            let is_used_label = subterms(terms, &[*term]).into_iter().any(|part| match terms.head(part) {
                Head::Annotated(attributes) => {
                    terms.attributes(attributes).iter().any(|attribute| match attribute.value {
                        AttributeValue::Name(name) => source.matches(terms.text(name)).nth(1).is_some(),
                        _ => false,
                    })
                }
                _ => false,
            });
            if is_used_label { Place::Fixed } else { Place::Assertion }
        }
        command if command.role() == Role::Declaration => Place::Definition,
        _ => Place::Fixed,
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::read::read_script;

    use super::*;

    const QUERY: &str = "(set-logic ALL) ; a comment\n(declare-fun f (Int) Int)\n(assert (> (f 1) 0))\n\
        (declare-const x Int)\n(define-fun g ((y Int)) Int (f (+ x y)))\n(declare-const z Int)\n\
        (assert (= z (g 2)))\n(assert (! (> x z) :qid q1))\n(check-sat)\n(push 1)\n(assert (< x 9))\n(check-sat)\n";

    fn mutants(source: &str, mutation: QueryMutation, count: u64) -> Vec<String> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        let query = MutableQuery::new(&terms, &reading, source);
        assert!(query.can(mutation), "{mutation:?}");
        (0..count).map(|seed| query.mutant(mutation, &mut Random::new(seed))).collect()
    }

    fn sorted(text: &str) -> Vec<&str> {
        let mut lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches(" ; a comment")).collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn a_shuffled_query_has_the_same_commands_and_every_name_is_declared_before_it_is_used() {
        let mutants = mutants(QUERY, QueryMutation::Shuffle, 50);
        for mutant in &mutants {
            assert_eq!(sorted(mutant), sorted(QUERY));
            let mut terms = Terms::new();
            assert!(read_script(&mut terms, mutant).diagnostics.is_empty(), "{mutant}");
            let checks: Vec<usize> = mutant.match_indices("(check-sat)").map(|(at, _)| at).collect();
            let last = mutant.find("(assert (< x 9))").unwrap();
            assert!(checks[0] < last && last < checks[1], "{mutant}");
        }
        let distinct: std::collections::BTreeSet<&String> = mutants.iter().collect();
        assert!(distinct.len() > 5, "{distinct:?}");
    }

    #[test]
    fn a_renamed_query_is_the_same_but_for_names() {
        let mutants = mutants(QUERY, QueryMutation::Rename, 2);
        assert_ne!(mutants[0], mutants[1]);
        for mutant in &mutants {
            let mut terms = Terms::new();
            assert!(read_script(&mut terms, mutant).diagnostics.is_empty(), "{mutant}");
            assert!(!mutant.contains("(f ") && !mutant.contains(" x "), "{mutant}");
            assert_eq!(mutant.lines().count(), QUERY.lines().count());
        }
    }

    #[test]
    fn testers_follow_their_constructors() {
        let source = "(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))\n(declare-const l L)\n\
            (assert (is-cons l))\n(assert ((_ is nil) l))\n(check-sat)\n";
        for mutant in mutants(source, QueryMutation::Rename, 4) {
            let mut terms = Terms::new();
            assert!(read_script(&mut terms, &mutant).diagnostics.is_empty(), "{mutant}");
            assert!(!mutant.contains("is-cons") && !mutant.contains("(nil"), "{mutant}");
        }
    }

    #[test]
    fn an_assertion_whose_label_is_used_stays_where_it_is() {
        let source =
            "(declare-const x Int)\n(assert (! (> x 1) :named a))\n(assert (= a (> x 2)))\n(check-sat)\n";
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        assert!(!MutableQuery::new(&terms, &reading, source).can(QueryMutation::Shuffle));
    }

    #[test]
    fn assertions_can_be_left_out() {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, QUERY);
        let query = MutableQuery::new(&terms, &reading, QUERY);
        assert_eq!(query.assertions().count(), 4);
        let some = query.with_assertions(|position| position == 1);
        assert_eq!(some.matches("(assert").count(), 1);
        assert!(some.contains("(assert (= z (g 2)))\n(check-sat)\n(push 1)\n(check-sat)\n"), "{some}");
    }

    #[test]
    fn another_random_seed_leaves_the_text_alone() {
        assert_eq!(mutants(QUERY, QueryMutation::Reseed, 1), [QUERY]);
    }
}

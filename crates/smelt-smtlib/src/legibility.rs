//! How much of a script is understood, and whether printing keeps all of it.

use crate::diagnostic::{Diagnostic, Problem};
use crate::print::script_text;
use crate::read::read_script_as;
use crate::script::{Command, Origin, Script};
use crate::source::Span;
use crate::term::{Head, Term, Terms};
use crate::walk::subterms;

/// How many distinct terms there are, and how many of them are opaque: carried along without being understood.
#[derive(Debug, Clone, Copy, Default)]
pub struct TermCounts {
    /// All terms.
    pub terms: u64,
    /// Those that are opaque.
    pub opaque: u64,
}

impl TermCounts {
    /// The terms of a script.
    pub fn of(terms: &Terms, script: &Script) -> TermCounts {
        let roots: Vec<Term> = script.commands.iter().flat_map(Command::terms).collect();
        let all = subterms(terms, &roots);
        let opaque = all.iter().filter(|term| matches!(terms.head(**term), Head::Opaque(_))).count();
        TermCounts { terms: all.len() as u64, opaque: opaque as u64 }
    }

    /// Adds those of another script.
    pub fn add(&mut self, other: TermCounts) {
        self.terms += other.terms;
        self.opaque += other.opaque;
    }
}

/// What is wrong if a script is another one after it was printed and read again.
pub fn change_by_printing(terms: &mut Terms, script: &Script) -> Option<Diagnostic> {
    let text = script_text(terms, script);
    let again = read_script_as(terms, &text, script.dialect);
    if again.diagnostics.is_empty() && again.script.commands == script.commands {
        return None;
    }
    let commands = script.commands.iter().zip(&again.script.commands);
    let place = commands.take_while(|(first, second)| first == second).count();
    let span = match script.origins.get(place) {
        Some(Origin::Read(span)) => *span,
        _ => Span::new(0, 0),
    };
    let message = "this is something else after it was printed and read again, which is an error of smelt";
    Some(Diagnostic::new(Problem::Syntax, span, message))
}

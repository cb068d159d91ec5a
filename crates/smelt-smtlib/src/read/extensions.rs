//! Reading the commands that solvers add, by their table.

use super::{DeclarationKind, Reader};
use crate::script::{Command, Extension, ExtensionPart, FORMS, Piece, Role};
use crate::sexp::Kind;
use crate::sort::Sort;

impl Reader<'_> {
    /// Reads a command that solvers add; none if the name is another's or the form is wrong.
    pub(super) fn extension(&mut self, word: &str, parts: &[u32]) -> Option<Command> {
        let form = FORMS.iter().find(|form| form.word == word && self.fits(form.pieces, parts))?;
        let mut read = Vec::with_capacity(parts.len());
        let mut rest = parts;
        for piece in form.pieces {
            if matches!(piece, Piece::Rest | Piece::SortLists) {
                for part in rest {
                    read.push(self.piece(*piece, *part)?);
                }
                break;
            }
            let (part, others) = rest.split_first()?;
            read.push(self.piece(*piece, *part)?);
            rest = others;
        }
        if form.role == Role::Declaration {
            self.declare_extension(parts, &read);
        }
        Some(Command::Extension(Extension { word: form.word, role: form.role, parts: read }))
    }

    /// Whether there are as many parts as pieces, lists and names where they are wanted.
    fn fits(&self, pieces: &[Piece], parts: &[u32]) -> bool {
        let is_open = matches!(pieces.last(), Some(Piece::Rest | Piece::SortLists));
        let count = if is_open { pieces.len() - 1 } else { pieces.len() };
        let count_fits = if is_open { parts.len() >= count } else { parts.len() == count };
        count_fits
            && pieces.iter().zip(parts).all(|(piece, part)| match piece {
                Piece::Name => matches!(self.tape.node(*part).kind, Kind::Symbol | Kind::QuotedSymbol),
                Piece::Terms | Piece::Formulas | Piece::Sorts | Piece::Variables | Piece::SortLists => {
                    self.is_list(*part)
                }
                Piece::Term | Piece::Formula | Piece::Sort | Piece::Text | Piece::Rest => true,
            })
    }

    fn piece(&mut self, piece: Piece, part: u32) -> Option<ExtensionPart> {
        Some(match piece {
            Piece::Text | Piece::Rest => ExtensionPart::Text(self.verbatim(part)),
            Piece::Name => ExtensionPart::Name(self.as_symbol(part)?),
            Piece::Term => ExtensionPart::Term(self.term(part)),
            Piece::Formula => ExtensionPart::Term(self.formula(part)),
            Piece::Terms => {
                ExtensionPart::Terms(self.tape.children(part).map(|term| self.term(term)).collect())
            }
            Piece::Formulas => {
                ExtensionPart::Terms(self.tape.children(part).map(|term| self.formula(term)).collect())
            }
            Piece::Sort => ExtensionPart::Sort(self.sort(part)),
            Piece::Sorts => {
                ExtensionPart::Sorts(self.tape.children(part).map(|sort| self.sort(sort)).collect())
            }
            Piece::SortLists if self.is_list(part) => {
                ExtensionPart::Sorts(self.tape.children(part).map(|sort| self.sort(sort)).collect())
            }
            Piece::SortLists => return None,
            Piece::Variables => ExtensionPart::Variables(self.variables(part)?),
        })
    }

    /// Declares the name among the parts of a declaration, with the sorts among them; a relation gives a truth value.
    fn declare_extension(&mut self, places: &[u32], parts: &[ExtensionPart]) {
        let Some(ExtensionPart::Name(name)) = parts.first() else { return };
        let mut params = Vec::new();
        let mut result = Sort::BOOL;
        for part in parts {
            match part {
                ExtensionPart::Sort(sort) => result = *sort,
                ExtensionPart::Sorts(sorts) => params.clone_from(sorts),
                ExtensionPart::Variables(variables) => {
                    params = variables.iter().map(|variable| variable.sort).collect();
                }
                ExtensionPart::Text(_)
                | ExtensionPart::Name(_)
                | ExtensionPart::Term(_)
                | ExtensionPart::Terms(_) => {}
            }
        }
        self.declare_function(places[0], *name, params, result, DeclarationKind::Declared);
    }
}

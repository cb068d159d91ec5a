//! Parts of the solver that can be switched off, to see what each contributes.
//!
//! Without a part the solver answers less or later, never otherwise: what a part does is a simplification that can be
//! left out, a lesson that need not be learned, or an engine that need not be asked.

/// A part that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// Equations with a constant alone on one side are solved for it.
    SolveEquations,
    /// What is asserted is true wherever else it occurs.
    PropagateLiterals,
    /// Strings in languages that contain unknown strings are cut into parts.
    CutMemberships,
    /// Atoms that can be made true or false at will by a constant that occurs only there become free.
    Unconstrained,
    /// What shares no constants is solved one by one.
    Components,
    /// The engine that tries values.
    Guess,
    /// The engine that guesses lengths first.
    LengthAbstraction,
    /// The engine that splits cases.
    Cases,
    /// The engine that splits word equations.
    Arrangement,
    /// The engine that works on words by inferences.
    Sequence,
    /// Words of fixed lengths within arrangements.
    ArrangementWords,
    /// Engines that give up when they see that they get nowhere.
    Difficulty,
    /// What one engine has learned about the input is told to the next.
    Sharing,
    /// Lessons of length abstraction from regular languages.
    Languages,
    /// Lessons of length abstraction from word equations.
    WordEquations,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 15] = [
        Part::SolveEquations,
        Part::PropagateLiterals,
        Part::CutMemberships,
        Part::Unconstrained,
        Part::Components,
        Part::Guess,
        Part::LengthAbstraction,
        Part::Cases,
        Part::Arrangement,
        Part::Sequence,
        Part::ArrangementWords,
        Part::Difficulty,
        Part::Sharing,
        Part::Languages,
        Part::WordEquations,
    ];

    /// The name that users know.
    pub fn name(self) -> &'static str {
        match self {
            Part::SolveEquations => "solve-equations",
            Part::PropagateLiterals => "propagate-literals",
            Part::CutMemberships => "cut-memberships",
            Part::Unconstrained => "unconstrained",
            Part::Components => "components",
            Part::Guess => "guess",
            Part::LengthAbstraction => "length-abstraction",
            Part::Cases => "cases",
            Part::Arrangement => "arrangement",
            Part::Sequence => "sequence",
            Part::ArrangementWords => "arrangement-words",
            Part::Difficulty => "difficulty",
            Part::Sharing => "sharing",
            Part::Languages => "languages",
            Part::WordEquations => "word-equations",
        }
    }

    /// The part with this name.
    pub fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// The parts that are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    off: u32,
}

impl Parts {
    /// Everything is on.
    pub fn all() -> Self {
        Parts { off: 0 }
    }

    /// The same without one.
    pub fn without(self, part: Part) -> Self {
        Parts { off: self.off | 1 << part as u8 }
    }

    /// Whether a part is on.
    pub fn has(self, part: Part) -> bool {
        self.off & (1 << part as u8) == 0
    }

    /// Whether an engine is on; one that is no part always is.
    pub fn has_engine(self, name: &str) -> bool {
        Part::named(name).is_none_or(|part| self.has(part))
    }
}

impl Default for Parts {
    fn default() -> Self {
        Parts::all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::ENGINES;

    #[test]
    fn a_part_is_found_by_its_name_and_switched_off_alone() {
        for part in Part::ALL {
            assert_eq!(Part::named(part.name()), Some(part));
            let parts = Parts::all().without(part);
            assert!(Part::ALL.into_iter().all(|other| parts.has(other) == (other != part)));
        }
    }

    #[test]
    fn engines_that_search_are_parts() {
        let others: Vec<&str> =
            ENGINES.iter().map(|engine| engine.name()).filter(|name| Part::named(name).is_none()).collect();
        assert_eq!(others, ["ground"]);
    }
}

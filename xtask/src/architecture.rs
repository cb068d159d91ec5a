//! Rules about what may use what: the table and the invariants of ARCHITECTURE.md.

use smelt_smtlib::op::Op;

use crate::packages::Package;
use crate::sources::Source;

/// Which of our crates each crate may use. A crate that is not listed may not exist.
const MAY_USE: &[(&str, &[&str])] = &[
    ("smelt-smtlib", &[]),
    ("smelt-semantics", &["smelt-smtlib"]),
    ("smelt-proof", &["smelt-smtlib", "smelt-semantics"]),
    ("smelt-solver", &["smelt-smtlib", "smelt-semantics", "smelt-proof"]),
    ("smelt-oracle", &["smelt-smtlib", "smelt-semantics", "smelt-proof"]),
    ("smelt-testgen", &["smelt-smtlib", "smelt-semantics", "smelt-oracle"]),
    ("smelt-runner", &["smelt-smtlib", "smelt-oracle"]),
    ("smelt-trial", &["smelt-smtlib", "smelt-semantics", "smelt-oracle", "smelt-runner"]),
    ("smelt-store", &["smelt-smtlib", "smelt-oracle"]),
    (
        "smelt-campaign",
        &[
            "smelt-smtlib",
            "smelt-oracle",
            "smelt-testgen",
            "smelt-runner",
            "smelt-trial",
            "smelt-store",
            "smelt-report",
        ],
    ),
    (
        "smelt-triage",
        &[
            "smelt-smtlib",
            "smelt-semantics",
            "smelt-oracle",
            "smelt-testgen",
            "smelt-runner",
            "smelt-trial",
            "smelt-store",
            "smelt-campaign",
            "smelt-report",
        ],
    ),
    ("smelt-report", &["smelt-smtlib", "smelt-oracle", "smelt-testgen", "smelt-runner", "smelt-store"]),
    (
        "smelt-fuzz",
        &[
            "smelt-smtlib",
            "smelt-semantics",
            "smelt-solver",
            "smelt-oracle",
            "smelt-runner",
            "smelt-store",
            "smelt-campaign",
            "smelt-report",
        ],
    ),
    (
        "smelt",
        &[
            "smelt-smtlib",
            "smelt-semantics",
            "smelt-proof",
            "smelt-solver",
            "smelt-oracle",
            "smelt-testgen",
            "smelt-runner",
            "smelt-trial",
            "smelt-triage",
            "smelt-store",
            "smelt-campaign",
            "smelt-report",
        ],
    ),
];

/// The crates that never start a process, read a clock or open a file.
const PURE: &[&str] =
    &["smelt-smtlib", "smelt-semantics", "smelt-proof", "smelt-solver", "smelt-oracle", "smelt-testgen"];

/// What pure code does not say.
const IMPURE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::time",
    "std::{",
    "thread::sleep",
    "thread::spawn",
    "dbg!",
    "print!(",
    "println!",
];

/// Files that spell operators although they are not the table, and why they must.
const MAY_SPELL_OPERATORS: &[(&str, &str)] = &[
    ("crates/smelt-smtlib/src/op/table.rs", "it is the table"),
    ("crates/smelt-smtlib/src/dialect.rs", "stems that show the old dialect without reading the text"),
    ("crates/smelt-semantics/src/model.rs", "names that the models of Z3 give to choices of its own"),
    ("crates/smelt-fuzz/src/mutate.rs", "atoms that change the meaning of many terms"),
];

/// Dependencies that the table does not allow; those of tests do not count.
pub(crate) fn dependency_complaints(packages: &[Package]) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in packages.iter().filter(|package| package.name != "xtask") {
        let name = &package.name;
        let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| known == name) else {
            complaints
                .push(format!("{}: crate `{name}` is not in the table of allowed uses", package.manifest()));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| !dependency.is_for_tests()) {
            let used = dependency.name.as_str();
            if used.starts_with("smelt-") && !allowed.contains(&used) {
                complaints.push(format!("{}: `{name}` may not use `{used}`", package.manifest()));
            }
        }
    }
    complaints
}

/// Uses of the outside world, and spellings of operators, where they do not belong.
pub(crate) fn source_complaints(source: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    let Some(name) = source.crate_name().filter(|_| source.is_rust()) else { return complaints };
    let is_pure = PURE.contains(&name);
    let may_spell = MAY_SPELL_OPERATORS.iter().any(|(path, _)| *path == source.path);
    for (number, line) in source.code() {
        let mut complain = |what: String| complaints.push(format!("{}:{number}: {what}", source.path));
        if is_pure && let Some(impure) = IMPURE.iter().find(|impure| line.contains(**impure)) {
            complain(format!("`{impure}` in a pure crate"));
        }
        if name != "smelt" && (line.contains("println!") || line.contains("eprintln!")) && !is_pure {
            complain("only the command line prints".to_owned());
        }
        if name != "smelt-runner" && !source.is_build_script() && line.contains("process::Command") {
            complain("only the runner starts processes".to_owned());
        }
        if !may_spell && let Some(operator) = spelled_operator(line) {
            complain(format!("operator `{operator}` is spelled outside of the operator table"));
        }
    }
    complaints
}

/// The operator that a string literal of a line spells, if it can be nothing else.
fn spelled_operator(line: &str) -> Option<&str> {
    const PREFIXES: &[&str] = &["str.", "re.", "seq.", "fp."];
    line.split('"').skip(1).step_by(2).find(|literal| {
        PREFIXES.iter().any(|prefix| literal.starts_with(prefix))
            || (is_distinctive(literal) && Op::all_names().any(|name| name == *literal))
    })
}

/// Whether a name is an operator's and no word besides.
fn is_distinctive(name: &str) -> bool {
    name.contains(['.', '_']) || (name.starts_with("bv") && name.len() > 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let found = source_complaints(&Source::new(path, text));
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn a_forbidden_dependency_is_found() {
        let dependencies = [("smelt-semantics", None), ("smelt-x", Some("dev"))];
        let found = dependency_complaints(&[Package::new("smelt-smtlib", &dependencies)]);
        assert_eq!(found, ["crates/smelt-smtlib/Cargo.toml: `smelt-smtlib` may not use `smelt-semantics`"]);
        assert_eq!(dependency_complaints(&[Package::new("smelt", &dependencies)]), [""; 0]);
    }

    #[test]
    fn an_unknown_crate_is_found() {
        assert_eq!(dependency_complaints(&[Package::new("smelt-new", &[])]).len(), 1);
    }

    #[test]
    fn files_and_clocks_in_a_pure_crate_are_found() {
        check("crates/smelt-smtlib/src/a.rs", "use std::fs;\n", &["std::fs"]);
        check("crates/smelt-smtlib/src/a.rs", "use std::{fs, io};\n", &["std::{"]);
        check("crates/smelt-smtlib/src/a.rs", "// std::fs\n#[cfg(test)]\nuse std::fs;\n", &[]);
        check("crates/smelt/src/a.rs", "use std::fs;\n", &[]);
    }

    #[test]
    fn processes_outside_of_the_runner_are_found() {
        check("crates/smelt/src/a.rs", "use std::process::Command;\n", &["runner"]);
        check("crates/smelt-runner/src/a.rs", "use std::process::Command;\n", &[]);
    }

    #[test]
    fn spelled_operators_are_found() {
        check("crates/smelt/src/a.rs", "const OP: &str = \"bvadd\";\n", &["`bvadd`"]);
        check("crates/smelt/src/a.rs", "fn f() { if name.starts_with(\"str.\") {} }\n", &["`str.`"]);
        check("crates/smelt-smtlib/src/op/table.rs", "const OP: &str = \"bvadd\";\n", &[]);
        check("crates/smelt/src/a.rs", "const PATH: &str = \"and\";\n", &[]);
    }
}

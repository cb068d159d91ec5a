//! `replay.sh`: the formula that a report shows, run on its solvers by plain shell commands.
//!
//! The script must work where the finding was made and elsewhere. Each solver has a variable that names another program;
//! without it, the program of the finding is used if it is there, and else one of the PATH, with a note that it may be
//! another version. cvc5 from its Python package is replaced by the program `cvc5` where the package is missing.
//!
//! Names, arguments and variables may come from a campaign of others: each is quoted, or made of letters, digits and
//! underscores only.

use smelt_oracle::finding::{Evidence, Verdict};
use smelt_oracle::foreign_text::{shell_comment, shell_word};
use smelt_oracle::run::Answer;
use smelt_runner::family::Family;
use smelt_runner::library::{driver_position, solver_args};
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;

use super::triage_files::Added;
use super::with_smelt;

/// The name of the file with the formula that comes before the case.
pub const BEFORE: &str = "before.smt2";

/// What one solver is run on.
struct Step<'s> {
    command: &'s SolverCommand,
    answer: Option<Answer>,
    file: String,
}

/// A shell script that runs the formula shown on the solvers with plain commands, the culprit first.
pub fn script(finding: &Finding, added: &Added) -> String {
    let stem = if added.shown.is_some() { REDUCED } else { CASE };
    let (verdict, before, steps) = match &added.shown {
        Some(shown) => {
            let steps = shown.transcripts.iter().filter_map(|transcript| {
                let file = match &transcript.script {
                    Some(_) => file_for(REDUCED, &transcript.solver),
                    None => format!("{REDUCED}.smt2"),
                };
                Some(Step { command: transcript.command.as_ref()?, answer: Some(transcript.answer), file })
            });
            (&shown.verdict, format!("{REDUCED}-{BEFORE}"), steps.collect::<Vec<_>>())
        }
        None => {
            let step = |command| {
                let run = finding.runs.iter().find(|run| run.solver == command_name(command));
                let file = match finding.other_words.contains_key(command_name(command)) {
                    true => file_for(CASE, command_name(command)),
                    false => format!("{CASE}.smt2"),
                };
                Step { command, answer: run.map(|run| run.answer), file }
            };
            (&finding.verdict, BEFORE.to_owned(), finding.commands.iter().map(step).collect())
        }
    };
    let head = format!(
        "#!/bin/sh\n# Runs the formula of the report on the solvers of this finding, without smelt.\n\
        # {}{}\n# With smelt: {}\n\
        folder=$(dirname \"$0\")\n{CHOOSE}",
        verdict.class.word(),
        verdict.culprit.as_ref().map(|culprit| format!(", {}", shell_comment(culprit))).unwrap_or_default(),
        shell_comment(&with_smelt(finding, stem))
    );
    head + &commands(finding, verdict, &before, steps)
}

fn command_name(command: &SolverCommand) -> &str {
    &command.solver
}

/// The commands that run all solvers, the culprit first.
fn commands(finding: &Finding, verdict: &Verdict, before: &str, mut steps: Vec<Step<'_>>) -> String {
    let culprit = verdict.culprit.as_deref();
    steps.sort_by_key(|step| Some(step.command.solver.as_str()) != culprit);
    let mut text = String::new();
    if let Some(seconds) = finding.timeout_secs {
        // Twice the time, so that what takes a little longer elsewhere is still seen.
        text.push_str(&format!("ulimit -t {}\n", (seconds * 2.0).ceil().max(1.0)));
    }
    if let (Evidence::EarlierLink { .. }, Some(step)) = (&verdict.evidence, steps.first()) {
        let title = format!("{} on what comes before:", step.command.solver);
        text.push_str(&run(step.command, &title, before));
    }
    for step in steps {
        let answer = step.answer.map_or("nothing", Answer::word);
        let title = format!("{} (answered {answer}):", step.command.solver);
        text.push_str(&run(step.command, &title, &step.file));
    }
    text
}

/// Chooses a program: `choose VALUE RECORDED PROGRAM`.
const CHOOSE: &str = "\
choose() {
    if [ -n \"$1\" ]; then
        program=$1
    elif [ -n \"$2\" ] && [ -x \"$2\" ]; then
        program=$2
    else
        program=$3
        command -v \"$3\" > /dev/null 2>&1 &&
            printf 'note: this is %s of the PATH, which may be another version\\n' \"$3\" >&2
    fi
}
";

/// Runs one solver on one file.
fn run(command: &SolverCommand, title: &str, file: &str) -> String {
    let variable = variable_for(&command.solver);
    let mut text = format!("\nprintf '%s\\n' {}\n# {variable} names another program.\n", shell_word(title));
    let on_path = program_name(&command.program);
    let words = |args: &[String]| args.iter().map(|arg| format!(" {}", shell_word(arg))).collect::<String>();
    let environment = environment_of(command);
    match package_options(command) {
        None => text.push_str(&format!(
            "choose \"${{{variable}:-}}\" {} {}\n{environment}\"$program\"{} < \"$folder/{file}\"\n",
            shell_word(&command.program),
            shell_word(on_path),
            words(&command.args)
        )),
        Some(options) => text.push_str(&format!(
            "if [ -z \"${{{variable}:-}}\" ] && [ -e {} ]; then\n    {environment}{}{} < \"$folder/{file}\"\nelse\n    \
             choose \"${{{variable}:-}}\" '' {}\n    \"$program\"{} < \"$folder/{file}\"\nfi\n",
            shell_word(driver_position(&command.args).map_or("", |position| &command.args[position])),
            shell_word(&command.program),
            words(&command.args),
            package_family(command).name(),
            words(&options)
        )),
    }
    text
}

/// The family of a solver that its Python package is run for. Before there were others, that was cvc5.
pub fn package_family(command: &SolverCommand) -> Family {
    match Family::of_name(&command.solver) {
        Family::Bitwuzla => Family::Bitwuzla,
        _ => Family::Cvc5,
    }
}

/// The options with which the program of a solver does what its Python package was run with; none if it was not.
pub fn package_options(command: &SolverCommand) -> Option<Vec<String>> {
    let is_python = program_name(&command.program).starts_with("python");
    if driver_position(&command.args).is_none() || !is_python {
        return None;
    }
    let family = package_family(command);
    let mut options: Vec<String> = family.stdin_args().iter().map(|arg| (*arg).to_owned()).collect();
    for option in solver_args(&command.args) {
        if !options.contains(option) {
            options.push(option.clone());
        }
    }
    Some(options)
}

/// The name of a program without its folders.
pub fn program_name(program: &str) -> &str {
    program.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(program)
}

/// How the environment of a command is set before it.
fn environment_of(command: &SolverCommand) -> String {
    let is_name = |name: &str| {
        name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    if command.environment.iter().all(|(name, _)| is_name(name)) {
        return command
            .environment
            .iter()
            .map(|(name, value)| format!("{name}={} ", shell_word(value)))
            .collect();
    }
    let words = command
        .environment
        .iter()
        .map(|(name, value)| format!("{} ", shell_word(&format!("{name}={value}"))));
    format!("env -- {}", words.collect::<String>())
}

/// The variable that names another program for a solver: `Z3_4_8_7` for `z3@4.8.7`.
fn variable_for(solver: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    let name: String = solver.chars().map(letter).collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { format!("SOLVER_{name}") }
}

/// The stem of the files with the case as it was found.
pub const CASE: &str = "case";
/// The stem of the files with the formula that reports show, if that is another one.
pub const REDUCED: &str = "reduced";

/// The name of the file with a formula in the words of a solver that takes others.
pub fn file_for(stem: &str, solver: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.@".contains(letter);
    let mut name: String = solver.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    if name != solver {
        // Two names must not become one.
        name.push_str(&format!("-{}", &blake3::hash(solver.as_bytes()).to_hex()[..6]));
    }
    format!("{stem}-for-{name}.smt2")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(name: &str, program: &str, args: &[&str]) -> SolverCommand {
        SolverCommand {
            solver: name.to_owned(),
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            environment: Vec::new(),
            version: None,
            hash: None,
        }
    }

    #[test]
    fn names_of_solvers_become_names_of_files_and_variables() {
        assert_eq!(file_for(CASE, "z3@4.8.7"), "case-for-z3@4.8.7.smt2");
        assert!(file_for(CASE, "my/z3 \"x\"").starts_with("case-for-my-z3--x--"));
        assert_ne!(file_for(CASE, "a b"), file_for(CASE, "a/b"));
        assert_eq!(variable_for("z3@4.8.7"), "Z3_4_8_7");
        assert_eq!(variable_for("1st\n"), "SOLVER_1ST_");
    }

    #[test]
    fn the_recorded_path_is_not_the_only_way_to_run_a_solver() {
        let text = run(&command("z3@4.8.7", "/somewhere/bin/z3", &["-in"]), "z3", "case.smt2");
        assert!(text.contains("choose \"${Z3_4_8_7:-}\" /somewhere/bin/z3 z3\n"), "{text}");
        assert!(text.contains("\"$program\" -in < \"$folder/case.smt2\""), "{text}");
    }

    #[test]
    fn a_package_is_replaced_by_the_program_with_its_options() {
        let package = command("cvc5@1.4.2", "/usr/bin/python3", &["/cache/driver.py", "--fmf-bound"]);
        let text = run(&package, "cvc5", "case.smt2");
        assert!(text.contains("choose \"${CVC5_1_4_2:-}\" '' cvc5\n"), "{text}");
        assert!(text.contains("\"$program\" --lang=smt2") && text.contains(" --fmf-bound <"), "{text}");
    }

    #[test]
    fn environments_cannot_run_commands() {
        let mut with = command("s", "/bin/solver", &["-c", "x y"]);
        with.environment = vec![("A".to_owned(), "1 2".to_owned())];
        assert_eq!(environment_of(&with), "A='1 2' ");
        with.environment = vec![("A;B".to_owned(), "1".to_owned())];
        assert_eq!(environment_of(&with), "env -- 'A;B=1' ");
    }
}

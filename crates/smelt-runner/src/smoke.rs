//! Why a solver does not work: what it did with a trivial formula, for people, and what may help.

use smelt_oracle::run::{Answer, Limit};

use crate::answer::text_of;
use crate::cold::{End, Raw};
use crate::solver::Solver;

/// Lines of an output that are shown, and characters of each.
const SHOWN_LINES: usize = 3;
const SHOWN_CHARACTERS: usize = 160;

/// Words in what solvers print, and what to do then.
const PROPOSALS: &[(&str, &str)] = &[
    ("input file was not specified", "try adding `-in`"),
    ("unknown option", "it does not know one of its options"),
    ("unrecognized option", "it does not know one of its options"),
    ("unknown parameter", "it does not know one of its options"),
    ("error while loading shared libraries", "it lacks a library"),
    ("permission denied", "check the permissions of what it opens"),
    ("usage:", "add the option that makes it read SMT-LIB from standard input"),
];

/// Says in one sentence what a solver did instead of answering, or after it had answered.
pub(crate) fn explain(raw: &Raw, answer: Answer, solver: &Solver) -> String {
    let (stdout, stderr) = (text_of(&raw.stdout), text_of(&raw.stderr));
    let printed = format!("{stdout}\n{stderr}").to_lowercase();
    let by_words = PROPOSALS.iter().find(|(words, _)| printed.contains(words)).map(|(_, proposal)| *proposal);
    let proposal = match raw.end {
        _ if by_words.is_some() => by_words,
        End::Cut(Limit::Wall) if !answer.is_decided() => Some("does it read SMT-LIB from standard input?"),
        End::Exited(126 | 127) => Some("a program that it starts is missing"),
        _ => None,
    };
    let proposal = proposal.map(|proposal| format!(" ({proposal})")).unwrap_or_default();
    let outputs: Vec<String> = [quoted(&stdout, "standard output"), quoted(&stderr, "standard error")]
        .into_iter()
        .flatten()
        .collect();
    let outputs = if outputs.is_empty() { "nothing".to_owned() } else { outputs.join(" and ") };
    let command = solver.invocation.command_line();
    let problem = match (answer.is_decided(), raw.end) {
        (true, End::Cut(_)) => "it does not exit at the end of its input",
        _ => "no answer to a trivial formula",
    };
    let end = end_in_words(raw.end);
    format!("smoke test failed: {problem}{proposal}; `{command}` printed {outputs}, and {end}")
}

/// The first lines of an output; none if there is nothing in it.
fn quoted(output: &str, name: &str) -> Option<String> {
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let shown: Vec<String> = lines.by_ref().take(SHOWN_LINES).map(shortened).collect();
    let more = if lines.next().is_some() { " .." } else { "" };
    (!shown.is_empty()).then(|| format!("`{}`{more} to {name}", shown.join("` `")))
}

fn shortened(line: &str) -> String {
    let is_plain = |character: &char| !character.is_control();
    let mut characters = line.chars().filter(is_plain);
    let mut text: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
    if characters.next().is_some() {
        text.push_str("..");
    }
    text
}

fn end_in_words(end: End) -> String {
    match end {
        End::Exited(status) => format!("exited with status {status}"),
        End::Signalled(signal) => format!("was ended by signal {signal}"),
        End::Cut(Limit::Wall) => "then waited without computing until it was ended".to_owned(),
        End::Cut(Limit::Cpu) => "was ended after 5 s of processor time".to_owned(),
        End::Cut(Limit::Memory) => "was ended because it used too much memory".to_owned(),
        End::Cut(Limit::Processes) => "was ended because it started too many processes".to_owned(),
        End::Flooded => "was ended because it printed more than a megabyte".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::answer::read_run;
    use crate::family::Family;
    use crate::solver::Invocation;

    fn explained(stdout: &str, stderr: &str, end: End) -> String {
        let raw = Raw {
            stdout: stdout.into(),
            stderr: stderr.into(),
            end,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            max_rss_kb: 0,
            leaked: 0,
            checks: 0,
        };
        let invocation = Invocation {
            program: PathBuf::from("build/z3"),
            args: Vec::new(),
            environment: Vec::new(),
            is_confined: false,
        };
        let answer = read_run("new", &raw).answer;
        explain(&raw, answer, &Solver { name: "new".to_owned(), family: Family::Z3, invocation })
    }

    #[test]
    fn a_failed_smoke_test_shows_what_was_printed_and_proposes_what_to_add() {
        assert_eq!(
            explained(
                "",
                "Error: input file was not specified.\nFor usage information: z3 -h\n",
                End::Exited(1)
            ),
            "smoke test failed: no answer to a trivial formula (try adding `-in`); `build/z3` printed `Error: input \
             file was not specified.` `For usage information: z3 -h` to standard error, and exited with status 1"
        );
    }

    #[test]
    fn silence_and_floods_are_told_apart() {
        assert!(
            explained("", "", End::Signalled(11)).ends_with("printed nothing, and was ended by signal 11")
        );
        let flood = explained("y\ny\ny\ny\n", "", End::Flooded);
        assert!(flood.contains("`y` `y` `y` .. to standard output"), "{flood}");
        assert!(flood.ends_with("printed more than a megabyte"), "{flood}");
        assert!(explained("", "", End::Cut(Limit::Wall)).contains("standard input?"));
        let answered = explained("sat\n", "", End::Cut(Limit::Wall));
        assert!(answered.contains("does not exit at the end of its input; "), "{answered}");
    }
}

//! `report.md`: a finding as text for an issue tracker, which stands alone.
//!
//! Everything in a report is about the formula that it shows: the exhibit if there is one, else the case as it was found.
//! What only matters to users of smelt, such as lineage and random seeds, is folded away at the end.

pub mod exhibit;
mod false_claim;
pub mod listing;
mod optimum;
mod policy;
pub mod replay_script;
pub mod slowdown;
mod title;
mod trace;
pub mod triage_files;
pub mod triage_summary;
mod without_smelt;

use smelt_oracle::assertion_values::AssertionValue;
use smelt_oracle::case::Label;
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::foreign_text::{
    in_line, markdown_block, markdown_cell, markdown_code, markdown_text, shell_word,
};
use smelt_oracle::guilty_step::GuiltyStep;
use smelt_oracle::run::Answer;
use smelt_runner::family::Family;
use smelt_runner::options::SAFE;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::{Finding, SafeMode};

use exhibit::{Ending, OwnWords, Transcript};
use policy::policy;
use replay_script::{CASE, REDUCED, file_for, package_family, package_options, program_name};
use title::{signal_name, title};
use triage_files::{Added, Dating, ITSELF, Triage};
use without_smelt::without_smelt;

/// The technique of findings that `smelt triage` makes of a file.
pub const TRIAGE: &str = "triage";

/// The most characters of an output that are shown.
const MAX_OUTPUT: usize = 3_000;

/// A text ready for an issue tracker, with what triage has added.
pub fn report(finding: &Finding, added: &Added) -> String {
    let view = View::new(finding, added);
    let verdict = view.verdict;
    let solver = markdown_text(culprit(verdict));
    let headline = match verdict.class {
        Class::Disputed => "Solvers disagree, and nothing tells which of them is wrong.".to_owned(),
        Class::Drift => {
            format!("{solver} follows an older definition of {}.", markdown_text(&view.drifting.join(", ")))
        }
        class => format!("{solver} {}.", class.about()),
    };
    let mut text = format!("# {}\n\n{headline}\n\n", title(verdict, view.script));
    text.push_str(&markdown_block("smt2", view.script));
    text.push_str(&view.facts(added));
    text.push_str("\n## What solvers do with this formula\n");
    for transcript in &view.transcripts {
        let file = match &transcript.script {
            Some(_) => file_for(view.stem, &transcript.solver),
            None => format!("{}.smt2", view.stem),
        };
        text.push_str(&session(transcript, &file));
    }
    text.push_str("\n## Why this is wrong\n\n");
    text.push_str(&view.evidence(added));
    text.push_str(&format!("\nWithout smelt: {}\n", without_smelt(verdict)));
    text.push_str(&view.guilty.map(false_claim::guilty_text).unwrap_or_default());
    text.push_str(&view.itself());
    text.push_str(&format!(
        "\n## How to reproduce it\n\n`sh replay.sh` in the folder of this report runs the formula on these solvers; its \
         variables choose other programs. With smelt: {}.\n",
        markdown_code(&with_smelt(finding, view.stem))
    ));
    if let Some(policy) = view.family().and_then(|family| policy(family, verdict.class)) {
        text.push_str(&format!("\n## Before reporting it\n\n{policy}\n"));
    }
    text.push_str(&view.folded());
    text
}

/// The solver that is blamed.
pub fn culprit(verdict: &Verdict) -> &str {
    verdict.culprit.as_deref().unwrap_or("-")
}

/// The command by which smelt shows a finding again: those of a campaign have an id, others only their formula.
pub fn with_smelt(finding: &Finding, stem: &str) -> String {
    if finding.lineage.technique != TRIAGE {
        return format!("smelt replay {}", finding.id);
    }
    let name = culprit(&finding.verdict);
    let command = finding.commands.iter().find(|command| command.solver == name);
    let solver = match command.filter(|_| !name.contains('@') && name != Family::Smelt.name()) {
        Some(command) => format!("{name}={}", command_line(command)),
        None => name.to_owned(),
    };
    format!("smelt triage {stem}.smt2 --solver {}", shell_word(&solver))
}

/// What a report is about.
struct View<'v> {
    finding: &'v Finding,
    verdict: &'v Verdict,
    /// The formula as it is shown, without comments before it.
    script: &'v str,
    /// The stem of the files with the formula.
    stem: &'static str,
    evaluated: &'v [AssertionValue],
    transcripts: Vec<Transcript>,
    itself: Option<&'v OwnWords>,
    guilty: Option<&'v GuiltyStep>,
    /// Operators of which the culprit follows an older definition.
    drifting: &'v [String],
    /// What was expected of the case in which it was found.
    claim: Label,
}

impl<'v> View<'v> {
    fn new(finding: &'v Finding, added: &'v Added) -> Self {
        let claim = finding.script.lines().find_map(|line| line.strip_prefix("; expect: "));
        let claim = claim.map_or(Label::NONE, Label::read);
        if let Some(shown) = &added.shown {
            return View {
                finding,
                verdict: &shown.verdict,
                script: &shown.script,
                stem: REDUCED,
                evaluated: &shown.evaluated,
                transcripts: shown.transcripts.clone(),
                itself: shown.itself.as_ref(),
                guilty: shown.guilty.as_ref(),
                drifting: match shown.verdict.class {
                    // Where it is not an operator, it is the alphabet.
                    Class::Drift if shown.drifting.is_empty() => &finding.drifting,
                    _ => &shown.drifting,
                },
                claim,
            };
        }
        let mut transcripts: Vec<Transcript> = finding
            .runs
            .iter()
            .map(|run| (run, finding.commands.iter().find(|command| command.solver == run.solver).cloned()))
            .map(|(run, command)| Transcript {
                solver: run.solver.clone(),
                version: command.as_ref().and_then(|command| command.version.clone()),
                hash: command.as_ref().and_then(|command| command.hash.clone()),
                command,
                script: finding.other_words.get(&run.solver).cloned(),
                answer: run.answer,
                printed: match run.answer {
                    Answer::Sat | Answer::Unsat | Answer::Unknown => {
                        format!("{}\n{}", run.answer.word(), run.output)
                    }
                    _ => run.output.clone(),
                },
                errors: run.reason.clone().unwrap_or_default(),
                end: None,
            })
            .collect();
        transcripts.sort_by_key(|transcript| transcript.solver != culprit(&finding.verdict));
        let script = without_comments(&finding.script);
        View {
            finding,
            verdict: &finding.verdict,
            script,
            stem: CASE,
            evaluated: &finding.evaluated,
            transcripts,
            itself: None,
            guilty: None,
            drifting: &finding.drifting,
            claim,
        }
    }

    fn family(&self) -> Option<Family> {
        let culprit = self.verdict.culprit.as_ref()?;
        let command = self.finding.commands.iter().find(|command| command.solver == *culprit);
        match (Family::of_name(culprit), command) {
            (Family::Generic, Some(command)) => Some(Family::of_name(program_name(&command.program))),
            (family, _) => Some(family),
        }
    }

    /// Whether the formula shown is run in the safe mode of the culprit. That may differ from the case as it was found: of
    /// a reduced formula its text or the command line tells.
    fn safe_mode(&self) -> Option<SafeMode> {
        if self.stem == CASE {
            return self.finding.safe_mode;
        }
        let command = self.family().and_then(Family::safe_mode)?;
        let blamed = self.finding.commands.iter().find(|command| command.solver == culprit(self.verdict));
        let is_option = blamed.is_some_and(|command| command.args.iter().any(|arg| arg == SAFE));
        let is_safe = is_option || self.script.contains(command);
        Some(if is_safe { SafeMode::Inside } else { SafeMode::Outside })
    }

    /// What is known of the finding, one sentence a line.
    fn facts(&self, added: &Added) -> String {
        let class = self.verdict.class;
        let mut facts = format!("\nSeverity: {} ({}).\n", class.severity(), class.word());
        if let Some(blamed) = self.transcripts.iter().find(|one| one.solver == culprit(self.verdict)) {
            facts.push_str(&solver_line(blamed));
        }
        if let Some(mode) = self.safe_mode() {
            facts.push_str(&format!("Shown {}.\n", mode.words()));
        }
        facts.push_str(&added.dating.as_ref().map_or_else(String::new, Dating::text));
        facts.push_str(&added.triage.as_ref().map_or_else(String::new, Triage::text));
        let is_about_answer =
            matches!(self.verdict.class, Class::Disputed) || self.verdict.class.is_soundness();
        if let Some(ground) = self.claim.ground().filter(|_| is_about_answer) {
            let answer = self.claim.expectation.word();
            facts.push_str(&format!("Label about the case: `{answer}`, {}.\n", markdown_text(&ground)));
        }
        facts.push_str(match added.is_reduced(self.finding) {
            true => "The formula is reduced; all that follows is about this formula.\n",
            false => "The formula is as it was found, not reduced.\n",
        });
        // A list keeps each sentence on its line.
        facts
            .lines()
            .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("- {line}\n") })
            .collect()
    }

    fn evidence(&self, added: &Added) -> String {
        let table = values_table(self.evaluated);
        match &self.verdict.evidence {
            Evidence::Model { solver, model } => format!(
                "The formula is satisfiable: this model, printed by {}, makes every assertion true (evaluated by smelt, \
                 independently of any solver).\n\n{}{table}",
                markdown_text(solver),
                markdown_block("smt2", model)
            ),
            Evidence::FalseAssertions { model, assertions } => format!(
                "The model that it prints makes assertion {} false (evaluated by smelt, independently of any \
                 solver).{}\n\n{}{table}",
                listed(assertions),
                contradiction(self.evaluated),
                markdown_block("smt2", model)
            ),
            Evidence::FalseUnderEveryModel { assertions } => format!(
                "No model satisfies the formula: assertion {} is false whatever its constants are (evaluated by smelt, \
                 independently of any solver).\n{table}",
                listed(assertions)
            ),
            Evidence::Construction => {
                "The other answer follows from how the formula was made from its seeds.\n".to_owned()
            }
            Evidence::SuspectClaim { solvers, refuted_by } => format!(
                "The formula was made to be unsatisfiable, but {}. No solver is blamed: either a seed is labelled \
                 wrongly, or this is a bug in smelt.\n",
                match refuted_by {
                    Some(solver) => {
                        format!(
                            "the model that {} prints satisfies it (evaluated by smelt)",
                            markdown_text(solver)
                        )
                    }
                    None => {
                        let solvers = markdown_text(&solvers.join(", "));
                        format!("{solvers} say `sat`, and no solver says `unsat`")
                    }
                }
            ),
            Evidence::Agreement { solvers } => {
                format!(
                    "{} say `unsat`, and the model that was printed fails.\n",
                    markdown_text(&solvers.join(", "))
                )
            }
            Evidence::Signature(signature) => format!(
                "No input may make a solver fail like this, whatever the answer is. Signature: {}\n",
                markdown_code(signature)
            ),
            Evidence::Disagreement { sat, unsat } => {
                format!(
                    "`sat` by {}; `unsat` by {}.\n",
                    markdown_text(&sat.join(", ")),
                    markdown_text(&unsat.join(", "))
                )
            }
            Evidence::Core { assertions, solver, model } => format!(
                "{} This model, printed by {}, satisfies it (evaluated by smelt, independently of any solver).\n\n{}{table}",
                core_sentence(assertions),
                markdown_text(solver),
                markdown_block("smt2", model)
            ),
            Evidence::FalseClaim { .. } => false_claim::text(self.verdict),
            Evidence::Optimum { .. } => optimum::text(self.verdict),
            Evidence::Trace { .. } => trace::text(self.verdict),
            Evidence::Contradiction { change, contradiction, output } => {
                let (change, contradiction) = (markdown_text(change), markdown_text(contradiction));
                format!("Asked with {change}: {contradiction}.\n\n{}", markdown_block("", output))
            }
            Evidence::Times { reference, culprit_ms, reference_ms } => format!(
                "Processor time in ms, measured in turn: {} against {} of {}.\n",
                rounded(culprit_ms),
                rounded(reference_ms),
                markdown_text(reference)
            ),
            Evidence::Slowdown { reference, first_bad, measured, .. } => {
                let compared = slowdown::Compared { reference, first_bad };
                slowdown::text(measured, &compared, added.seeds)
            }
            Evidence::EarlierAnswer { solver, answer, reason } => format!(
                "{} says `{}`, which is right{}.\n",
                markdown_text(solver),
                answer.word(),
                reason_given(reason)
            ),
            Evidence::EarlierLink { formula, answer, change, reason } => format!(
                "It says `{}` of the formula below, from which the answer here follows{}. \
                 The step between them: {}.\n\n{}",
                answer.word(),
                reason_given(reason),
                markdown_text(change),
                markdown_block("smt2", formula)
            ),
            Evidence::WarmCold { warm, cold, signature } => format!(
                "`{}` at the end of this session, twice, and `{}` in a fresh process.{}\n",
                warm.word(),
                cold.word(),
                signature.as_ref().map_or_else(String::new, |signature| format!(
                    " Signature: {}",
                    markdown_code(signature)
                ))
            ),
        }
    }

    /// The solver against itself.
    fn itself(&self) -> String {
        let solver = markdown_text(culprit(self.verdict));
        let class = self.verdict.class;
        let is_impossible = matches!(self.verdict.evidence, Evidence::FalseUnderEveryModel { .. });
        let asked = match class {
            Class::InvalidCore => "about the assertions of its core alone",
            Class::InvalidModel => "with the values of its own model asserted",
            _ if is_impossible => "about what is false under every model alone",
            _ => "with the values of this model asserted",
        };
        let mut text = String::new();
        if let Some(own) = self.itself {
            let answer = own.transcript.answer;
            let judgement = match (own.is_contradiction(), answer.is_decided()) {
                (true, _) => "it contradicts itself",
                (false, true) => "it stays with its answer",
                (false, false) => "it does not decide that",
            };
            text.push_str(&format!(
                "\n## The solver against itself\n\nAsked {asked}, {solver} says `{}`: {judgement}.\n\n{}{}",
                answer.word(),
                markdown_block("smt2", &own.script),
                session(&own.transcript, ITSELF)
            ));
        }
        let own_answer = match class {
            Class::SoundnessRefutation => "sat",
            Class::InvalidModel => "unsat",
            _ if is_impossible => "unsat",
            _ => return text,
        };
        if !self.drifting.is_empty() {
            text.push_str(&format!(
                "\n{solver} follows an older definition of {}, but that does not explain it: \
                 asked {asked}, it says `{own_answer}` itself.\n",
                markdown_text(&self.drifting.join(", "))
            ));
        }
        text
    }

    /// What only users of smelt need.
    fn folded(&self) -> String {
        let finding = self.finding;
        let lineage = &finding.lineage;
        let detail = if finding.detail.is_empty() {
            String::new()
        } else {
            format!(": {}", markdown_text(&finding.detail))
        };
        format!(
            "\n<details>\n<summary>How it was found</summary>\n\n\
             Found by technique {} from seed {} (random seed {}, step {}{detail}). Seen {} time{}.\n\
             smelt {}, {} on {}.\n\n</details>\n",
            markdown_code(&lineage.technique),
            markdown_code(&lineage.seed),
            lineage.random_seed,
            lineage.step,
            finding.count,
            if finding.count == 1 { "" } else { "s" },
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH
        )
    }
}

/// One solver with its command line, what it prints and how it ends.
fn session(transcript: &Transcript, file: &str) -> String {
    let mut printed = String::new();
    if let Some(command) = &transcript.command {
        printed.push_str(&format!("$ {} < {}\n", command_line(command), shell_word(file)));
    }
    for text in [&transcript.printed, &transcript.errors] {
        printed.push_str(&cut(text));
        end_line(&mut printed);
    }
    if let Some(end) = transcript.end {
        printed.push_str(&format!("[{}]\n", ending(end)));
    }
    let title = format!("{}: `{}`", markdown_text(&transcript.solver), transcript.answer.word());
    let package = transcript.command.as_ref().and_then(|command| Some((command, package_options(command)?)));
    let program = package.map_or_else(String::new, |(command, options)| {
        let name = package_family(command).name();
        format!(
            "\nThis is the Python package of {name}. With the program: {}.\n",
            markdown_code(&format!(
                "{name} {} < {}",
                options.iter().map(|option| shell_word(option)).collect::<Vec<_>>().join(" "),
                shell_word(file)
            ))
        )
    });
    format!("\n{title}{}\n\n{}{program}", identity(transcript), markdown_block("console", &printed))
}

/// The reason that a solver gave for an `unknown`, as the end of a sentence; nothing if it gave none.
fn reason_given(reason: &str) -> String {
    match reason.trim() {
        "" => String::new(),
        reason => format!("; the reason given is {}", markdown_code(reason)),
    }
}

/// Which assertions a core has, in a sentence that is also right for none.
fn core_sentence(assertions: &[usize]) -> String {
    match assertions {
        [] => "The core is empty: it says that no assertion is needed for `unsat`, but an empty set of assertions is satisfiable."
            .to_owned(),
        [one] => format!("The core is assertion {one} alone."),
        more => format!("The core has the assertions {}.", listed(more)),
    }
}

/// What to say if an assertion is false under every model.
fn contradiction(evaluated: &[AssertionValue]) -> String {
    evaluated.iter().find(|line| line.is_contradiction).map_or(String::new(), |line| {
        format!(
            " Assertion {} is false under every model, whatever its constants are, so `sat` is the wrong answer.",
            line.number
        )
    })
}

/// Every assertion with its value and those of its arguments.
fn values_table(evaluated: &[AssertionValue]) -> String {
    if evaluated.is_empty() {
        return String::new();
    }
    let mut table = String::from("\n| | assertion | value | because |\n|---|---|---|---|\n");
    for line in evaluated {
        let parts = line
            .parts
            .iter()
            .map(|(part, value)| format!("{} is {}", markdown_cell(part), markdown_cell(value)));
        table.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            line.number,
            markdown_cell(&line.assertion),
            markdown_text(&line.value).replace('|', "\\|"),
            parts.collect::<Vec<_>>().join(", ")
        ));
    }
    table
}

/// The solver that is blamed, with all that tells which program it is.
fn solver_line(transcript: &Transcript) -> String {
    let Some(command) = &transcript.command else { return String::new() };
    format!(
        "Solver: {}{}, run as {}.\n",
        markdown_text(&transcript.solver),
        identity(transcript),
        markdown_code(&command_line(command))
    )
}

/// Digits of a hash that are shown.
const SHOWN_DIGITS: usize = 16;

/// Version and hash of a solver, as far as they are known.
fn identity(transcript: &Transcript) -> String {
    let version = transcript.version.as_ref().map(|version| format!("version {}", markdown_text(version)));
    let hash = transcript
        .hash
        .as_ref()
        .map(|hash| format!("BLAKE3 {}", markdown_text(hash.get(..SHOWN_DIGITS).unwrap_or(hash))));
    let known: Vec<String> = version.into_iter().chain(hash).collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) }
}

/// A command as people type it: programs and scripts without the folders of the machine on which it was found.
fn command_line(command: &SolverCommand) -> String {
    let short = |word: &String| match word.starts_with('/') {
        true => shell_word(program_name(word)),
        false => shell_word(word),
    };
    let is_short = |value: &str| !value.contains('/');
    let variables = command
        .environment
        .iter()
        .filter(|(_, value)| is_short(value))
        .map(|(name, value)| format!("{}={}", shell_word(name), shell_word(value)));
    let words = [&command.program].into_iter().chain(&command.args).map(short);
    in_line(&variables.chain(words).collect::<Vec<_>>().join(" "))
}

fn ending(end: Ending) -> String {
    match end {
        Ending::Exit(status) => format!("exit status {status}"),
        Ending::Signal(signal) => match signal_name(signal) {
            name if name.starts_with("signal") => format!("ended by {name}"),
            name => format!("ended by signal {signal}, {name}"),
        },
        Ending::TimeLimit => "ended at the time limit".to_owned(),
        Ending::MemoryLimit => "ended at the memory limit".to_owned(),
        Ending::OutputLimit => "ended at the limit of its output".to_owned(),
    }
}

/// A script without the comments and blank lines before its first command.
fn without_comments(script: &str) -> &str {
    let is_comment = |line: &&str| line.starts_with(';') || line.trim().is_empty();
    let skipped: usize = script.split_inclusive('\n').take_while(is_comment).map(str::len).sum();
    &script[skipped..]
}

fn cut(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(MAX_OUTPUT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}\n[.. {} more bytes]", &text[..end], text.len() - end),
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn rounded(times: &[f64]) -> String {
    times.iter().map(|time| format!("{time:.0}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_shown_without_what_stands_before_them() {
        let script = "; expect: none\n; technique: operator\n\n(assert true) ; kept\n";
        assert_eq!(without_comments(script), "(assert true) ; kept\n");
    }

    #[test]
    fn the_sentence_about_a_core_is_right_for_every_number_of_assertions() {
        assert!(core_sentence(&[]).starts_with("The core is empty"));
        assert_eq!(core_sentence(&[2]), "The core is assertion 2 alone.");
        assert_eq!(core_sentence(&[1, 3]), "The core has the assertions 1, 3.");
    }

    #[test]
    fn ends_are_named() {
        assert_eq!(ending(Ending::Signal(11)), "ended by signal 11, SIGSEGV");
        assert_eq!(ending(Ending::Signal(63)), "ended by signal 63");
        assert_eq!(ending(Ending::Exit(1)), "exit status 1");
    }
}

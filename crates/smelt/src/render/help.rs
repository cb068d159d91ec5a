//! The page of `smelt --help`, which lists commands in groups; clap itself knows headings for options only.

use std::fmt::Write;

use clap::Command;

/// Commands that belong together.
struct Group {
    heading: &'static str,
    commands: &'static [&'static str],
}

/// All commands, in the order of the page.
const GROUPS: &[Group] = &[
    Group { heading: "Find bugs", commands: &["hunt", "monitor", "generate"] },
    Group { heading: "Work on findings", commands: &["findings", "replay", "triage", "reduce", "bisect"] },
    Group { heading: "Depend on solvers", commands: &["compare", "stability", "bench", "scale"] },
    Group { heading: "Study releases", commands: &["study"] },
    Group { heading: "Use solvers", commands: &["solvers", "run"] },
    Group {
        heading: "Use SMT-LIB",
        commands: &["check", "print", "eval", "solve", "check-proof", "check-steps"],
    },
    Group { heading: "For experts", commands: &["list", "rules", "triples", "completions"] },
];

/// The width of the page, and where the descriptions of commands begin.
const COLUMNS: usize = 80;
const INDENT: usize = 15;

/// The command with its subcommands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}:\n{{options}}{{after-help}}",
        groups(&command),
        heading(&command, "Options"),
    );
    command.help_template(template)
}

fn heading(command: &Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}{style:#}")
}

fn groups(command: &Command) -> String {
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for group in GROUPS {
        let _ = writeln!(text, "{}:", heading(command, group.heading));
        for name in group.commands {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let padding = " ".repeat(INDENT - 2 - name.len());
            let separator = format!("\n{}", " ".repeat(INDENT));
            let lines = wrapped(&about, COLUMNS - INDENT).join(&separator);
            let _ = writeln!(text, "  {literal}{name}{literal:#}{padding}{lines}");
        }
        text.push('\n');
    }
    text
}

/// The words of a text on lines of at most this many characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = crate::Cli::command();
        let visible = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
        let mut names: Vec<&str> = visible.map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        names.sort_unstable();
        listed.sort_unstable();
        assert_eq!(names, listed);
    }
}

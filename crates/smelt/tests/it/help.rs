//! Every help page at 80 columns is as in `tests/help/`; `UPDATE_EXPECT=1 cargo test -p smelt --test it help` writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::expect_file;
use smelt_solver::{Options, Part, Policy};

/// What fits on a screen; only text that cannot be wrapped may be wider than the 80 columns of the page.
const MAX_WIDTH: usize = 100;

/// The folder with the pages.
fn pages_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help")
}

/// The help of a command, if there is such a command.
fn page(command: &[String], columns: u32) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(command)
        .arg("--help")
        .env("COLUMNS", columns.to_string())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // A word that is not a command is taken for an argument of the one before it, and the page is that one's.
    let usage = ["Usage: smelt", &command.join(" ")].join(" ");
    let is_its_own = text.lines().any(|line| {
        line.strip_prefix(usage.trim_end()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    (output.status.success() && is_its_own).then_some(text)
}

/// All pages by their commands. Commands are listed on the page above, two columns from the left.
fn pages(columns: u32) -> BTreeMap<Vec<String>, String> {
    let mut pages = BTreeMap::new();
    let mut pending = vec![Vec::new()];
    while let Some(command) = pending.pop() {
        let Some(text) = page(&command, columns) else { continue };
        for line in text.lines() {
            let word = line.strip_prefix("  ").and_then(|line| line.split(' ').next()).unwrap_or_default();
            let is_name = word.starts_with(|letter: char| letter.is_ascii_lowercase()) && word != "help";
            let below = [&command[..], &[word.to_owned()]].concat();
            if is_name && !pages.contains_key(&below) && !pending.contains(&below) {
                pending.push(below);
            }
        }
        pages.insert(command, text);
    }
    pages
}

fn file_name(command: &[String]) -> String {
    [&["smelt".to_owned()], command].concat().join("-") + ".txt"
}

#[test]
fn every_help_page_is_as_recorded() {
    let pages = pages(80);
    assert!(pages.len() > 15, "{:?}", pages.keys());
    let names: Vec<String> = pages.keys().map(|command| file_name(command)).collect();
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    if is_update {
        fs::create_dir_all(pages_folder()).unwrap();
    }
    for entry in fs::read_dir(pages_folder()).into_iter().flatten() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !names.contains(&name) && is_update {
            fs::remove_file(entry.path()).unwrap();
        } else {
            assert!(names.contains(&name), "tests/help/{name} is the page of no command");
        }
    }
    for (command, text) in &pages {
        expect_file![pages_folder().join(file_name(command))].assert_eq(text);
    }
}

#[test]
fn no_line_of_a_help_page_is_cut_or_too_long() {
    let wide = pages(1000);
    for (command, text) in pages(80) {
        for line in text.lines() {
            assert!(line.chars().count() <= MAX_WIDTH, "smelt {}: {line}", command.join(" "));
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        assert_eq!(words(&text), words(&wide[&command]), "smelt {}", command.join(" "));
    }
}

#[test]
fn the_help_of_solve_names_all_engines_arms_and_parts() {
    let help = page(&["solve".to_owned()], 80).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let list = |names: Vec<&str>| names.join(", ");
    assert!(help.contains(&format!("Engines: {} ", list(Options::engines().collect()))), "{help}");
    assert!(help.contains(&format!("Arms: {} ", list(Policy::names()))), "{help}");
    let parts = Part::ALL.iter().map(|part| part.name()).collect();
    assert!(help.contains(&format!("Parts: {} ", list(parts))), "{help}");
}

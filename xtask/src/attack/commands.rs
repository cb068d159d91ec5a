//! The commands that are attacked, and the folder that each needs.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use smelt_runner::family::Family;
use smelt_runner::versions::Store;

/// A command that is attacked.
#[derive(Debug)]
pub(super) struct Subject {
    /// What the table calls it.
    pub name: &'static str,
    /// Its arguments. `SOLVER` stands for the fake solver, `CRASHING` for one that takes its time and then crashes on the
    /// formula, `FINDING` for the id of a finding, `COMMAND` for a shell line that runs the fake solver on a file.
    args: &'static [&'static str],
    /// Whether it runs solvers, which can misbehave.
    pub has_solver: bool,
}

const fn with_solver(name: &'static str, args: &'static [&'static str]) -> Subject {
    Subject { name, args, has_solver: true }
}

const fn alone(name: &'static str, args: &'static [&'static str]) -> Subject {
    Subject { name, args, has_solver: false }
}

/// Long limits, so that no limit ends what a signal is to end.
pub(super) const COMMANDS: &[Subject] = &[
    with_solver("run", &["run", "many", "-s", "SOLVER", "-t", "300"]),
    with_solver("run --warm", &["run", "many", "-s", "SOLVER", "-t", "300", "--warm"]),
    with_solver("bench", &["bench", "many", "-s", "SOLVER", "-t", "300"]),
    with_solver("hunt", &["hunt", "many", "-s", "SOLVER", "--time", "600s", "--timeout", "300"]),
    with_solver(
        "hunt, cold",
        &["hunt", "many", "-s", "SOLVER", "--time", "600s", "--timeout", "300", "--mode", "cold"],
    ),
    with_solver(
        "hunt, then reduce",
        &[
            "hunt",
            "many/0.smt2",
            "-s",
            "CRASHING",
            "--cases",
            "1",
            "--technique",
            "unchanged",
            "--triage",
            "600s",
        ],
    ),
    with_solver(
        "hunt slowdown",
        &["hunt", "-s", "SOLVER", "-s", "other=SELF", "--goal", "slowdown", "--time", "600s"],
    ),
    with_solver(
        "hunt evolution",
        &["hunt", "--technique", "evolution", "-s", "SOLVER", "-s", "other=SELF", "--time", "600s"],
    ),
    with_solver("monitor", &["monitor", "-s", "SOLVER", "-r", "other=SELF", "-t", "300"]),
    with_solver("evolve", &["evolve", "-s", "SOLVER", "-r", "other=SELF", "-t", "300"]),
    with_solver("triage", &["triage", "many/0.smt2", "-s", "CRASHING", "-t", "300"]),
    with_solver("scale", &["scale", "many/5.smt2", "-s", "SOLVER", "-t", "300"]),
    with_solver("bisect", &["bisect", "many/0.smt2", "--solver", "z3", "--timeout", "300"]),
    with_solver(
        "reduce",
        &["reduce", "many/0.smt2", "-o", "reduced.smt2", "--", "sh", "-c", "COMMAND", "sh"],
    ),
    with_solver("reduce FINDING", &["reduce", "FINDING"]),
    with_solver("replay", &["replay", "FINDING", "-t", "300"]),
    with_solver("solvers probe", &["solvers", "probe", "SOLVER"]),
    with_solver("solvers list", &["solvers", "list"]),
    with_solver("solvers install", &["solvers", "install", "cvc5@latest"]),
    with_solver("run cvc5@latest", &["run", "many", "-s", "cvc5@latest"]),
    alone("solve", &["solve", "pigeons.smt2"]),
    alone("solve -", &["solve", "-"]),
    alone("generate", &["generate", "operator", "many", "--count", "100000000", "--out", "-"]),
    alone(
        "generate enumerate",
        &["generate", "enumerate", "--grammar", "strings", "--count", "1000000000", "--out", "-"],
    ),
    alone("check", &["check", "pigeons.smt2", "many"]),
];

/// Fills the folder of an attack and gives the arguments of the command.
pub(super) fn prepare(
    subject: &Subject,
    programs: &Path,
    folder: &Path,
    action: &str,
) -> Result<Vec<String>> {
    let fake = programs.join("fake-solver").display().to_string();
    let trigger = folder.join("now").display().to_string();
    // It misbehaves at any line once the trigger is there.
    let rule = format!("(=when {trigger} {action}");
    fs::create_dir_all(folder.join("many"))?;
    for number in 0..400 {
        let text = format!("(declare-const zebra Int)\n(assert (> zebra {number}))\n(check-sat)\n");
        fs::write(folder.join(format!("many/{number}.smt2")), text)?;
    }
    fs::write(folder.join("pigeons.smt2"), pigeons(14))?;
    // It takes its time, so that commands are still at work when a late signal comes.
    let solver = format!("fake={fake} \"{rule}\" \"zebra=nap 30\"");
    let shell = |words: &str| format!("#!/bin/sh\nexec {fake} {words}\n");
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        let release = folder.join("cache/solvers/z3").join(version);
        write_program(&release.join("bin/z3"), &shell(&format!("'{rule}' 'zebra=nap 1000'")))?;
        Store::new(folder.join("cache/solvers")).record(Family::Z3, version)?;
    }
    // The package client of Python misbehaves when it is asked for a package.
    write_program(&folder.join("bin/python3"), &format!("#!/bin/sh\necho '(' | {fake} '{rule}'\nexit 1\n"))?;
    let crashing = format!("fake={fake} \"{rule}\" \"zebra=nap 200\" \"zebra=crash 11\"");
    let finding = match subject.args.contains(&"FINDING") {
        true => find(programs, folder, &crashing)?,
        false => String::new(),
    };
    let command = format!("{fake} '{rule}' 'zebra=nap 200' 'zebra=crash 11' < \"$1\"");
    let own = format!("{} solve -", programs.join("smelt").display());
    let word = |word: &&str| match *word {
        "SOLVER" => solver.clone(),
        "CRASHING" => crashing.clone(),
        "FINDING" => finding.clone(),
        "COMMAND" => command.clone(),
        "other=SELF" => format!("other={own}"),
        word => word.to_owned(),
    };
    Ok(subject.args.iter().map(word).collect())
}

pub(super) fn write_program(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a program is in a folder")?)?;
    fs::write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// Makes a campaign with a finding and gives its id.
fn find(programs: &Path, folder: &Path, solver: &str) -> Result<String> {
    let smelt = |args: &[&str]| {
        let mut command = Command::new(programs.join("smelt"));
        command.args(args).current_dir(folder).env("SMELT_CACHE", folder.join("cache"));
        command.env("SMELT_STATE", folder.join("state"));
        command.stdin(Stdio::null()).output()
    };
    let hunt =
        ["hunt", "many/0.smt2", "-s", solver, "--cases", "1", "--technique", "unchanged", "--no-triage"];
    smelt(&hunt)?;
    let listed = smelt(&["findings", "--json"])?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let id = text.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next());
    Ok(id.context("a solver that crashes is a finding")?.to_owned())
}

/// So many pigeons in one hole less: a formula that takes long and is short.
fn pigeons(count: usize) -> String {
    let mut text = String::new();
    let name = |pigeon: usize, hole: usize| format!("p{pigeon}h{hole}");
    for pigeon in 0..count {
        let holes: Vec<String> = (0..count - 1).map(|hole| name(pigeon, hole)).collect();
        for hole in &holes {
            let _ = writeln!(text, "(declare-const {hole} Bool)");
        }
        let _ = writeln!(text, "(assert (or {}))", holes.join(" "));
    }
    for hole in 0..count - 1 {
        for one in 0..count {
            for other in 0..one {
                let _ = writeln!(text, "(assert (not (and {} {})))", name(one, hole), name(other, hole));
            }
        }
    }
    text.push_str("(check-sat)\n");
    text
}

//! `cargo xtask attack`: every command is interrupted at several moments, while its solver misbehaves, and hostile
//! solvers are run until their limits end them.
//!
//! Each attack by signals starts a command in a folder of its own with the fake solver, which floods, sleeps, is deaf to signals,
//! forks or computes, from the start or from the moment on at which a file appears. Then a signal is sent. Measured is
//! how long the command takes to end; checked are how it ends and that no process is left. Hostile solvers are in
//! `hostile.rs`, how they are run in `limits.rs`. What is left is counted by what stands on command lines, in
//! environments, and by descent: this process adopts what has lost its parent. Both programs have to be built before:
//! `cargo build -p smelt -p smelt-runner`.

mod commands;
mod hostile;
mod limits;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use smelt_runner::descendants;

use self::commands::{COMMANDS, Subject, prepare};
use crate::task;

/// Interrupt every command while its solver misbehaves
#[derive(Debug, Parser)]
struct Options {
    /// The folder with the programs `smelt` and `fake-solver` [default: that of this program]
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Only commands whose name contains this [default: all]
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// What is too long, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 2.0)]
    most: f64,
    /// What is too much memory for smelt itself, in MB
    #[arg(long, value_name = "MB", default_value_t = 300)]
    memory: u64,
    /// Only one half of the attacks [default: both]
    #[arg(long)]
    part: Option<Part>,
    /// Where the folders of the attacks are made [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
}

/// The halves of the attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Hostile solvers, until their limits end them
    Limits,
    /// Every command, interrupted by signals
    Signals,
}

/// The variable of the environment that marks all processes of an attack.
const MARK: &str = "SMELT_ATTACK";

/// How a solver misbehaves, by the actions of the fake solver.
const MISDEEDS: [(&str, &str); 6] = [
    ("floods", "flood"),
    ("sleeps", "hang"),
    ("is deaf", "deaf"),
    ("forks", "fork WORD"),
    ("vanishes", "vanish WORD"),
    ("computes", "spin"),
];

/// When the solver begins to misbehave and when the signal is sent, in milliseconds after the start.
#[derive(Debug, Clone, Copy)]
struct Moment {
    misdeed: u64,
    signal: u64,
}

const MOMENTS: [Moment; 4] = [
    Moment { misdeed: 0, signal: 30 },
    Moment { misdeed: 0, signal: 700 },
    Moment { misdeed: 1500, signal: 2200 },
    Moment { misdeed: 3500, signal: 4500 },
];

const SIGNALS: [&str; 4] = ["INT", "TERM", "KILL", "HUP"];

/// A command that does not end by then never does.
const PATIENCE: Duration = Duration::from_secs(60);

/// Processes that were killed take a moment to go.
const GOING: Duration = Duration::from_secs(2);

pub fn main(args: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    task::main(args, run)
}

/// What came of the attacks on one command.
#[derive(Debug, Default)]
struct AttackSummary {
    attacks: usize,
    /// Attacks before which the command had ended by itself.
    early: usize,
    slowest: Duration,
    slowest_when: String,
    ends: BTreeMap<String, usize>,
    problems: Vec<String>,
}

fn run(options: &Options) -> Result<usize> {
    let programs = match &options.programs {
        Some(folder) => folder.clone(),
        None => std::env::current_exe()?.parent().context("a program is in a folder")?.to_owned(),
    };
    for name in ["smelt", "fake-solver"] {
        if !programs.join(name).is_file() {
            bail!("there is no `{}`; build it first", programs.join(name).display());
        }
    }
    let scratch = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
    descendants::adopt();
    let mut problems = Vec::new();
    if options.part != Some(Part::Signals) {
        problems.extend(limits::attack(options, &programs, &scratch)?);
    }
    if options.part != Some(Part::Limits) {
        problems.extend(interrupt_all(options, &programs, &scratch)?);
    }
    for problem in &problems {
        println!("{problem}");
    }
    println!("{} problems", problems.len());
    Ok(problems.len())
}

/// Interrupts every command; says what is wrong.
fn interrupt_all(options: &Options, programs: &Path, scratch: &Path) -> Result<Vec<String>> {
    println!("{:<22} {:>7} {:>6} {:>8}  {:<34} ended by", "command", "attacks", "early", "most ms", "when");
    let mut problems = Vec::new();
    let mut slowest = Duration::ZERO;
    for subject in COMMANDS {
        if options.only.as_ref().is_some_and(|word| !subject.name.contains(word.as_str())) {
            continue;
        }
        let outcome = attack_all(subject, programs, scratch)?;
        let ends: Vec<String> = outcome.ends.iter().map(|(end, count)| format!("{end} ({count})")).collect();
        println!(
            "{:<22} {:>7} {:>6} {:>8}  {:<34} {}",
            subject.name,
            outcome.attacks,
            outcome.early,
            outcome.slowest.as_millis(),
            outcome.slowest_when,
            ends.join(", ")
        );
        slowest = slowest.max(outcome.slowest);
        if outcome.slowest.as_secs_f64() > options.most {
            problems.push(format!("{} took {:.1} s to end", subject.name, outcome.slowest.as_secs_f64()));
        }
        problems.extend(outcome.problems);
    }
    println!("\nthe slowest took {} ms", slowest.as_millis());
    Ok(problems)
}

fn attack_all(subject: &Subject, programs: &Path, scratch: &Path) -> Result<AttackSummary> {
    let mut outcome = AttackSummary::default();
    let misdeeds = if subject.has_solver { &MISDEEDS[..] } else { &MISDEEDS[..1] };
    let mut number = 0;
    for (misdeed, action) in misdeeds {
        for moment in MOMENTS {
            // Every misdeed meets every moment, with either signal in turn.
            let signals: &[&str] = match subject.has_solver {
                true => &SIGNALS[number % SIGNALS.len()..][..1],
                false => &SIGNALS,
            };
            for signal in signals {
                number += 1;
                let when = format!("{misdeed}, {signal} after {} ms", moment.signal);
                let folder = scratch.join(format!("smelt-attack-{}-{number}", std::process::id()));
                let attack = Attack { subject, programs, folder: &folder, action };
                let result = attack.run(moment, signal, &when, &mut outcome);
                let _ = fs::remove_dir_all(&folder);
                result.with_context(|| format!("{}: {when}", subject.name))?;
            }
        }
    }
    Ok(outcome)
}

struct Attack<'a> {
    subject: &'a Subject,
    programs: &'a Path,
    /// Stands on the command lines of all processes that belong to the attack.
    folder: &'a Path,
    action: &'a str,
}

impl Attack<'_> {
    fn run(&self, moment: Moment, signal: &str, when: &str, outcome: &mut AttackSummary) -> Result<()> {
        let mark = self.folder.display().to_string();
        let action = self.action.replace("WORD", &mark);
        let trigger = self.folder.join("now");
        let args = prepare(self.subject, self.programs, self.folder, &action)?;
        if moment.misdeed == 0 {
            fs::write(&trigger, "")?;
        }
        let started = Instant::now();
        let mut child = self.start(&args)?;
        if moment.misdeed > 0 {
            sleep(Duration::from_millis(moment.misdeed));
            fs::write(&trigger, "")?;
        }
        sleep(Duration::from_millis(moment.signal).saturating_sub(started.elapsed()));
        outcome.attacks += 1;
        let has_ended = child.try_wait()?.is_some();
        let sent = Instant::now();
        if has_ended {
            outcome.early += 1;
        } else {
            Command::new("kill").args(["-s", signal, &child.id().to_string()]).status()?;
        }
        let Some(status) = wait(&mut child, PATIENCE)? else {
            outcome.problems.push(format!("{} does not end: {when}", self.subject.name));
            child.kill()?;
            child.wait()?;
            return Ok(());
        };
        let took = sent.elapsed();
        if !has_ended {
            *outcome.ends.entry(end_of(status)).or_default() += 1;
            if took > outcome.slowest {
                (outcome.slowest, outcome.slowest_when) = (took, when.to_owned());
            }
            let is_expected = status.signal().is_some_and(|number| number == number_of(signal))
                || matches!(status.code(), Some(0 | 1 | 4 | 129 | 130 | 143));
            if !is_expected {
                outcome.problems.push(format!("{} ended by {}: {when}", self.subject.name, end_of(status)));
            }
        }
        let left = left_running(&mark);
        if !left.is_empty() {
            outcome.problems.push(format!("{} left {} running: {when}", self.subject.name, left.join(" | ")));
        }
        Ok(())
    }

    fn start(&self, args: &[String]) -> Result<Child> {
        let folder = self.folder;
        // The fake python is found first.
        let path = format!("{}:/usr/bin:/bin", folder.join("bin").display());
        let child = Command::new(self.programs.join("smelt"))
            .args(args)
            .current_dir(folder)
            .env("SMELT_CACHE", folder.join("cache"))
            .env("SMELT_STATE", folder.join("state"))
            .env("SMELT_TRUST", "1")
            .env("PATH", path)
            .env(MARK, folder)
            .stdin(if self.subject.name == "solve -" { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(child)
    }
}

/// How a process ended if it did so in time. Its standard input is left open.
fn wait(child: &mut Child, patience: Duration) -> Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > patience {
            return Ok(None);
        }
        sleep(Duration::from_millis(2));
    }
}

fn end_of(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    }
}

fn number_of(signal: &str) -> i32 {
    match signal {
        "HUP" => 1,
        "INT" => 2,
        "KILL" => 9,
        _ => 15,
    }
}

/// The command lines of processes that belong to an attack and do not go away: those with the mark on their command line
/// or in their environment, and all that descend from this process.
fn left_running(mark: &str) -> Vec<String> {
    let variable = format!("{MARK}={mark}");
    let read = |pid: u32, file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', " ")
    };
    let started = Instant::now();
    loop {
        let descendants = descendants::all();
        let is_left = |pid: &u32| {
            descendants.contains(pid)
                || read(*pid, "cmdline").contains(mark)
                || read(*pid, "environ").contains(&variable)
        };
        let own = std::process::id();
        let left: Vec<u32> =
            descendants::processes().into_iter().filter(|pid| *pid != own && is_left(pid)).collect();
        if left.is_empty() || started.elapsed() > GOING {
            // What one attack leaves must not count for the next.
            let lines = left.iter().map(|pid| format!("{pid} {}", read(*pid, "cmdline"))).collect();
            descendants::end_for_good();
            return lines;
        }
        sleep(Duration::from_millis(20));
    }
}

//! Hostile solvers under `run`, `hunt`, `bench` and `reduce`: each is ended at its limit, with its reason, and leaves
//! nothing running.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::commands::write_program;
use super::hostile::{HOSTILE, Hostile};
use super::{Options, end_of, left_running, wait};

/// A way to run a solver: its name, its arguments, and the seconds after which it must have ended by itself, if it does.
struct Way {
    name: &'static str,
    args: &'static [&'static str],
    /// On the clock. Runs have half a second of processor time and may sleep for six seconds.
    limit: f64,
}

/// `reduce` has as many runs as it wants, so it is interrupted.
const WAYS: [Way; 5] = [
    Way { name: "run", args: &["run", "a.smt2", "-s", "SOLVER", "-t", "0.5", "--memory", "300"], limit: 7.0 },
    Way {
        name: "run --warm",
        args: &["run", "a.smt2", "-s", "SOLVER", "-t", "0.5", "--memory", "300", "--warm"],
        limit: 7.0,
    },
    Way {
        name: "bench",
        args: &["bench", "a.smt2", "-s", "SOLVER", "-t", "0.5", "--memory", "300"],
        limit: 8.0,
    },
    Way {
        name: "hunt",
        args: &[
            "hunt",
            "a.smt2",
            "-s",
            "SOLVER",
            "--time",
            "10s",
            "--timeout",
            "0.5",
            "--memory",
            "300",
            "--no-triage",
        ],
        // Ten seconds for probing, and ten for the hunt.
        limit: 20.0,
    },
    Way {
        name: "reduce",
        args: &["reduce", "a.smt2", "-o", "b.smt2", "--timeout", "6", "--", "./solver.sh"],
        limit: 7.0,
    },
];

const SCRIPT: &str = "(declare-const zebra Int)\n(assert (> zebra 3))\n(check-sat)\n";

/// What came of one attack.
struct Seen {
    /// Time from the limit or the signal to the end; none if it ended before.
    late: Option<Duration>,
    max_rss_kb: u64,
    end: String,
    told: String,
    left: Vec<String>,
}

/// Tries every hostile solver in every way; says what is wrong.
pub(super) fn attack(options: &Options, programs: &Path, scratch: &Path) -> Result<Vec<String>> {
    println!(
        "{:<38} {:<11} {:>7} {:>6} {:>5}  ended by, reason",
        "solver", "command", "late ms", "MB", "left"
    );
    let mut problems = Vec::new();
    let (mut latest, mut largest, mut attacks) = (Duration::ZERO, 0, 0);
    for (number, hostile) in HOSTILE.iter().enumerate() {
        for way in &WAYS {
            if options.only.as_ref().is_some_and(|word| !way.name.contains(word.as_str())) {
                continue;
            }
            let name = format!("smelt-attack-{}-h{number}-{}", std::process::id(), way.name.replace(' ', ""));
            let folder = scratch.join(name);
            let seen = try_out(hostile, way, programs, &folder);
            let _ = fs::remove_dir_all(&folder);
            let seen = seen?;
            attacks += 1;
            let late = seen.late.unwrap_or_default();
            println!(
                "{:<38} {:<11} {:>7} {:>6} {:>5}  {}, {}",
                hostile.name,
                way.name,
                seen.late.map_or_else(|| "-".to_owned(), |late| late.as_millis().to_string()),
                seen.max_rss_kb >> 10,
                seen.left.len(),
                seen.end,
                seen.told
            );
            (latest, largest) = (latest.max(late), largest.max(seen.max_rss_kb));
            let at = format!("{}, {}", hostile.name, way.name);
            if late.as_secs_f64() > options.most {
                problems.push(format!("{at}: ended {} ms late", late.as_millis()));
            }
            if seen.max_rss_kb > options.memory << 10 {
                problems.push(format!("{at}: smelt itself took {} MB", seen.max_rss_kb >> 10));
            }
            if !seen.left.is_empty() {
                problems.push(format!("{at}: left {} running", seen.left.join(" | ")));
            }
            let is_run = way.name.starts_with("run");
            if seen.told.is_empty() || is_run && !hostile.answers.iter().any(|word| seen.told.contains(word))
            {
                problems.push(format!("{at}: says `{}`", seen.told));
            }
        }
    }
    println!(
        "\n{} hostile solvers, {attacks} attacks: ended at most {} ms late, smelt itself took at most {} MB",
        HOSTILE.len(),
        latest.as_millis(),
        largest >> 10
    );
    Ok(problems)
}

fn try_out(hostile: &Hostile, way: &Way, programs: &Path, folder: &Path) -> Result<Seen> {
    let mark = folder.display().to_string();
    let fake = programs.join("fake-solver").display().to_string();
    fs::create_dir_all(folder)?;
    fs::write(folder.join("a.smt2"), SCRIPT)?;
    let script = hostile.script.replace("FAKE", &fake).replace("WORD", &mark);
    write_program(&folder.join("solver.sh"), &format!("#!/bin/bash\n{script}\n"))?;
    let solver = format!("mine={mark}/solver.sh -x");
    let args = way.args.iter().map(|word| if *word == "SOLVER" { solver.as_str() } else { word });
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let started = Instant::now();
    let mut child = Command::new(programs.join("smelt"))
        .args(args)
        .current_dir(folder)
        .env("SMELT_CACHE", folder.join("cache"))
        .env(super::MARK, &mark)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out)?)
        .stderr(fs::File::create(&err)?)
        .spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let limit = Duration::from_secs_f64(way.limit);
    let mut max_rss_kb = 0;
    let mut status = None;
    // The last moment counts: memory may be taken while all is ended.
    let mut look = |patience: Duration, status: &mut Option<_>| -> Result<()> {
        let begun = Instant::now();
        while status.is_none() && begun.elapsed() < patience {
            max_rss_kb = max_rss_kb.max(max_memory(&status_file));
            *status = wait(&mut child, Duration::from_millis(10))?;
        }
        Ok(())
    };
    look(limit, &mut status)?;
    let mut late = None;
    if status.is_none() {
        // Commands that repeat what they do never end by themselves.
        if way.name == "reduce" {
            Command::new("kill").args(["-s", "INT", &status_file[6..status_file.len() - 7]]).status()?;
        }
        look(super::PATIENCE, &mut status)?;
        late = Some(started.elapsed().saturating_sub(limit));
    }
    let end = match status {
        Some(status) => end_of(status),
        None => {
            child.kill()?;
            child.wait()?;
            "nothing".to_owned()
        }
    };
    let told = told(&fs::read(&out)?, &fs::read(&err)?);
    Ok(Seen { late, max_rss_kb, end, told, left: left_running(&mark) })
}

/// The line that gives the reason: the one that names the solver, else the last.
fn told(out: &[u8], err: &[u8]) -> String {
    let text = [out, b"\n", err].concat();
    let text = String::from_utf8_lossy(&text[..text.len().min(1 << 20)]).into_owned();
    let is_telling =
        |line: &&str| !line.is_empty() && !line.starts_with("probing") && !line.starts_with("suite");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(is_telling).collect();
    let reason = lines
        .iter()
        .find(|line| line.contains("mine:") && !line.contains("(version"))
        .or_else(|| lines.iter().find(|line| line.contains("mine")).or(lines.last()));
    let reason = reason.copied().unwrap_or_default();
    let shown = reason.chars().filter(|character| !character.is_control()).take(90);
    shown.collect()
}

fn max_memory(status_file: &str) -> u64 {
    let text = fs::read_to_string(status_file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

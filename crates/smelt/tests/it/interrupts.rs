//! Ctrl-C and SIGTERM end every command, whatever its solver does, and nothing is left running.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::support::{LENGTH_SEED, command};

/// A folder with a formula and a solver that is a shell script. Its path stands on the command lines of the processes
/// that belong to it.
struct Workplace(tempfile::TempDir);

impl Workplace {
    fn new(solver: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_program(&folder.path().join("solver.sh"), solver);
        fs::write(folder.path().join("a.smt2"), LENGTH_SEED).unwrap();
        Workplace(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// The script as a solver; an option keeps it from being asked for its family.
    fn solver(&self) -> String {
        format!("mine={}/solver.sh -x", self.path().display())
    }

    /// Starts a command, waits until the solver runs, sends a signal and says how the command ended.
    fn interrupt(&self, args: &[&str], signal: &str) -> (ExitStatus, String) {
        let _ = fs::remove_file(self.path().join("started"));
        let mut child = command(self.path(), args)
            .env("PATH", format!("{}:/usr/bin:/bin", self.path().join("bin").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until("the solver has started", || self.path().join("started").exists());
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let status = wait(&mut child);
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        self.assert_nothing_runs();
        (status, told)
    }

    fn assert_nothing_runs(&self) {
        let folder = self.path().to_str().unwrap().to_owned();
        wait_until("every process is gone", || {
            !fs::read_dir("/proc").unwrap().flatten().any(|process| {
                fs::read(process.path().join("cmdline"))
                    .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&folder))
            })
        });
    }
}

/// A program that is run in its own folder.
fn write_program(path: &Path, script: &str) {
    crate::support::write_program(path, &format!("#!/bin/sh\ncd \"$(dirname \"$0\")\"\n{script}\n"));
}

/// That it ends is what is tested, not how fast.
fn wait(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(started.elapsed() < Duration::from_secs(120), "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(120), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const SLEEPS: &str = "touch started; sleep 1000";
const IS_DEAF: &str = "trap '' TERM INT HUP; touch started; sleep 1000; sleep 1000";
const FORKS: &str = "touch started; sleep 1000 & sleep 1000 & wait";
/// Below the limit on output, so that it is ended by the signal and by nothing else.
const TALKS: &str = "touch started; while :; do echo y; sleep 0.01; done";

#[test]
fn every_command_ends_when_it_is_interrupted_and_leaves_nothing_running() {
    let attacks = [(SLEEPS, "INT", 130), (IS_DEAF, "TERM", 143), (FORKS, "HUP", 129), (TALKS, "TERM", 143)];
    for (solver, signal, code) in attacks {
        let place = Workplace::new(solver);
        let mine = place.solver();
        let commands: [&[&str]; 6] = [
            &["run", "a.smt2", "-s", &mine, "-t", "300"],
            &["run", "a.smt2", "-s", &mine, "-t", "300", "--warm"],
            &["bench", "a.smt2", "-s", &mine, "-t", "300"],
            &["hunt", "a.smt2", "-s", &mine, "--time", "300s"],
            &["monitor", "-s", &mine, "-r", &mine],
            &["scale", "a.smt2", "-s", &mine],
        ];
        for args in commands {
            let (status, told) = place.interrupt(args, signal);
            assert_eq!(status.code(), Some(code), "{args:?}, {solver}: {told}");
            assert!(told.contains("stopped"), "{args:?}, {solver}: {told}");
            assert!(!told.contains("error"), "{args:?}, {solver}: {told}");
        }
    }
}

/// Leaves a child behind that has no parent, group, session, environment or pipe of it.
const VANISHES: &str =
    "(setsid env -i /bin/sh -c 'while :; do sleep 1; done' \"$PWD\" < /dev/null > /dev/null 2>&1 &)
    touch started; sleep 1000";

#[test]
fn no_signal_leaves_anything_running_not_even_what_left_its_group_and_environment() {
    let place = Workplace::new(VANISHES);
    let mine = place.solver();
    let command = format!("{}/solver.sh", place.path().display());
    let commands: [&[&str]; 5] = [
        &["run", "a.smt2", "-s", &mine, "-t", "300"],
        &["bench", "a.smt2", "-s", &mine, "-t", "300"],
        &["hunt", "a.smt2", "-s", &mine, "--time", "300s"],
        &["reduce", "a.smt2", "-o", "b.smt2", "--", &command],
        &["triage", "a.smt2", "-s", &mine, "--timeout", "300"],
    ];
    for args in commands {
        for (signal, number) in [("KILL", 9), ("HUP", 1)] {
            let (status, told) = place.interrupt(args, signal);
            let is_expected = status.signal() == Some(number) || status.code() == Some(128 + number);
            assert!(is_expected, "{args:?}, {signal}: {status:?} {told}");
        }
    }
}

#[test]
fn what_a_solver_leaves_behind_is_ended_and_reported() {
    let place = Workplace::new(&VANISHES.replace("sleep 1000", "echo sat"));
    for args in [&["run", "a.smt2"][..], &["bench", "a.smt2"], &["run", "a.smt2", "--json"]] {
        let args: Vec<&str> = args.iter().copied().chain(["-s", "mine=SOLVER"]).collect();
        let mine = place.solver();
        let args: Vec<&str> =
            args.into_iter().map(|arg| if arg == "mine=SOLVER" { mine.as_str() } else { arg }).collect();
        let output = command(place.path(), &args).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("running; smelt ended what was left"), "{args:?}: {told}");
        if args.contains(&"--json") {
            let results = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(results.contains("\"leaked\":") && !results.contains("\"leaked\":0"), "{results}");
        }
        place.assert_nothing_runs();
    }
}

#[test]
fn ctrl_z_stops_the_solvers_and_continuing_resumes_them() {
    let place = Workplace::new("while :; do echo x >> started; sleep 0.01; done");
    let started = place.path().join("started");
    let ticks = || fs::metadata(&started).map_or(0, |file| file.len());
    let mut child = command(place.path(), &["run", "a.smt2", "-s", &place.solver(), "-t", "300"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    let send =
        |signal: &str| assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
    wait_until("the solver has started", || started.exists());
    send("TSTP");
    let state = |pid: &str| fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    wait_until("smelt is stopped", || state(&id).contains(") T "));
    let before = ticks();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(ticks(), before, "the solver runs while smelt is stopped");
    send("CONT");
    wait_until("the solver runs again", || ticks() > before);
    send("INT");
    assert_eq!(wait(&mut child).code(), Some(130));
    place.assert_nothing_runs();
}

#[test]
fn a_solver_over_its_memory_is_cut_and_without_a_limit_it_is_not() {
    let place = Workplace::new("x=$(head -c 200000000 /dev/zero | tr '\\0' x); sleep 1; echo sat");
    let answer = |memory: &str| {
        let args = ["run", "a.smt2", "-s", &place.solver(), "--memory", memory];
        let output = command(place.path(), &args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let cut = answer("100M");
    assert!(cut.contains("memout") && cut.contains("memory limit"), "{cut}");
    assert!(answer("none").contains(" sat "), "{}", answer("none"));
    let refused = command(place.path(), &["run", "a.smt2", "-s", "z3", "--memory", "0"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_package_client_that_hangs_is_ended_with_its_children() {
    let place = Workplace::new(SLEEPS);
    // It is started in the folder of the workplace and leaves its sign there.
    let folder = place.path().display();
    write_program(
        &place.path().join("bin/python3"),
        &format!("cd {folder}; sleep 1000 & touch started; wait"),
    );
    for args in [
        &["solvers", "install", "z3@latest"][..],
        &["run", "a.smt2", "-s", "z3@latest"],
        &["run", "a.smt2", "-s", "z3@4.8.7"],
        &["hunt", "a.smt2", "-s", "z3@latest"],
        &["evolve", "-s", "z3@4.8..4.9"],
    ] {
        let (status, told) = place.interrupt(args, "INT");
        assert_eq!(status.code(), Some(130), "{args:?}: {told}");
    }
    assert!(!place.path().join("cache/solvers/z3").join("4.8.7").exists());
}

#[test]
fn a_solver_that_closes_its_pipes_is_given_up_after_the_trivial_formula() {
    let place = Workplace::new("echo x >> asked; exec >&- 2>&-; sleep 1000");
    let output =
        command(place.path(), &["hunt", "a.smt2", "-s", &place.solver(), "--time", "60s"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("then waited without computing until it was ended"), "{told}");
    // Once for its version and once for the formula.
    let asked = fs::read_to_string(place.path().join("asked")).unwrap().lines().count();
    assert!(asked <= 2, "{asked}");
    place.assert_nothing_runs();
}

#[test]
fn a_solver_that_floods_is_given_up_at_once() {
    let place = Workplace::new("yes");
    let output =
        command(place.path(), &["hunt", "a.smt2", "-s", &place.solver(), "--time", "1s"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("printed more than a megabyte"), "{told}");
    place.assert_nothing_runs();
}

//! Whatever a solver does, warm or cold: nothing hangs, nothing stays behind.

#![allow(clippy::unwrap_used)]

use std::sync::Mutex;
use std::time::{Duration, Instant};

use actions::{fake, limits, script};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::family::Family;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;
use support::assert_gone;

#[path = "support/actions.rs"]
mod actions;
mod support;

/// Limits for an action: short ones if it never ends.
fn limits_for(action: &str) -> Limits {
    match action {
        "hang" | "deaf" | "close" => Limits { wall: Duration::from_millis(300), ..limits() },
        "spin" => Limits { cpu: Duration::from_secs(1), ..limits() },
        _ => limits(),
    }
}

fn run_cold(action: &str) -> Run {
    read_run("fake", &cold::run(&fake().invocation, &script(&[action]), &limits_for(action)).unwrap())
}

/// What the solver does and what both a process of its own and a session must make of it.
const FAULTS: &[(&str, &[Answer])] = &[
    ("sat", &[Answer::Sat]),
    ("unsat", &[Answer::Unsat]),
    ("unknown", &[Answer::Unknown]),
    ("say (error \\\"line 1: unknown constant f\\\")", &[Answer::Rejected]),
    ("hang", &[Answer::Timeout]),
    ("spin", &[Answer::Timeout]),
    ("deaf", &[Answer::Timeout]),
    ("flood", &[Answer::Flood]),
    ("garbage", &[Answer::Error]),
    ("assertion", &[Answer::Crash]),
    ("eat", &[Answer::Memout, Answer::Crash]),
    ("leak", &[Answer::Sat]),
    ("exit 3", &[Answer::Error]),
    ("mute", &[Answer::Error]),
];

#[test]
fn faults_are_answers_in_a_process_of_its_own() {
    for (action, expected) in FAULTS {
        let run = run_cold(action);
        assert!(expected.contains(&run.answer), "{action}: {:?} {:?}", run.answer, run.crash_signature);
    }
    assert_eq!(run_cold("eat").answer, Answer::Memout);
    assert_eq!(run_cold("close").answer, Answer::Timeout);
    assert_eq!(run_cold("flood-errors").answer, Answer::Flood);
}

#[test]
fn faults_are_answers_in_a_session_and_the_next_formula_is_answered() {
    for (action, expected) in FAULTS {
        let mut session = Session::new(fake(), Isolation::Reset, limits_for(action));
        let run = session.run(&script(&[action])).unwrap();
        assert!(expected.contains(&run.answer), "{action}: {:?} {:?}", run.answer, run.crash_signature);
        // Its limits are those of the fault, so it may take a second try on a busy machine.
        let is_answered = (0..100).any(|_| session.run("(check-sat)").unwrap().answer == Answer::Sat);
        assert!(is_answered, "after {action}");
    }
}

#[test]
fn a_fault_among_formulas_that_are_sent_ahead_is_that_of_its_own_formula() {
    for (action, expected) in FAULTS {
        let solver = Solver { family: Family::Z3, ..fake() };
        let mut session = Session::new(solver, Isolation::Reset, limits_for(action));
        let fault = script(&[action]);
        let scripts: Vec<&str> =
            (0..40).map(|number| if number == 27 { fault.as_str() } else { "(check-sat)" }).collect();
        let mut runs = Vec::new();
        while runs.len() < scripts.len() {
            let more = session.run_some(&scripts[runs.len()..], Duration::from_secs(1)).unwrap();
            assert!(!more.is_empty());
            runs.extend(more);
        }
        for (number, run) in runs.iter().enumerate() {
            // On a busy machine others may run out of the time that a fault is given.
            let is_late = run.answer == Answer::Timeout && limits_for(action).wall < limits().wall;
            match number {
                27 => assert!(expected.contains(&run.answer), "{action}: {:?}", run.answer),
                _ => assert!(run.answer == Answer::Sat || is_late, "{number}, {action}: {:?}", run.answer),
            }
        }
    }
}

/// Every signal that ends a process. The last three are ours to send, but a solver may well die by them.
const DEADLY: [i32; 18] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGUSR1,
    libc::SIGSEGV,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGSYS,
    libc::SIGTERM,
    libc::SIGPIPE,
];

#[test]
fn death_by_each_signal_is_a_crash_with_its_number_warm_and_cold() {
    let mut session = Session::new(fake(), Isolation::Reset, limits());
    for signal in DEADLY {
        let action = format!("crash {signal}");
        for run in [run_cold(&action), session.run(&script(&[action.as_str()])).unwrap()] {
            assert_eq!(run.answer, Answer::Crash, "{action}: {run:?}");
            assert_eq!(run.crash_signature, Some(format!("signal {signal}")));
        }
    }
}

/// Tests that look at the files and children of this process must not see those of each other.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn children_that_are_left_behind_end_warm_and_cold() {
    let _alone = ALONE.lock().unwrap();
    for verb in ["fork", "escape"] {
        let word = format!("left-cold-{verb}-{}", std::process::id());
        assert_eq!(run_cold(&format!("{verb} {word}")).answer, Answer::Sat);
        assert_gone(&word);

        let word = format!("left-warm-{verb}-{}", std::process::id());
        let mut session = Session::new(fake(), Isolation::Reset, limits());
        assert_eq!(session.run(&script(&[&format!("{verb} {word}")])).unwrap().answer, Answer::Sat);
        // The solver itself ends while its child holds the pipe.
        assert_eq!(session.run(&script(&["crash 11"])).unwrap().answer, Answer::Crash);
        drop(session);
        assert_gone(&word);
    }
}

#[test]
fn a_session_that_is_dropped_ends_the_children_of_its_solver() {
    let _alone = ALONE.lock().unwrap();
    for verb in ["fork", "escape"] {
        let word = format!("left-dropped-{verb}-{}", std::process::id());
        let mut session = Session::new(fake(), Isolation::Reset, limits());
        assert_eq!(session.run(&script(&[&format!("{verb} {word}")])).unwrap().answer, Answer::Sat);
        drop(session);
        assert_gone(&word);
    }
}

#[test]
fn no_files_and_no_zombies_stay() {
    let _alone = ALONE.lock().unwrap();
    let files = open_pipes();
    for action in ["sat", "crash 11", "hang", "flood", "mute"] {
        run_cold(action);
        let mut session = Session::new(fake(), Isolation::Reset, limits_for(action));
        session.run(&script(&[action])).unwrap();
        drop(session);
    }
    // Other tests of this file run solvers at the same time; a leak of ours stays.
    let started = Instant::now();
    while open_pipes() > files || zombies() > 0 {
        assert!(started.elapsed() < Duration::from_secs(60), "{} pipes, {} zombies", open_pipes(), zombies());
        std::thread::yield_now();
    }
}

fn open_pipes() -> usize {
    let files = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    files
        .filter(|file| {
            std::fs::read_link(file.path()).is_ok_and(|target| target.to_string_lossy().starts_with("pipe:"))
        })
        .count()
}

/// Children of this process that have ended and were not waited for.
fn zombies() -> usize {
    let own = std::process::id().to_string();
    let is_zombie = |stat: String| {
        let fields: Vec<String> =
            stat.rsplit(')').next().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        fields.first().is_some_and(|state| state == "Z") && fields.get(1) == Some(&own)
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| is_zombie(stat.clone()))
        .count()
}

#[test]
fn a_solver_that_prints_for_ever_is_cut_off_at_the_limit() {
    let raw = cold::run(&fake().invocation, &script(&["flood"]), &limits()).unwrap();
    assert_eq!(raw.end, cold::End::Flooded);
    assert!(raw.stdout.len() + raw.stderr.len() <= limits().output);
    let mut session = Session::new(fake(), Isolation::Reset, limits());
    let run = session.run(&script(&["flood"])).unwrap();
    assert_eq!(run.answer, Answer::Flood);
    assert!(run.output.len() <= limits().output);
}

#[test]
fn a_liar_is_believed_until_it_is_reset() {
    let mut session = Session::new(fake(), Isolation::Reset, limits());
    assert_eq!(session.run(&script(&["unsat"])).unwrap().answer, Answer::Unsat);
    assert_eq!(session.run("(check-sat)").unwrap().answer, Answer::Sat);
    assert!(session.is_running());
}

#[test]
fn rules_on_the_command_line_hold_for_lines_with_their_word() {
    let mut solver = fake();
    solver.invocation.args = vec!["danger=crash 6".into(), "doubt=unknown".into()];
    let answer =
        |script: &str| read_run("fake", &cold::run(&solver.invocation, script, &limits()).unwrap()).answer;
    assert_eq!(answer("(assert p)\n(check-sat)\n"), Answer::Sat);
    assert_eq!(answer("(assert danger)\n(check-sat)\n"), Answer::Crash);
    assert_eq!(answer("(assert doubt)\n(check-sat)\n"), Answer::Unknown);
}

//! Whatever a solver starts is counted, limited and ended with it.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use actions::{fake, script};
use smelt_oracle::run::{Answer, Limit, Run};
use smelt_runner::answer::read_run;
use smelt_runner::cold::{self, Raw};
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::process;
use smelt_runner::session::Session;
use support::{assert_gone, fake_solver};

#[path = "support/actions.rs"]
mod actions;
mod support;

/// Enough memory for several processes.
fn limits() -> Limits {
    Limits { memory: Some(1 << 30), ..actions::limits() }
}

fn raw(actions: &[&str], limits: &Limits) -> Raw {
    cold::run(&fake().invocation, &script(actions), limits).unwrap()
}

fn run(actions: &[&str], limits: &Limits) -> Run {
    read_run("fake", &raw(actions, limits))
}

fn word(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

#[test]
fn a_child_that_has_left_everything_behind_ends_with_its_run_and_is_counted() {
    let word = word("vanished-cold");
    let raw = raw(&[&format!("vanish {word}"), &format!("vanish {word}")], &limits());
    assert_eq!((read_run("fake", &raw).answer, raw.leaked), (Answer::Sat, 2));
    assert_gone(&word);
    assert!(process::leaks().values().sum::<usize>() >= 2);
    assert_eq!(run(&["sat"], &limits()).leaked, 0);
}

#[test]
fn a_child_that_has_left_everything_behind_ends_with_its_session() {
    let word = word("vanished-warm");
    let mut session = Session::new(fake(), Isolation::Reset, limits());
    for _ in 0..3 {
        assert_eq!(session.run(&script(&[&format!("vanish {word}")])).unwrap().answer, Answer::Sat);
    }
    drop(session);
    assert_gone(&word);
}

#[test]
fn runs_at_the_same_time_end_their_own_children_only() {
    std::thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || {
                let word = word(&format!("parallel-{number}"));
                let mut session = Session::new(fake(), Isolation::Reset, limits());
                for _ in 0..20 {
                    let vanish = format!("vanish {word}");
                    assert_eq!(run(&[&vanish, "nap 20"], &limits()).leaked, 1);
                    assert_eq!(session.run(&script(&["sat"])).unwrap().answer, Answer::Sat);
                }
                assert_gone(&word);
            });
        }
    });
}

#[test]
fn processor_time_of_a_child_that_has_left_everything_behind_counts() {
    let word = word("vanished-busy");
    let limits = Limits { cpu: Duration::from_millis(500), ..limits() };
    let actions = [&*format!("vanish-busy {word}"), "hang"];
    let cut = run(&actions, &limits);
    assert_eq!((cut.answer, cut.limit), (Answer::Timeout, Some(Limit::Cpu)), "{cut:?}");
    assert!(cut.cpu_ms >= 500.0, "{cut:?}");
    let mut session = Session::new(fake(), Isolation::Reset, limits);
    let cut = session.run(&script(&actions)).unwrap();
    assert_eq!((cut.answer, cut.limit), (Answer::Timeout, Some(Limit::Cpu)), "{cut:?}");
    assert_gone(&word);
    // One that ends before its child is not known to have used little.
    let ended = run(&[actions[0], "nap 200"], &self::limits());
    assert!(ended.cpu_ms > 20.0, "{ended:?}");
}

#[test]
fn memory_of_all_descendants_together_is_limited() {
    let word = word("vanished-fat");
    let fat = format!("vanish-fat {word}");
    let limits = Limits { memory: Some(400 << 20), ..limits() };
    let cut = run(&[&fat, &fat, "hang"], &limits);
    assert_eq!((cut.answer, cut.limit), (Answer::Memout, Some(Limit::Memory)), "{cut:?}");
    assert!(cut.max_rss_kb.unwrap() > 400 << 10, "{cut:?}");
    assert_gone(&word);
}

#[test]
fn memory_that_processes_share_counts_once() {
    let limits = Limits { memory: Some(400 << 20), wall: Duration::from_millis(700), ..limits() };
    let cut = run(&["share 200"], &limits);
    assert_eq!((cut.answer, cut.limit), (Answer::Timeout, Some(Limit::Wall)), "{cut:?}");
}

#[test]
fn address_space_is_not_limited() {
    let limits = Limits { memory: Some(64 << 20), ..limits() };
    assert_eq!(run(&["reserve"], &limits).answer, Answer::Sat);
    let mut session = Session::new(fake(), Isolation::Reset, limits);
    assert_eq!(session.run(&script(&["reserve"])).unwrap().answer, Answer::Sat);
}

#[test]
fn without_a_limit_any_amount_of_memory_may_be_used() {
    let word = word("unlimited-fat");
    let small = Limits { memory: Some(16 << 20), ..limits() };
    let none = Limits { memory: None, ..limits() };
    let actions = [&*format!("vanish-fat {word}"), "nap 2000"];
    assert_eq!(run(&actions, &small).limit, Some(Limit::Memory));
    assert_eq!(run(&actions, &none).answer, Answer::Sat);
    assert_gone(&word);
}

#[test]
fn limits_are_in_force_before_the_program_runs() {
    let limits = Limits { cpu: Duration::from_secs(10), file: 1 << 20, ..limits() };
    let raw = raw(&["limits"], &limits);
    assert_eq!(String::from_utf8_lossy(&raw.stdout), "cpu 17\ncore 0\nfile 1048576\nsat\n");
}

#[test]
fn a_file_that_grows_without_end_is_a_flood() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("grows");
    let limits = Limits { file: 4 << 20, ..limits() };
    let fill = format!("fill {}", file.display());
    assert_eq!(run(&[&fill], &limits).answer, Answer::Flood);
    assert_eq!(file.metadata().unwrap().len(), 4 << 20);
}

#[test]
fn a_solver_that_forks_without_end_is_cut_and_nothing_stays() {
    let word = word("bomb");
    let limits = Limits { processes: 50, ..limits() };
    let cut = run(&[&format!("bomb {word}")], &limits);
    assert_eq!((cut.answer, cut.limit), (Answer::Memout, Some(Limit::Processes)), "{cut:?}");
    assert_gone(&word);
}

#[test]
fn a_session_that_always_prints_a_little_is_cut_too() {
    let talks = "while read line; do while :; do echo y; sleep 0.02; done; done";
    let solver = fake_solver("/bin/sh", vec!["-c".into(), talks.into()]);
    let limits = Limits { wall: Duration::from_millis(500), ..limits() };
    let cut = Session::new(solver, Isolation::Reset, limits).run("(check-sat)\n").unwrap();
    assert_eq!(cut.limit, Some(Limit::Wall), "{cut:?}");
}

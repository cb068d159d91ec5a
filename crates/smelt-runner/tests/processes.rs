//! Whatever a solver does, a run of it ends in time with an answer, and nothing is left running.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use smelt_oracle::run::{Answer, Limit, Run};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::interruption;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_runner::solver::{Invocation, Solver};
use support::{assert_gone, fake_solver};

mod support;

/// A solver that is a shell script.
fn fake(script: &str) -> Solver {
    fake_solver("/bin/sh", vec!["-c".into(), script.into()])
}

fn limits() -> Limits {
    Limits {
        wall: Duration::from_millis(1500),
        cpu: Duration::from_secs(1),
        memory: Some(1 << 30),
        output: 1 << 20,
        ..Limits::default()
    }
}

fn run(script: &str, input: &str) -> Run {
    let started = Instant::now();
    let raw = cold::run(&fake(script).invocation, input, &limits()).unwrap();
    // Not a measurement: a run that does not end would hang this test.
    assert!(started.elapsed() < Duration::from_secs(60));
    read_run("fake", &raw)
}

#[test]
fn the_script_arrives_and_the_answer_comes_back() {
    let run = run("grep -q check-sat && echo sat && echo '((x 1))'", "(check-sat)\n");
    assert_eq!(run.answer, Answer::Sat);
    assert_eq!(run.output, "((x 1))");
}

#[test]
fn a_large_script_does_not_block() {
    let input = "(assert true)\n".repeat(500_000);
    assert_eq!(run("cat > /dev/null; echo unsat", &input).answer, Answer::Unsat);
}

#[test]
fn a_solver_that_reads_nothing_can_still_answer() {
    let input = "(assert true)\n".repeat(500_000);
    assert_eq!(run("echo unsat", &input).answer, Answer::Unsat);
}

#[test]
fn a_solver_that_hangs_times_out() {
    assert_eq!(run("sleep 1000.1", "").answer, Answer::Timeout);
    assert_gone("1000.1");
}

#[test]
fn a_sleeping_solver_is_cut_by_the_wall_limit_and_says_so() {
    let sleeping = run("sleep 1000.6", "");
    assert_eq!((sleeping.answer, sleeping.limit), (Answer::Timeout, Some(Limit::Wall)));
    assert!(sleeping.is_cut_by_the_clock());
    let mut session =
        Session::new(fake("while read line; do sleep 1000.7; done"), Isolation::Reset, limits());
    assert_eq!(session.run("(check-sat)\n").unwrap().limit, Some(Limit::Wall));
    // One that wakes up now and then sleeps all the same.
    let polling = run("while :; do sleep 0.05; done", "");
    assert_eq!((polling.answer, polling.limit), (Answer::Timeout, Some(Limit::Wall)));
    assert_gone("1000.6");
    assert_gone("1000.7");
}

#[test]
fn a_solver_that_computes_is_cut_by_processor_time_only() {
    // Far less time on the clock than it needs of the processor, were the clock to count while it computes.
    let limits = Limits { wall: Duration::from_millis(50), cpu: Duration::from_millis(300), ..limits() };
    let scripts = ["while :; do :; done", "(while :; do :; done); :", "(while :; do :; done) & wait"];
    for script in scripts {
        let raw = cold::run(&fake(script).invocation, "", &limits).unwrap();
        let run = read_run("fake", &raw);
        assert_eq!((run.answer, run.limit), (Answer::Timeout, Some(Limit::Cpu)), "{script}");
        assert!(run.cpu_ms >= 300.0, "{script}: {run:?}");
    }
    let solver = fake("while read line; do while :; do :; done; done");
    let run = Session::new(solver, Isolation::Reset, limits).run("(check-sat)\n").unwrap();
    assert_eq!((run.answer, run.limit), (Answer::Timeout, Some(Limit::Cpu)));
    assert!(run.cpu_ms >= 300.0, "{run:?}");
}

#[test]
fn a_result_that_is_not_wanted_any_more_is_an_error() {
    let limits = Limits { until: Some(Instant::now()), ..limits() };
    let error = cold::run(&fake("sleep 1000.8").invocation, "", &limits).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    let mut session = Session::new(fake("sleep 1000.8"), Isolation::Reset, limits);
    assert_eq!(session.run("(check-sat)\n").unwrap_err().kind(), std::io::ErrorKind::TimedOut);
    let stop = AtomicBool::new(true);
    let error = cold::run_until(&fake("sleep 1000.8").invocation, "", &self::limits(), &stop).unwrap_err();
    assert!(interruption::is_interruption(&error));
    assert_gone("1000.8");
}

#[test]
fn a_solver_that_ignores_termination_times_out() {
    assert_eq!(run("trap '' TERM INT HUP; sleep 1000.2; sleep 1000.2", "").answer, Answer::Timeout);
    assert_gone("1000.2");
}

#[test]
fn children_that_hang_end_with_their_solver() {
    let run = run("sleep 1000.3 & echo sat", "");
    assert_eq!(run.answer, Answer::Sat);
    assert_gone("1000.3");
}

#[test]
fn closing_the_output_early_does_not_end_a_run() {
    assert_eq!(run("exec >&- 2>&-; sleep 1000.4", "").answer, Answer::Timeout);
    assert_gone("1000.4");
}

#[test]
fn a_flood_of_output_is_cut_off() {
    let run = run("yes sat", "");
    assert_eq!(run.answer, Answer::Flood);
    assert!(run.output.len() <= 1 << 20);
}

#[test]
fn processor_time_is_limited() {
    assert_eq!(run("while :; do :; done", "").answer, Answer::Timeout);
}

#[test]
fn processor_time_of_a_child_that_still_runs_counts_in_a_session() {
    let solver = fake("read line; (while :; do :; done) & wait");
    let limits = Limits { wall: Duration::from_secs(600), cpu: Duration::from_millis(300), ..limits() };
    let run = Session::new(solver, Isolation::Reset, limits).run("(check-sat)\n").unwrap();
    assert_eq!(run.answer, Answer::Timeout);
    assert!(run.cpu_ms >= 200.0, "{run:?}");
}

#[test]
fn what_a_solver_does_to_itself_at_the_limit_is_no_crash() {
    assert_eq!(run("trap 'kill -11 $$' XCPU; while :; do :; done", "").answer, Answer::Timeout);
}

#[test]
fn memory_is_limited() {
    // The shell doubles a string until it may not.
    let limits = Limits { cpu: Duration::from_secs(60), memory: Some(1 << 28), ..limits() };
    let script = "x=0123456789abcdef; while :; do x=$x$x; done";
    let run = read_run("fake", &cold::run(&fake(script).invocation, "", &limits).unwrap());
    assert_eq!((run.answer, run.limit), (Answer::Memout, Some(Limit::Memory)), "{run:?}");
}

#[test]
fn every_signal_is_a_crash_with_its_number() {
    for signal in [4, 6, 7, 8, 11, 15] {
        let run = run(&format!("kill -{signal} $$"), "");
        assert_eq!(run.answer, Answer::Crash, "signal {signal}");
        assert_eq!(run.crash_signature, Some(format!("signal {signal}")));
    }
}

#[test]
fn garbage_is_an_error() {
    assert_eq!(run("printf '\\377\\376\\0garbage'", "").answer, Answer::Error);
}

#[test]
fn a_program_that_does_not_exist_is_our_error_and_not_the_solvers() {
    let invocation = Invocation {
        program: PathBuf::from("/no/such/program"),
        args: Vec::new(),
        environment: Vec::new(),
        is_confined: false,
    };
    assert!(cold::run(&invocation, "", &limits()).is_err());
}

/// Answers `sat` to every check and echoes what it is told to; does what a line `do: COMMAND` says.
const TALKER: &str = r#"
while read -r line; do
    case "$line" in
        '(check-sat)') echo sat ;;
        '(echo "'*) line=${line#'(echo "'}; echo "${line%'")'}" ;;
        'do: '*) eval "${line#do: }" ;;
    esac
done"#;

#[test]
fn a_session_answers_one_script_after_the_other() {
    let mut session = Session::new(fake(TALKER), Isolation::Reset, limits());
    for _ in 0..5 {
        assert_eq!(session.run("(check-sat)").unwrap().answer, Answer::Sat);
    }
    let run = session.run("(check-sat)\ndo: echo '((x 1))'").unwrap();
    assert_eq!(run.output, "((x 1))");
}

#[test]
fn an_incremental_session_says_its_head_once_and_pops_what_it_pushed() {
    let recorder = r#"
while read -r line; do
    case "$line" in
        '(check-sat)') echo sat; echo "$heard" ;;
        '(echo "'*) line=${line#'(echo "'}; echo "${line%'")'}" ;;
        *) heard="$heard $line" ;;
    esac
done"#;
    let script = |rest: &str| Isolation::PushPop.script("head\n", rest);
    let mut session = Session::new(fake(recorder), Isolation::PushPop, limits());
    let heard = |session: &mut Session, rest: &str| session.run(&script(rest)).unwrap().output;
    assert_eq!(heard(&mut session, "p\n(check-sat)\n"), "head (push 1) p");
    assert_eq!(heard(&mut session, "q\n(check-sat)\n"), "head (push 1) p  (pop 1) (push 1) q");
    // What one pop does not undo has a process of its own.
    assert_eq!(heard(&mut session, "(push 1)\n(check-sat)\n"), "head (push 1) (push 1)");
    assert_eq!(heard(&mut session, "r\n(check-sat)\n"), "head (push 1) r");
    // So has one with other options, and the next without them.
    let other = Isolation::PushPop.script("option\nhead\n", "s\n(check-sat)\n");
    assert!(session.would_forget(&other));
    assert_eq!(session.run(&other).unwrap().output, "option head (push 1) s");
    assert_eq!(session.run(&other).unwrap().output, "option head (push 1) s  (pop 1) (push 1) s");
    assert_eq!(heard(&mut session, "t\n(check-sat)\n"), "head (push 1) t");
}

#[test]
fn a_session_goes_on_after_a_crash_a_hang_and_a_flood() {
    let mut session = Session::new(fake(TALKER), Isolation::Reset, limits());
    assert_eq!(session.run("do: kill -11 $$").unwrap().answer, Answer::Crash);
    assert_eq!(session.run("(check-sat)").unwrap().answer, Answer::Sat);
    assert_eq!(session.run("do: sleep 1000.5").unwrap().answer, Answer::Timeout);
    assert_gone("1000.5");
    assert_eq!(session.run("(check-sat)").unwrap().answer, Answer::Sat);
    assert_eq!(session.run("do: yes").unwrap().answer, Answer::Flood);
    assert_eq!(session.run("(check-sat)").unwrap().answer, Answer::Sat);
    assert_eq!(session.run("do: exit 3").unwrap().answer, Answer::Error);
    assert_eq!(session.run("(check-sat)").unwrap().answer, Answer::Sat);
}

#[test]
fn a_script_that_exits_is_answered_and_so_is_the_next() {
    let mut session = Session::new(fake(TALKER), Isolation::Reset, limits());
    assert_eq!(session.run("(check-sat)\ndo: exit 0\n").unwrap().answer, Answer::Sat);
    assert_eq!(session.run("(check-sat)\ndo: exit 0\n").unwrap().answer, Answer::Sat);
}

#[test]
fn a_session_may_write_to_standard_error_as_much_as_it_wants() {
    let mut session = Session::new(fake(TALKER), Isolation::Reset, limits());
    let run = session.run("(check-sat)\ndo: head -c 1000000 /dev/zero >&2").unwrap();
    assert_eq!(run.answer, Answer::Sat);
    assert_eq!(session.history().len(), 1);
    assert_eq!(session.run("(check-sat)").unwrap().answer, Answer::Sat);
    assert_eq!(session.history().len(), 2, "it is still the same process");
}

#[test]
fn a_session_that_is_dropped_leaves_nothing_running() {
    let mut session = Session::new(fake("sleep 1000.6 & cat > /dev/null"), Isolation::Reset, limits());
    assert_eq!(session.run("(check-sat)").unwrap().answer, Answer::Timeout);
    drop(session);
    assert_gone("1000.6");
}

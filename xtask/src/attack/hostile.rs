//! Hostile solvers: what each does, and what must be said of it.
//!
//! `FAKE` stands for the fake solver, which acts as soon as it reads a command; `WORD` stands for the mark that all
//! processes of an attack carry.

/// A solver that misbehaves.
#[derive(Debug)]
pub(super) struct Hostile {
    /// What it does, for the table.
    pub name: &'static str,
    /// The shell script that it is.
    pub script: &'static str,
    /// What `smelt run` may call it: one of these words stands in the answer.
    pub answers: &'static [&'static str],
}

const fn hostile(name: &'static str, script: &'static str, answers: &'static [&'static str]) -> Hostile {
    Hostile { name, script, answers }
}

const WALL: &[&str] = &["wall limit"];
const CPU: &[&str] = &["cpu limit"];
const MEMORY: &[&str] = &["memory limit"];
const FLOOD: &[&str] = &["flood"];
const ERROR: &[&str] = &["error", "rejected"];
const CRASH: &[&str] = &["crash"];
const SAT: &[&str] = &["sat"];

/// Every solver that is tried.
pub(super) const HOSTILE: &[Hostile] = &[
    hostile("floods standard output", "exec FAKE '(=flood'", FLOOD),
    hostile("floods standard error", "exec FAKE '(=flood-errors'", FLOOD),
    hostile("prints zeros without a line end", "exec cat /dev/zero", FLOOD),
    hostile("prints bytes that are no text", "exec FAKE '(=garbage'", &["sat", "error", "wall limit"]),
    hostile("trickles for ever", "while :; do echo y; sleep 0.01; done", &["wall limit", "cpu limit"]),
    hostile("prints sat and hangs", "echo sat; exec sleep 1000", SAT),
    hostile("prints a million parentheses", "head -c 1000000 /dev/zero | tr '\\0' '('", ERROR),
    hostile("prints a model of 50 MB", "echo sat; head -c 50000000 /dev/zero | tr '\\0' 'x'", SAT),
    hostile("prints escape sequences", "printf '(error \"\\033]0;x\\007\\033[2J<b>\")\\n'", ERROR),
    hostile("answers ahead of the question", "for i in 1 2 3 4; do echo sat; echo smelt:$i; done", SAT),
    hostile("sleeps", "exec FAKE '(=hang'", WALL),
    hostile("is deaf to signals", "exec FAKE '(=deaf'", WALL),
    hostile("stops itself", "kill -STOP $$; echo sat", WALL),
    hostile("reads nothing and sleeps", "exec sleep 1000", WALL),
    // A session sees the end of its output at once; a process of its own is waited for.
    hostile("closes its pipes and sleeps", "exec FAKE '(=close'", &["wall limit", "error"]),
    hostile("closes its pipes and exits", "exec FAKE '(=mute'", ERROR),
    hostile("exits at once", "exit 3", ERROR),
    hostile("crashes", "exec FAKE '(=crash 11'", CRASH),
    hostile("computes", "exec FAKE '(=spin'", CPU),
    hostile("computes, deaf to the limit", "trap '' XCPU TERM; while :; do :; done", CPU),
    hostile("eats memory", "exec FAKE '(=eat'", MEMORY),
    hostile("eats memory in children", "exec FAKE '(=vanish-fat WORD' '(=vanish-fat WORD' '(=hang'", MEMORY),
    hostile("reserves a terabyte", "exec FAKE '(check=reserve'", SAT),
    // In a sandbox it cannot write, and answers.
    hostile("writes a file for ever", "exec FAKE '(=fill WORD/filled'", &["flood", "sat"]),
    hostile("leaves a child", "exec FAKE '(check=fork WORD'", SAT),
    hostile("leaves a child in another group", "exec FAKE '(check=escape WORD'", SAT),
    hostile("leaves a child without anything", "exec FAKE '(check=vanish WORD'", SAT),
    hostile("leaves a child that computes", "exec FAKE '(=vanish-busy WORD' '(=hang'", CPU),
    hostile("leaves a child that changed its mark", "ulimit -x 1000; exec FAKE '(check=vanish WORD'", SAT),
    hostile(
        "forks in its group for ever",
        "while :; do sleep 1000 & done",
        &["processes limit", "cpu limit", "memory limit"],
    ),
    hostile(
        "leaves children for ever",
        "exec FAKE '(=bomb WORD'",
        &["processes limit", "cpu limit", "memory limit"],
    ),
    hostile("hops from process to process", "exec FAKE '(=hop WORD'", &["cpu limit", "error", "sat"]),
    hostile("kills its parent", "kill -TERM $PPID; exec sleep 1000", &["stopped", ""]),
];

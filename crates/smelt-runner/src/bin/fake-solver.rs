//! A solver for tests that does what it is told: answers, lies, crashes, hangs, floods, forks, leaks.
//!
//! It reads commands from standard input, one to a line, and answers `sat` to every check. What it does besides is told
//! in the script, as `(set-info :do "ACTION")`, or on its command line, as `WORD=ACTION`: then it does that at every
//! line that contains the word. It is a program for tests and is not installed with smelt.
//!
//! | action | what it does |
//! |---|---|
//! | `sat`, `unsat`, `unknown` | the answer from now on, until `(reset)` |
//! | `say TEXT` | prints a line |
//! | `crash SIGNAL` | dies by this signal |
//! | `exit CODE` | exits |
//! | `hang` | sleeps for ever |
//! | `nap MILLIS` | sleeps, and goes on |
//! | `when FILE ACTION` | does the action if the file is there |
//! | `spin` | uses processor time for ever |
//! | `deaf` | ignores signals that ask it to end, and hangs |
//! | `close` | closes its outputs, and hangs |
//! | `mute` | closes its outputs, and exits |
//! | `flood` | prints for ever |
//! | `flood-errors` | prints to standard error for ever |
//! | `garbage` | prints bytes that are no text |
//! | `assertion` | says that an assertion failed, and exits |
//! | `eat` | takes memory until there is none |
//! | `leak` | takes some memory and some files and goes on |
//! | `complain TEXT` | prints a line to standard error |
//! | `write FILE` | writes a file, and says whether it could |
//! | `connect PORT` | connects to this port of this machine, and says whether it could |
//! | `show NAME` | says what a variable of its environment is |
//! | `fork WORD` | leaves a child behind that hangs, with the word on its command line |
//! | `escape WORD` | the same in a group of its own |
//! | `vanish WORD` | the same in a session of its own, without environment, outputs and parent |
//! | `vanish-busy WORD` | the same, and it uses processor time for ever |
//! | `vanish-fat WORD` | the same, and it takes 256 MiB |
//! | `bomb WORD` | leaves such children behind for ever, one after the other |
//! | `hop WORD` | leaves such a child behind that forks and ends, over and over again |
//! | `share MIB` | takes memory and forks four times, so that all five have it |
//! | `fill FILE` | writes to a file for ever |
//! | `reserve` | reserves a terabyte of address space, as programs built with a sanitizer do, and goes on |
//! | `limits` | prints its limits on processor time, core files and files |

// Signals and closed outputs are what this program is about; a test program is the place for them.
#![allow(unsafe_code)]

use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

fn main() {
    let mut rules: Vec<(String, String)> = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some((word, action)) => rules.push((word.to_owned(), action.to_owned())),
            // Children that are left behind are this program too.
            None if argument == "hang" => hang(),
            None if argument == "spin" => spin(),
            None if argument == "hop" => hop(),
            None if argument == "fat" => {
                let memory = std::hint::black_box(vec![1u8; 256 << 20]);
                // It is taken for as long as the process lives.
                std::mem::forget(memory);
                hang()
            }
            None => {}
        }
    }
    let mut solver = FakeSolver { answer: "sat".to_owned(), leaked: Vec::new() };
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        for (word, action) in &rules {
            if line.contains(word.as_str()) {
                solver.act(action);
            }
        }
        solver.obey(line.trim());
    }
}

struct FakeSolver {
    answer: String,
    leaked: Vec<(Vec<u8>, Option<std::fs::File>)>,
}

impl FakeSolver {
    fn obey(&mut self, line: &str) {
        match line {
            "(check-sat)" => say(&self.answer),
            "(get-model)" => say("()"),
            "(reset)" => "sat".clone_into(&mut self.answer),
            "(exit)" => std::process::exit(0),
            _ => {}
        }
        if let Some(text) = line.strip_prefix("(echo \"") {
            say(text.trim_end_matches("\")"));
        }
        if let Some(action) = line.strip_prefix("(set-info :do \"") {
            self.act(action.trim_end_matches("\")"));
        }
    }

    fn act(&mut self, action: &str) {
        let (verb, object) = action.split_once(' ').unwrap_or((action, ""));
        match verb {
            "sat" | "unsat" | "unknown" => verb.clone_into(&mut self.answer),
            "say" => say(object),
            "crash" => crash(object.parse().expect("a signal has a number")),
            "exit" => std::process::exit(object.parse().expect("an exit code is a number")),
            "hang" => hang(),
            "nap" => std::thread::sleep(Duration::from_millis(object.parse().expect("a nap has a length"))),
            "when" => {
                let (file, action) = object.split_once(' ').expect("a file and an action");
                if std::fs::exists(file).unwrap_or(false) {
                    self.act(action);
                }
            }
            "spin" => spin(),
            "deaf" => {
                for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
                    // SAFETY: ignoring a signal installs no handler.
                    unsafe { libc::signal(signal, libc::SIG_IGN) };
                }
                hang();
            }
            "close" => {
                close_outputs();
                hang();
            }
            "mute" => {
                close_outputs();
                std::process::exit(0);
            }
            "flood" => flood(&mut io::stdout()),
            "flood-errors" => flood(&mut io::stderr()),
            "garbage" => {
                let bytes: Vec<u8> = (0..4096u32).map(|number| (number * 197 % 256) as u8).collect();
                let _ = io::stdout().write_all(&bytes);
                let _ = io::stdout().flush();
            }
            "assertion" => {
                say("ASSERTION VIOLATION\nFile: fake_solver.cpp\nLine: 42\nnever_null");
                std::process::exit(114);
            }
            "eat" => {
                let mut eaten: Vec<Vec<u8>> = Vec::new();
                loop {
                    eaten.push(vec![1; 1 << 20]);
                }
            }
            "leak" => self.leaked.push((vec![1; 1 << 20], std::fs::File::open("/dev/null").ok())),
            "complain" => drop(writeln!(io::stderr(), "{object}")),
            "write" => say_whether("wrote", std::fs::write(object, "x").is_ok()),
            "connect" => {
                let port: u16 = object.parse().expect("a port is a number");
                say_whether("connected", std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
            }
            "show" => say(&format!("{object}={}", std::env::var(object).unwrap_or_default())),
            "fork" => leave_child(object, false),
            "escape" => leave_child(object, true),
            "vanish" => vanish("hang", object),
            "vanish-busy" => vanish("spin", object),
            "vanish-fat" => vanish("fat", object),
            "bomb" => loop {
                vanish("hang", object);
            },
            "hop" => vanish("hop", object),
            "share" => share(object.parse().expect("an amount of memory")),
            "fill" => fill(object),
            "reserve" => reserve(),
            "limits" => say_limits(),
            _ => say(&format!("(error \"unknown action {action}\")")),
        }
    }
}

fn say(text: &str) {
    let mut out = io::stdout();
    // Whoever reads no more has heard enough.
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

fn say_whether(word: &str, is_so: bool) {
    say(&format!("{word}: {}", if is_so { "yes" } else { "no" }));
}

fn crash(signal: i32) {
    // SAFETY: the default action of the signal ends the process; should it not, the next line does.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    std::process::exit(99);
}

fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

fn spin() -> ! {
    loop {
        std::hint::spin_loop();
    }
}

/// Is another process every millisecond.
fn hop() -> ! {
    loop {
        // SAFETY: there is one thread only.
        if unsafe { libc::fork() } > 0 {
            std::process::exit(0);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn close_outputs() {
    // SAFETY: nothing is printed any more.
    unsafe {
        libc::close(1);
        libc::close(2);
    }
}

fn flood(out: &mut dyn Write) {
    let line = b"all work and no play makes a dull solver\n".repeat(1000);
    while out.write_all(&line).is_ok() {}
    std::process::exit(1);
}

/// Starts a child that hangs and holds the outputs open.
fn leave_child(word: &str, own_group: bool) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args(["hang", word]);
    if own_group {
        command.process_group(0);
    }
    // Not waited for: that is the point.
    let _ = command.spawn();
}

/// Starts a child that is no child of ours any more once it runs: as daemons do, and nothing that we have is passed on.
fn vanish(what: &str, word: &str) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args([what, word]).env_clear();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: all that is called between `fork` and `exec` is allowed there.
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            // The first child ends here and leaves the second to whoever adopts it.
            if libc::fork() != 0 {
                libc::_exit(0);
            }
            Ok(())
        });
    }
    // The one that ends is waited for, so that nothing of it stays with us.
    if let Ok(mut child) = command.spawn() {
        let _ = child.wait();
    }
}

fn share(mib: usize) -> ! {
    let memory = std::hint::black_box(vec![1u8; mib << 20]);
    for _ in 0..4 {
        // SAFETY: there is one thread only.
        if unsafe { libc::fork() } == 0 {
            std::hint::black_box(&memory);
            hang();
        }
    }
    hang()
}

fn fill(path: &str) {
    let Ok(mut file) = std::fs::File::create(path) else { return };
    let block = vec![1u8; 1 << 20];
    while file.write_all(&block).is_ok() {}
}

fn reserve() {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: nothing is mapped over, and nobody uses what is mapped.
    let mapped = unsafe { libc::mmap(std::ptr::null_mut(), 1 << 40, access, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        let _ = writeln!(io::stderr(), "==1==ERROR: AddressSanitizer failed to allocate 0x10000000000 bytes");
        std::process::exit(1);
    }
}

fn say_limits() {
    for (name, resource) in
        [("cpu", libc::RLIMIT_CPU), ("core", libc::RLIMIT_CORE), ("file", libc::RLIMIT_FSIZE)]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is to a live value.
        unsafe { libc::getrlimit(resource, &mut limit) };
        say(&format!("{name} {}", limit.rlim_max));
    }
}

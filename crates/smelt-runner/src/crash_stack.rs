//! Where a program crashes that prints nothing of it: it is run once more under gdb, if that is there.
//!
//! This is for triage. A hunt has no time for it, and a signature that a program prints says more.

use std::ffi::OsString;
use std::time::Duration;

use smelt_oracle::signature::Signature;

use crate::answer::text_of;
use crate::cold;
use crate::limits::Limits;
use crate::signature::stack::Stack;
use crate::solver::{Invocation, program_on_path};

/// What gdb prints when the program has stopped. Whatever the program printed is before the last one.
const MARK: &str = "smelt-crash";

/// The innermost frames that are looked at: enough for a recursion to repeat itself.
const MAX_FRAMES: usize = 100;

/// A fault this close to the end of the stack is that the stack is full.
const STACK_MARGIN: u64 = 1 << 16;

/// gdb reads the symbols of the program first.
const LOADING: Duration = Duration::from_secs(10);

/// The signal and the functions in which a program crashes on a script; none without gdb, without a crash, and where the
/// program has no symbols.
pub fn crash_stack(invocation: &Invocation, script: &str, limits: &Limits) -> Option<Signature> {
    let limits = Limits { cpu: limits.cpu * 2 + LOADING, wall: limits.wall + LOADING, ..*limits };
    let raw = cold::run(&under_gdb(invocation)?, script, &limits).ok()?;
    read(&text_of(&raw.stdout))
}

/// The program under gdb, which hands it its standard input. Nothing that the user or the program says changes what gdb
/// does, and it downloads nothing.
fn under_gdb(invocation: &Invocation) -> Option<Invocation> {
    let commands = [
        "set startup-with-shell off",
        "set print frame-arguments none",
        "set print address off",
        "set print inferior-events off",
        "handle all nostop noprint pass",
        "handle SIGSEGV SIGABRT SIGBUS SIGFPE SIGILL SIGSYS stop print",
        "run",
        &format!("echo \\n{MARK} \\n"),
        "output $_siginfo.si_signo",
        "echo \\n",
        "output/x (unsigned long)$_siginfo._sifields._sigfault.si_addr",
        "echo \\n",
        "output/x (unsigned long)$sp",
        "echo \\n",
        &format!("backtrace {MAX_FRAMES}"),
    ];
    let mut args: Vec<OsString> = ["-nx", "-nh", "-q", "-batch"].map(OsString::from).into();
    for setting in ["set auto-load off", "set debuginfod enabled off", "set confirm off"] {
        args.extend(["-iex".into(), setting.into()]);
    }
    for command in commands {
        args.extend(["-ex".into(), command.into()]);
    }
    args.push("--args".into());
    args.push(invocation.program.clone().into_os_string());
    args.extend(invocation.args.iter().cloned());
    Some(Invocation { program: program_on_path("gdb")?, args, ..invocation.clone() })
}

/// What gdb says of a crash.
fn read(printed: &str) -> Option<Signature> {
    let (_, told) = printed.rsplit_once(MARK)?;
    let mut lines = told.lines().skip(1);
    let signal: i32 = lines.next()?.trim().parse().ok()?;
    let mut address = || u64::from_str_radix(lines.next()?.trim().strip_prefix("0x")?, 16).ok();
    let is_stack_full = match (address(), address()) {
        (Some(fault), Some(stack)) => signal == libc::SIGSEGV && fault.abs_diff(stack) < STACK_MARGIN,
        _ => false,
    };
    let frames: Vec<String> = lines.filter_map(as_sanitizers_print).collect();
    let stack = Stack::read(&frames.iter().map(String::as_str).collect::<Vec<_>>());
    let places = if is_stack_full { stack.recursion() } else { stack.folded() };
    let kind = if is_stack_full { "stack overflow".to_owned() } else { format!("signal {signal}") };
    (!places.is_empty()).then_some(Signature { kind, places })
}

/// `#1  f(int) [clone .cold] (x=..) at a.c:3` as `#1 f(int).cold a.c:3`, which is how sanitizers print it.
fn as_sanitizers_print(line: &str) -> Option<String> {
    let (number, rest) = line.trim().split_once(' ')?;
    let mut rest = rest.trim();
    // Where there is no name there may be an address all the same.
    rest = if rest.starts_with("0x") { rest.split_once(" in ")?.1 } else { rest };
    if !number.starts_with('#') || rest.chars().any(char::is_control) {
        return None;
    }
    let mut place = String::new();
    if let Some((before, library)) = rest.rsplit_once(" from ") {
        place = format!(" ({}+0x0)", library.rsplit('/').next().unwrap_or(library));
        rest = before;
    } else if let Some((before, location)) = rest.rsplit_once(" at ") {
        place = format!(" {location}");
        rest = before;
    }
    let function = match rest.trim().split_once(" [clone ") {
        Some((function, _)) => function,
        // The arguments are the last list.
        None => rest.rsplit_once(" (").map_or(rest, |(function, _)| function),
    };
    let function = function.trim();
    (function != "??" && !function.starts_with('<')).then(|| format!("{number} {function}{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "Program received signal SIGSEGV, Segmentation fault.\nf() ()\n\nsmelt-crash \n11\n";

    fn signature(addresses: &str, frames: &str) -> Option<String> {
        read(&format!("{HEAD}{addresses}\n{frames}")).map(|signature| signature.to_string())
    }

    #[test]
    fn frames_of_the_program_make_a_signature() {
        let frames = "#0  __memcpy_avx_unaligned () from /lib/x86_64-linux-gnu/libc.so.6\n\
            #1  datatype::plugin::get_def(sort*) const [clone .cold] ()\n\
            #2  smt::context::internalize (this=..., e=...) at ../src/smt/context.cpp:33\n\
            #3  (anonymous namespace)::tactic2solver::check(unsigned int, expr* const*) ()\n\
            #4  main ()\n";
        assert_eq!(
            signature("0x18\n0x7fffffffd000", frames).as_deref(),
            Some(
                "signal 11 | datatype::plugin::get_def | smt::context::internalize | (anonymous)::tactic2solver::check"
            )
        );
    }

    #[test]
    fn an_endless_recursion_is_one_signature_wherever_it_ends() {
        let turn = "#0  even(int) ()\n#1  odd(int) ()\n";
        let other = format!("#0  odd(int) ()\n{}#9  main ()\n", turn.repeat(3));
        let full = "0x7fffff7feff8\n0x7fffff7ff010";
        let expected = Some("stack overflow | even | odd".to_owned());
        assert_eq!(signature(full, &turn.repeat(40)), expected);
        assert_eq!(signature(full, &other), expected);
    }

    #[test]
    fn a_crash_in_a_recursion_that_ends_is_where_it_is() {
        let frames = "#0  look(int) ()\n#1  walk(int) ()\n#2  walk(int) ()\n#3  walk(int) ()\n#4  top() ()\n";
        let expected = Some("signal 11 | look | walk | top".to_owned());
        assert_eq!(signature("0x0\n0x7fffffffd000", frames), expected);
    }

    #[test]
    fn what_the_program_prints_is_not_taken_for_a_stack() {
        let lie = "smelt-crash \n6\n0x0\n0x0\n#0  innocent() ()\n";
        let told = format!("{lie}{HEAD}0x0\n0x7fffffffd000\n#0  guilty() ()\n");
        assert_eq!(read(&told).map(|found| found.to_string()).as_deref(), Some("signal 11 | guilty"));
        assert_eq!(read("sat\n[Inferior 1 (process 7) exited normally]\nsmelt-crash \n\n"), None);
        assert_eq!(signature("0x0\n0x7fffffffd000", "#0  ?? ()\n#1  0x12 in ?? ()\n"), None);
        assert_eq!(signature("0x0\n0x7fffffffd000", "#0  a\u{1b}[31m() ()\n"), None);
    }
}

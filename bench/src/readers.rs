//! The readers that are compared: ours and its peers, each behind the same function.

use std::fmt::Write;
use std::time::Duration;

use cpu_time::ThreadTime;

/// A reader of SMT-LIB text.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    pub name: &'static str,
    /// What it makes of the text.
    pub result: &'static str,
    /// Reads a text and prints it again; none if it rejects the text.
    pub measure: fn(&str) -> Option<Measured>,
    /// Reads a text and gives back the peak memory while the result is still there.
    pub memory: fn(&str) -> u64,
}

/// What one round of one reader costs.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub parse: Duration,
    pub print: Duration,
    pub printed_bytes: usize,
}

/// Every reader, ours first.
pub const READERS: &[Reader] = &[
    Reader {
        name: "smelt",
        result: "typed, hash-consed",
        measure: |text| {
            let mut terms = smelt_smtlib::term::Terms::new();
            let start = ThreadTime::now();
            let reading = smelt_smtlib::read::read_script(&mut terms, text);
            let parse = start.elapsed();
            if !reading.diagnostics.is_empty() {
                return None;
            }
            let start = ThreadTime::now();
            let printed = smelt_smtlib::print::script_text(&mut terms, &reading.script);
            Some(Measured { parse, print: start.elapsed(), printed_bytes: printed.len() })
        },
        memory: |text| {
            let mut terms = smelt_smtlib::term::Terms::new();
            let _reading = smelt_smtlib::read::read_script(&mut terms, text);
            peak_memory()
        },
    },
    Reader {
        name: "smtlib-lowlevel",
        result: "untyped",
        measure: |text| {
            let storage = smtlib_lowlevel::Storage::new();
            let start = ThreadTime::now();
            let script = smtlib_lowlevel::ast::Script::parse(&storage, text).ok()?;
            let parse = start.elapsed();
            let (print, printed_bytes) = print_all(script.0);
            Some(Measured { parse, print, printed_bytes })
        },
        memory: |text| {
            let storage = smtlib_lowlevel::Storage::new();
            let _script = smtlib_lowlevel::ast::Script::parse(&storage, text);
            peak_memory()
        },
    },
    Reader {
        name: "smt2parser",
        result: "untyped",
        measure: |text| {
            let start = ThreadTime::now();
            let commands = smt2parser_commands(text)?;
            let parse = start.elapsed();
            let (print, printed_bytes) = print_all(&commands);
            Some(Measured { parse, print, printed_bytes })
        },
        memory: |text| {
            let _commands = smt2parser_commands(text);
            peak_memory()
        },
    },
    #[cfg(feature = "yaspar")]
    Reader {
        name: "yaspar-ir",
        result: "typed, hash-consed",
        measure: |text| {
            let mut context = yaspar_ir::ast::Context::new();
            let start = ThreadTime::now();
            let commands = yaspar_commands(&mut context, text)?;
            let parse = start.elapsed();
            let (print, printed_bytes) = print_all(&commands);
            Some(Measured { parse, print, printed_bytes })
        },
        memory: |text| {
            let mut context = yaspar_ir::ast::Context::new();
            let _commands = yaspar_commands(&mut context, text);
            peak_memory()
        },
    },
];

fn smt2parser_commands(text: &str) -> Option<Vec<smt2parser::concrete::Command>> {
    smt2parser::CommandStream::new(text.as_bytes(), smt2parser::concrete::SyntaxBuilder, None)
        .collect::<Result<Vec<_>, _>>()
        .ok()
}

#[cfg(feature = "yaspar")]
fn yaspar_commands(
    context: &mut yaspar_ir::ast::Context,
    text: &str,
) -> Option<Vec<yaspar_ir::ast::Command>> {
    use yaspar_ir::ast::Typecheck;
    let untyped = yaspar_ir::untyped::UntypedAst.parse_script_str(text).ok()?;
    untyped.type_check(context).ok()
}

fn print_all(commands: &[impl std::fmt::Display]) -> (Duration, usize) {
    let start = ThreadTime::now();
    let mut printed = String::new();
    for command in commands {
        writeln!(printed, "{command}").expect("strings take any text");
    }
    (start.elapsed(), printed.len())
}

/// The highest resident memory of this process so far, in KiB.
pub fn peak_memory() -> u64 {
    let status =
        std::fs::read_to_string("/proc/self/status").expect("Linux says how much memory a process has");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux reports VmHWM");
    line.trim().trim_end_matches(" kB").parse().expect("VmHWM is a number of KiB")
}

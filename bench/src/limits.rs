//! Inputs of extreme depth and size, read and printed in a thread whose stack is far too small for recursion.

use cpu_time::ThreadTime;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;

use crate::readers::peak_memory;
use crate::sample;

const STACK_BYTES: usize = 256 << 10;

/// Reads and prints a term nested 1,000,000 deep.
pub fn deep() {
    let depth = 1_000_000;
    let text = format!(
        "(declare-const a Bool)\n(assert {}a{})\n(check-sat)\n",
        "(not ".repeat(depth),
        ")".repeat(depth)
    );
    read_and_print(&format!("depth {depth}"), text);
}

/// Reads and prints 100 MB.
pub fn large() {
    read_and_print("generated text", sample::text(100 << 20));
}

fn read_and_print(what: &str, text: String) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let mut terms = Terms::new();
        let start = ThreadTime::now();
        let reading = read_script(&mut terms, &text);
        let parse = start.elapsed();
        assert!(reading.diagnostics.is_empty(), "the text is well-formed");
        let start = ThreadTime::now();
        let printed = script_text(&mut terms, &reading.script);
        let print = start.elapsed();
        let mut again = Terms::new();
        let second = read_script(&mut again, &printed);
        assert!(second.diagnostics.is_empty(), "what was printed is well-formed");
        assert_eq!(second.script.commands.len(), reading.script.commands.len());
        (text.len(), parse, printed.len(), print)
    });
    let (bytes, parse, printed, print) =
        thread.expect("a thread can be started").join().expect("reading and printing do not panic");
    println!(
        "{what}: {bytes} bytes read in {parse:.2?}, {printed} printed in {print:.2?}, stack {} KiB, peak memory {} MB",
        STACK_BYTES >> 10,
        peak_memory() >> 10
    );
}

//! Reading and printing, all readers side by side.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::readers::{Measured, READERS, Reader, peak_memory};
use crate::{Options, sample};

/// The sum of the best rounds of one reader.
#[derive(Debug, Clone, Copy, Default)]
struct Total {
    parse: Duration,
    print: Duration,
    printed_bytes: usize,
}

/// Compares on the generated text.
pub fn generated(options: &Options) {
    let text = sample::text(options.megabytes << 20);
    let commands = text.lines().count();
    println!(
        "generated text: {:.1} MB, {commands} commands, {} rounds",
        megabytes(text.len()),
        options.rounds
    );
    let readers = chosen(options);
    let mut best: Vec<Option<Measured>> = vec![None; readers.len()];
    for _ in 0..options.rounds {
        for (reader, best) in readers.iter().zip(&mut best) {
            *best = better(*best, measure_in_child(reader, options));
        }
    }
    let totals: Vec<Option<Total>> = best.into_iter().map(|best| best.map(Total::of)).collect();
    print_table(&readers, &totals, text.len(), |reader| child_memory(reader, options));
}

/// How often a child process measures; its first time pays for fresh memory.
const ROUNDS_IN_CHILD: usize = 3;

/// Measures one reader in a process of its own: what others leave in the allocator must not matter.
fn measure_in_child(reader: &Reader, options: &Options) -> Option<Measured> {
    let text = child(reader, options, "--measure")?;
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let &[parse, print, printed_bytes] = numbers.as_slice() else { return None };
    Some(Measured {
        parse: Duration::from_nanos(parse),
        print: Duration::from_nanos(print),
        printed_bytes: printed_bytes as usize,
    })
}

/// What a child process of [`measure_in_child`] does and prints.
pub fn print_measurement(options: &Options) {
    let text = sample::text(options.megabytes << 20);
    for reader in chosen(options) {
        let best = (0..ROUNDS_IN_CHILD).fold(None, |best, _| better(best, measure(&reader, &text)));
        if let Some(Measured { parse, print, printed_bytes }) = best {
            println!("{} {} {printed_bytes}", parse.as_nanos(), print.as_nanos());
        }
    }
}

/// What this program prints when it is started with `mode` for one reader.
fn child(reader: &Reader, options: &Options, mode: &str) -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program)
        .args(["frontend", mode, "--only", reader.name, "--megabytes", &options.megabytes.to_string()])
        .output()
        .ok()?;
    String::from_utf8(output.stdout).ok()
}

/// Compares on the files that all readers accept.
pub fn real(options: &Options, folder: &str) {
    // Peers panic on some files and overflow small stacks on others; neither may end the run.
    std::panic::set_hook(Box::new(|_| {}));
    let mut files = Vec::new();
    find_files(Path::new(folder), &mut files);
    files.sort();
    let texts: Vec<String> = files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    let readers = chosen(options);
    let run = || {
        let mut accepted = vec![0usize; readers.len()];
        let mut totals = vec![Total::default(); readers.len()];
        let (mut common_files, mut common_bytes) = (0, 0);
        for text in &texts {
            let mut best: Vec<Option<Measured>> = vec![None; readers.len()];
            for round in 0..options.rounds {
                for (reader, best) in readers.iter().zip(&mut best) {
                    if round == 0 || best.is_some() {
                        *best = better(*best, measure(reader, text));
                    }
                }
                if best.iter().any(Option::is_none) {
                    break;
                }
            }
            for (accepted, best) in accepted.iter_mut().zip(&best) {
                *accepted += usize::from(best.is_some());
            }
            if let Some(best) = best.into_iter().collect::<Option<Vec<Measured>>>() {
                common_files += 1;
                common_bytes += text.len();
                for (total, best) in totals.iter_mut().zip(best) {
                    total.add(best);
                }
            }
        }
        for (reader, accepted) in readers.iter().zip(accepted) {
            println!("{:<16} accepts {accepted} of {} files", reader.name, texts.len());
        }
        println!(
            "all accept {common_files} files, {:.1} MB; best of {} rounds on these:",
            megabytes(common_bytes),
            options.rounds
        );
        let totals: Vec<Option<Total>> = totals.into_iter().map(Some).collect();
        print_table(&readers, &totals, common_bytes, |_| None);
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 30).spawn_scoped(scope, run);
        thread.expect("a thread can be started").join().expect("the comparison does not panic");
    });
}

/// Reads the generated text with the one reader chosen and prints the peak memory in KiB, before and after.
pub fn print_peak_memory(options: &Options) {
    let text = sample::text(options.megabytes << 20);
    let before = peak_memory();
    for reader in chosen(options) {
        println!("{before} {}", (reader.memory)(&text));
    }
}

fn chosen(options: &Options) -> Vec<Reader> {
    READERS
        .iter()
        .copied()
        .filter(|reader| options.only.as_deref().is_none_or(|only| only == reader.name))
        .collect()
}

fn measure(reader: &Reader, text: &str) -> Option<Measured> {
    catch_unwind(AssertUnwindSafe(|| (reader.measure)(text))).ok().flatten()
}

fn better(best: Option<Measured>, new: Option<Measured>) -> Option<Measured> {
    match (best, new) {
        (Some(best), Some(new)) => Some(Measured {
            parse: best.parse.min(new.parse),
            print: best.print.min(new.print),
            printed_bytes: new.printed_bytes,
        }),
        (None, new) => new,
        (best, None) => best,
    }
}

impl Total {
    fn of(measured: Measured) -> Self {
        let mut total = Total::default();
        total.add(measured);
        total
    }

    fn add(&mut self, measured: Measured) {
        self.parse += measured.parse;
        self.print += measured.print;
        self.printed_bytes += measured.printed_bytes;
    }
}

/// One line for each reader; ratios say how many times as fast ours is.
fn print_table(
    readers: &[Reader],
    totals: &[Option<Total>],
    read_bytes: usize,
    memory: impl Fn(&Reader) -> Option<u64>,
) {
    println!(
        "{:<16} {:<19} {:>11} {:>7} {:>12} {:>7} {:>12}",
        "reader", "result", "parse MB/s", "ours x", "print MB/s", "ours x", "memory MB"
    );
    let ours = totals.first().copied().flatten();
    for (reader, total) in readers.iter().zip(totals) {
        let Some(total) = total else {
            println!("{:<16} rejects the text", reader.name);
            continue;
        };
        let ratio = |ours: Option<f64>, theirs: f64| {
            ours.map_or(String::new(), |ours| format!("{:.2}", ours / theirs))
        };
        let parse = speed(read_bytes, total.parse);
        let print = speed(total.printed_bytes, total.print);
        println!(
            "{:<16} {:<19} {parse:>11.1} {:>7} {print:>12.1} {:>7} {:>12}",
            reader.name,
            reader.result,
            ratio(ours.map(|ours| speed(read_bytes, ours.parse)), parse),
            ratio(ours.map(|ours| speed(ours.printed_bytes, ours.print)), print),
            memory(reader).map_or(String::new(), |kib| format!("{:.0}", kib as f64 / 1024.0)),
        );
    }
}

fn speed(bytes: usize, time: Duration) -> f64 {
    megabytes(bytes) / time.as_secs_f64()
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The peak memory in KiB that a reader needs on top of the text, in a process of its own.
fn child_memory(reader: &Reader, options: &Options) -> Option<u64> {
    let text = child(reader, options, "--memory")?;
    let (before, after) = text.trim().split_once(' ')?;
    Some(after.parse::<u64>().ok()? - before.parse::<u64>().ok()?)
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "smt2") {
            files.push(path);
        }
    }
}

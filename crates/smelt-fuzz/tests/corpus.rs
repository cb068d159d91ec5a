//! The claims of all targets hold of their seeds and of many changes of them. The changes are the same in every run;
//! `SMELT_TEST_MUTANTS=10` makes ten times as many.

// Clippy allows this in test functions, but not in what they share.
#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use smelt_fuzz::TARGETS;
use smelt_fuzz::mutate::mutant;

/// Checks a target on its seeds and so many mutants of them, on all processors.
fn holds_of_mutants(name: &str, mutants: u32) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let more = std::env::var("SMELT_TEST_MUTANTS").map_or(1, |text| text.parse().unwrap());
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty());
    let next = AtomicU32::new(0);
    let failed: Mutex<Option<(u32, String)>> = Mutex::new(None);
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number as usize >= seeds.len() + (mutants * more) as usize || failed.lock().unwrap().is_some() {
            break;
        }
        let input = input(&seeds, number);
        if catch_unwind(AssertUnwindSafe(|| (target.check)(&input))).is_err() {
            *failed.lock().unwrap() = Some((number, input));
        }
    };
    std::thread::scope(|threads| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(4) {
            // Terms are dropped and printed by recursion here and there, and test threads have little room.
            std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(threads, work).unwrap();
        }
    });
    if let Some((number, input)) = failed.into_inner().unwrap() {
        panic!("{}: input {number} does not hold:\n{input}", target.name);
    }
}

/// The seeds first, then their mutants in turn.
fn input(seeds: &[(String, String)], number: u32) -> String {
    let place = number as usize % seeds.len();
    let other = (number as usize / seeds.len() * 7 + 1 + place) % seeds.len();
    if (number as usize) < seeds.len() {
        seeds[place].1.clone()
    } else {
        mutant(&seeds[place].1, &seeds[other].1, number)
    }
}

macro_rules! claims {
    ($($test:ident: $target:literal, $mutants:literal;)*) => {
        $(#[test]
        fn $test() {
            holds_of_mutants($target, $mutants);
        })*

        #[test]
        fn every_target_is_tested() {
            let tested = [$($target),*];
            assert!(TARGETS.iter().all(|target| tested.contains(&target.name)), "{tested:?}");
        }
    };
}

claims! {
    any_text_is_read_and_printed_as_it_was: "parse", 8_000;
    what_is_printed_reads_as_the_same_script: "print", 4_000;
    no_value_is_taken_back: "eval", 3_000;
    any_model_is_read_and_no_verdict_on_it_is_taken_back: "model", 6_000;
    our_solver_contradicts_neither_itself_nor_the_evaluator: "solve", 2_000;
    any_output_of_a_solver_is_read_and_errors_void_verdicts: "answer", 40_000;
    any_finding_that_is_read_can_be_reported_and_written: "finding", 4_000;
    any_record_is_read_or_refused: "store", 1_000;
}

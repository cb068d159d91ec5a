//! The n-th system call about a file of a campaign fails, for every n of a small one: nothing that was recorded is lost,
//! no folder is half written, the message says what happened, and repeating the command ends as if nothing had been.
//!
//! `inject.c` traces the program and lets the call fail. The ordinary run has every n of the faults that tell most and
//! every seventh of the others; with `SMELT_TEST_FAULTS=all` it is every n of all. Where the system does not allow
//! programs to be traced, `SMELT_TEST_FAULTS=none` leaves these tests out.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
// Clippy allows this in test functions, but not in what they share.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use scene::{Disturbed, Scene};

mod scene;
mod state;

// Only a part of it is used here.
#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;

/// A kind of fault, as `inject.c` knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// A call that takes room on the disk fails once.
    NoSpace,
    /// From a call on, nothing that takes room is possible.
    Full,
    /// Any call fails once.
    Io,
    /// A write writes half.
    Short,
    /// The program is killed before a call.
    Kill,
    /// It is killed after half of a write.
    Torn,
    /// The system has no more memory.
    Memory,
}

impl Fault {
    fn name(self) -> &'static str {
        match self {
            Fault::NoSpace => "nospace",
            Fault::Full => "full",
            Fault::Io => "io",
            Fault::Short => "short",
            Fault::Kill => "kill",
            Fault::Torn => "torn",
            Fault::Memory => "memory",
        }
    }

    /// What a message must say of it, one of these.
    fn words(self) -> &'static [&'static str] {
        match self {
            // SQLite does not tell why it cannot write the index of its log, or open a file.
            Fault::NoSpace | Fault::Full => {
                &["the disk is full", "disk I/O error", "unable to open database file", "a readonly database"]
            }
            Fault::Io => &[
                "Input/output error",
                "disk I/O error",
                "it or its disk is damaged",
                "unable to open database file",
                "a readonly database",
            ],
            // A thread that gets no stack is to be tried again, says the system.
            Fault::Memory => &["memory", "Resource temporarily unavailable"],
            Fault::Short | Fault::Kill | Fault::Torn => &[],
        }
    }

    /// Whether the program may end like this without a message of ours.
    fn may_end_with(self, status: i32) -> bool {
        match self {
            Fault::Kill | Fault::Torn => status == 128 + 9,
            // The library of C and that of Rust end a program that gets no memory in several ways.
            Fault::Memory => status != 0 && status != -1,
            _ => false,
        }
    }

    /// How far one n is from the next.
    fn step(self) -> usize {
        let is_rare = matches!(self, Fault::Full | Fault::Short | Fault::Torn);
        if is_rare && std::env::var("SMELT_TEST_FAULTS").as_deref() != Ok("all") { 7 } else { 1 }
    }
}

/// Tries a fault at every place of a scene, and says all that does not hold.
fn for_every_place(scene: &Scene, fault: Fault) {
    if std::env::var("SMELT_TEST_FAULTS").as_deref() == Ok("none") {
        return;
    }
    let calm = scene.undisturbed();
    let complaints = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let tried = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(4) {
            threads.spawn(|| {
                loop {
                    let place = 1 + next.fetch_add(1, Ordering::Relaxed) * fault.step();
                    let Some(disturbed) = scene.disturbed(fault, place) else { break };
                    tried.fetch_add(1, Ordering::Relaxed);
                    if let Err(complaint) = holds(scene, fault, &disturbed, &calm) {
                        let call = disturbed.call;
                        complaints.lock().unwrap().push(format!("{place}: {call}: {complaint}"));
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(tried.into_inner() > 3, "no fault was injected");
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// What must hold after a fault.
fn holds(scene: &Scene, fault: Fault, disturbed: &Disturbed, calm: &Disturbed) -> Result<(), String> {
    let Disturbed { status, message, folder, .. } = disturbed;
    let found = state::read(&scene.watched(folder.path()))?;
    if *status == calm.status {
        // It did not matter, so everything is there.
        let expected = state::read(&scene.watched(calm.folder.path()))?;
        found.same_as(&expected)?;
        found.same_hunts(&expected)?;
    } else if *status == 3 {
        if !message.contains("error: cannot") || !fault.words().iter().any(|words| message.contains(words)) {
            return Err(format!("this is no clear message: {message}"));
        }
    } else if !fault.may_end_with(*status) {
        return Err(format!("exit status {status}: {message}"));
    }
    let (status, message) = scene.repeat(folder.path());
    if status != calm.status {
        return Err(format!("repeating it ends with {status}: {message}"));
    }
    let last = state::read(&scene.watched(folder.path()))?;
    last.contains(&found)?;
    last.same_as(&state::read(&scene.watched(calm.folder.path()))?)?;
    if scene.tidies_up { last.is_tidy() } else { Ok(()) }
}

macro_rules! every_place {
    ($($name:ident: $scene:expr, $fault:expr;)*) => {
        $(#[test]
        fn $name() {
            for_every_place(&$scene, $fault);
        })*
    };
}

every_place! {
    a_hunt_survives_every_call_that_fails: Scene::hunt(), Fault::Io;
    a_hunt_survives_a_lack_of_space_at_every_call: Scene::hunt(), Fault::NoSpace;
    a_hunt_survives_being_killed_at_every_call: Scene::hunt(), Fault::Kill;
    a_hunt_survives_a_disk_that_stays_full: Scene::hunt(), Fault::Full;
    a_hunt_survives_short_writes: Scene::hunt(), Fault::Short;
    a_hunt_survives_torn_writes: Scene::hunt(), Fault::Torn;
    a_hunt_survives_a_lack_of_memory: Scene::hunt(), Fault::Memory;
    a_resumed_hunt_keeps_what_triage_has_added_when_a_call_fails: Scene::resumed(), Fault::Io;
    a_resumed_hunt_keeps_what_triage_has_added_without_space: Scene::resumed(), Fault::NoSpace;
    a_resumed_hunt_keeps_what_triage_has_added_when_killed: Scene::resumed(), Fault::Kill;
    a_reduction_survives_every_call_that_fails: Scene::reduction(), Fault::Io;
    a_reduction_survives_a_lack_of_space_at_every_call: Scene::reduction(), Fault::NoSpace;
    a_reduction_survives_being_killed_at_every_call: Scene::reduction(), Fault::Kill;
    an_export_survives_every_call_that_fails: Scene::export(), Fault::Io;
    an_export_survives_a_lack_of_space_at_every_call: Scene::export(), Fault::NoSpace;
    an_export_survives_being_killed_at_every_call: Scene::export(), Fault::Kill;
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

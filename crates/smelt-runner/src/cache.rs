//! What was learned about solvers, kept between runs of smelt.
//!
//! An entry is a file named after all that what was learned depends on: the bytes of the program, its arguments, its
//! environment, and what it was asked. So a new release, another option or another question is a new entry, and nothing
//! is ever out of date. An entry that cannot be read is no entry.
//!
//! A wrapper such as `timeout 5 z3`, or a script that is given as text, runs another program, whose content is in no
//! name. What must be right forever is not kept then ([`Cache::identity`]). What a file with a script or a program with
//! libraries starts or loads by itself is not seen.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files::write_whole;
use crate::interruption;
use crate::library::loaded_library;
use crate::solver::{Invocation, Solver, find_program};

/// The folder of entries.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Option<PathBuf>,
}

/// Changes whenever entries are written otherwise.
const FORMAT: u32 = 1;

impl Cache {
    /// The entries in a folder, which need not exist yet.
    pub fn new(folder: PathBuf) -> Self {
        Cache { folder: Some(folder) }
    }

    /// A cache that keeps nothing.
    pub fn none() -> Self {
        Cache { folder: None }
    }

    /// What was learned of this kind, about this solver, by asking this.
    pub fn get<T: DeserializeOwned>(&self, kind: &str, solver: &Solver, asked: &str) -> Option<T> {
        let text = fs::read_to_string(self.path(kind, solver, asked)?).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Keeps what was learned. A cache that cannot be written is a slow start the next time and no error.
    pub fn put<T: Serialize>(&self, kind: &str, solver: &Solver, asked: &str, learned: &T) {
        let Some(path) = self.path(kind, solver, asked) else { return };
        let Ok(text) = serde_json::to_string(learned) else { return };
        keep(&path, text.as_bytes());
    }

    /// What tells whether a solver is still the same program with the same options.
    pub fn fingerprint(&self, solver: &Solver) -> io::Result<String> {
        self.key(&solver.invocation, "")
    }

    /// A name for the program and its options that no other program has; none if it cannot be told which program answers.
    pub fn identity(&self, solver: &Solver) -> Option<String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path: Vec<PathBuf> = std::env::split_paths(&path).collect();
        is_identified(&solver.invocation, &path).then(|| self.fingerprint(solver).ok())?
    }

    /// BLAKE3 of the content of a solver, in hexadecimal digits: of its program, or of the library that a script loads.
    pub fn content_hash(&self, solver: &Solver) -> io::Result<String> {
        let file = loaded_library(&solver.invocation);
        let file = file.as_deref().unwrap_or(&solver.invocation.program);
        let hash = self.program_hash(file)?;
        Ok(blake3::Hash::from_bytes(hash).to_hex().to_string())
    }

    fn path(&self, kind: &str, solver: &Solver, asked: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let key = self.key(&solver.invocation, asked).ok()?;
        Some(folder.join(format!("{kind}-{FORMAT}-{}-{key}.json", solver.family.name())))
    }

    /// A name for all that what is learned depends on.
    fn key(&self, invocation: &Invocation, asked: &str) -> io::Result<String> {
        let mut hasher = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(&self.program_hash(&invocation.program)?);
        if let Some(library) = loaded_library(invocation) {
            part(&self.program_hash(&library)?);
        }
        for arg in &invocation.args {
            part(arg.as_encoded_bytes());
            part(&path_hash(Path::new(arg)));
        }
        for (name, value) in &invocation.environment {
            part(name.as_encoded_bytes());
            part(value.as_encoded_bytes());
            part(&path_hash(Path::new(value)));
        }
        part(asked.as_bytes());
        Ok(hasher.finalize().to_hex()[..32].to_owned())
    }

    /// The hash of a program. Without a folder nothing is remembered, and the program is read.
    fn program_hash(&self, program: &Path) -> io::Result<[u8; 32]> {
        match &self.folder {
            Some(folder) => program_hash(folder, program),
            None => file_hash(program),
        }
    }
}

/// Programs whose only purpose is to run others, which files and options name: on this machine or elsewhere.
const RUNNERS: [&str; 12] =
    ["bash", "dash", "docker", "java", "node", "perl", "podman", "python", "ruby", "sh", "ssh", "zsh"];
/// Those of them that run what is not in a file of this machine.
const ELSEWHERE: [&str; 3] = ["docker", "podman", "ssh"];

/// Whether the content of the program that answers is part of the key: it is the program itself, or a file among the
/// arguments. `path` are the folders in which wrappers look for programs.
fn is_identified(invocation: &Invocation, path: &[PathBuf]) -> bool {
    if loaded_library(invocation).is_some() {
        return true;
    }
    let name = invocation.program.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(|end: char| end.is_ascii_digit() || end == '.');
    if ELSEWHERE.contains(&name) {
        return false;
    }
    let is_file = |argument: &OsString| Path::new(argument).is_file();
    let is_readable = |argument: &OsString| fs::File::open(argument).is_ok();
    let (files, others): (Vec<&OsString>, Vec<&OsString>) =
        invocation.args.iter().partition(|argument| is_file(argument));
    if RUNNERS.contains(&name) && files.is_empty() {
        return false;
    }
    files.into_iter().all(is_readable)
        && !others.into_iter().any(|argument| names_program(&argument.to_string_lossy(), path))
}

/// Whether a word of an argument is a program: one on the PATH, or one by its own path.
fn names_program(argument: &str, path: &[PathBuf]) -> bool {
    // An argument may also be an assignment, or a script with several commands.
    let is_end = |character: char| character.is_whitespace() || "=;|&()<>`'\"$".contains(character);
    let here = [PathBuf::new()];
    let is_program = |word: &str| {
        let folders = if word.contains('/') { &here[..] } else { path };
        !word.is_empty() && find_program(folders, word).is_some()
    };
    argument.split(is_end).any(is_program)
}

/// The hash of a program. Programs are large, so it is kept too, by the path, size and times of the file.
fn program_hash(folder: &Path, program: &Path) -> io::Result<[u8; 32]> {
    let metadata = fs::metadata(program)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(program.as_os_str().as_encoded_bytes());
    let stamps = [
        metadata.size() as i64,
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ];
    for stamp in stamps.into_iter().chain([metadata.ino() as i64]) {
        hasher.update(&stamp.to_le_bytes());
    }
    let path = folder.join(format!("program-{FORMAT}-{}.hash", &hasher.finalize().to_hex()[..32]));
    if let Some(known) = fs::read(&path).ok().and_then(|bytes| bytes.try_into().ok()) {
        return Ok(known);
    }
    let hash = file_hash(program)?;
    keep(&path, &hash);
    Ok(hash)
}

/// Writes an entry. One that cannot be written is found out again next time.
fn keep(path: &Path, content: &[u8]) {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let _ = made.and_then(|()| write_whole(path, content));
}

/// The hash of a file, which may be large: whoever wants us to stop does not wait for it.
pub(crate) fn file_hash(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = fs::File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; 1 << 18];
    loop {
        if interruption::is_requested() {
            return Err(interruption::error());
        }
        match file.read(&mut piece)? {
            0 => return Ok(*hasher.finalize().as_bytes()),
            count => _ = hasher.update(&piece[..count]),
        }
    }
}

/// What is at a path that a solver is given: the content of a script, the names and sizes of what is in a folder.
fn path_hash(path: &Path) -> [u8; 32] {
    if path.is_file() {
        return file_hash(path).unwrap_or_default();
    }
    let mut hasher = blake3::Hasher::new();
    let mut pending = if path.is_dir() { vec![path.to_owned()] } else { Vec::new() };
    while let Some(folder) = pending.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(metadata) = entry.metadata() else { continue };
            hasher.update(entry.path().as_os_str().as_encoded_bytes());
            if metadata.is_dir() {
                pending.push(entry.path());
            } else {
                hasher.update(&metadata.len().to_le_bytes());
            }
        }
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Family;

    fn solver(program: &Path, option: &str) -> Solver {
        Solver {
            name: "mine".to_owned(),
            family: Family::Generic,
            invocation: Invocation {
                program: program.to_owned(),
                args: vec![option.into()],
                environment: Vec::new(),
                is_confined: true,
            },
        }
    }

    #[test]
    fn what_is_kept_is_found_again_for_the_same_program_options_and_questions() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "one").unwrap();
        let cache = Cache::new(folder.path().join("cache"));
        let found = |option: &str, asked: &str| cache.get::<u32>("number", &solver(&program, option), asked);
        assert_eq!(found("-a", "q"), None);
        cache.put("number", &solver(&program, "-a"), "q", &7);
        assert_eq!(found("-a", "q"), Some(7));
        assert_eq!(found("-b", "q"), None);
        assert_eq!(found("-a", "other"), None);
        fs::write(&program, "two").unwrap();
        assert_eq!(found("-a", "q"), None);
    }

    #[test]
    fn a_damaged_entry_is_no_entry() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "one").unwrap();
        let cache = Cache::new(folder.path().join("cache"));
        let solver = solver(&program, "-a");
        cache.put("number", &solver, "q", &7);
        for entry in fs::read_dir(folder.path().join("cache")).unwrap() {
            fs::write(entry.unwrap().path(), "7 and then").unwrap();
        }
        assert_eq!(cache.get::<u32>("number", &solver, "q"), None);
        cache.put("number", &solver, "q", &8);
        assert_eq!(cache.get::<u32>("number", &solver, "q"), Some(8));
    }

    #[test]
    fn a_program_behind_a_wrapper_is_known_by_its_content_only() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        for name in ["timeout", "z3", "sh", "python3.12", "docker"] {
            write(name, name);
        }
        let script = write("x.py", "one").display().to_string();
        let here = [folder.path().to_owned()];
        let is_known = |program: &str, args: &[&str]| {
            let Solver { invocation, .. } = solver(&folder.path().join(program), "");
            let args = args.iter().map(Into::into).collect();
            is_identified(&Invocation { args, ..invocation }, &here)
        };
        let z3 = folder.path().join("z3").display().to_string();
        assert!(is_known("z3", &["-in", "-smt2", "-T:5"]));
        assert!(is_known("timeout", &["5", &z3]));
        assert!(!is_known("timeout", &["5", "z3"]));
        assert!(!is_known("timeout", &[&format!("--run={z3}")]));
        assert!(!is_known("sh", &["-c", "exec z3 -in"]));
        assert!(!is_known("python3.12", &["-m", "some.solver"]));
        assert!(is_known("python3.12", &[&script]));
        assert!(!is_known("docker", &["run", &script]));
    }

    #[test]
    fn the_identity_of_a_program_changes_with_the_script_that_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("x.sh");
        let solver = solver(Path::new("/bin/sh"), &script.display().to_string());
        let cache = Cache::new(folder.path().join("cache"));
        let identity = |content: &str| {
            fs::write(&script, content).unwrap();
            cache.identity(&solver).unwrap()
        };
        let one = identity("echo sat");
        assert_ne!(identity("echo unsat"), one);
        assert_eq!(identity("echo sat"), one);
        assert_eq!(Cache::none().identity(&solver), Some(one));
    }

    #[test]
    fn a_script_that_the_program_runs_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (program, script) = (folder.path().join("program"), folder.path().join("script"));
        fs::write(&program, "one").unwrap();
        fs::write(&script, "one").unwrap();
        let cache = Cache::new(folder.path().join("cache"));
        let solver = solver(&program, &script.display().to_string());
        cache.put("number", &solver, "q", &7);
        fs::write(&script, "two").unwrap();
        assert_eq!(cache.get::<u32>("number", &solver, "q"), None);
    }
}

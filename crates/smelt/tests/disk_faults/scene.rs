//! What is disturbed: a command, the folder it starts in, the files whose calls fail, and how it is repeated.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{command, findings, solver_script};
use crate::{Fault, copy};

/// Every formula that is made from it keeps the word by which the solver knows it.
const SEED: &str = "(declare-const s String)\n(declare-const t String)\n\
    (assert (= (str.++ s \"smelt\") (str.replace t s \"b\")))\n(check-sat)\n";

/// A command that is disturbed.
pub struct Scene {
    /// What the folder holds that every run of the command begins with; programs and caches, which stay as they are, too.
    template: TempDir,
    args: Vec<String>,
    /// The folder whose calls fail.
    watched: &'static str,
    /// Whether repeating the command removes what it had not finished.
    pub tidies_up: bool,
}

/// What came of a command.
pub struct Disturbed {
    pub status: i32,
    pub message: String,
    /// The call that failed.
    pub call: String,
    pub folder: TempDir,
}

impl Scene {
    /// A hunt that finds one bug several times.
    pub fn hunt() -> Scene {
        let template = tempfile::tempdir().unwrap();
        let solver = "echo 'Fatal failure within f() at a.cpp:1'; kill -6 $$";
        let script = solver_script("sat", &format!("'(assert '*'\"smelt\"'*) {solver} ;;"));
        fs::write(template.path().join("solver.sh"), script).unwrap();
        let folder = template.path().join("start");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("seed.smt2"), SEED).unwrap();
        let args = hunt(template.path(), 3);
        let scene = Scene { template, args, watched: "smelt-campaign", tidies_up: true };
        // What solvers can do is in the cache from now on.
        scene.prepare(&hunt(scene.template.path(), 1));
        fs::remove_dir_all(folder.join("smelt-campaign")).unwrap();
        scene
    }

    /// A hunt that is resumed after its finding was reduced.
    pub fn resumed() -> Scene {
        let scene = Scene::reduction();
        scene.prepare(&scene.args);
        Scene { args: hunt(scene.template.path(), 3), tidies_up: true, ..scene }
    }

    /// The reduction of a finding.
    pub fn reduction() -> Scene {
        let scene = Scene::hunt();
        scene.prepare(&hunt(scene.template.path(), 2));
        let id = findings(&scene.start())[0]["id"].as_str().unwrap().to_owned();
        Scene { args: ["reduce".to_owned(), id].into(), tidies_up: false, ..scene }
    }

    /// An export of findings to a folder that holds an earlier one.
    pub fn export() -> Scene {
        let scene = Scene::reduction();
        let args: Vec<String> = ["findings", "export", "reports"].map(str::to_owned).into();
        scene.prepare(&args);
        scene.prepare(&scene.args);
        Scene { args, watched: "reports", ..scene }
    }

    fn start(&self) -> PathBuf {
        self.template.path().join("start")
    }

    /// Runs a command in the folder that all begin with.
    fn prepare(&self, args: &[String]) {
        let output = self.command(&self.start(), args).output().unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
    }

    fn command(&self, folder: &Path, args: &[String]) -> Command {
        let mut command = command(folder, args);
        command.env("SMELT_CACHE", self.template.path().join("cache"));
        command
    }

    /// A folder to begin with. Paths are compared as texts, so it has no links in its name.
    fn fresh(&self) -> TempDir {
        let folder = tempfile::tempdir_in(std::env::temp_dir().canonicalize().unwrap()).unwrap();
        copy(&self.start(), folder.path());
        folder
    }

    /// The folder whose calls fail.
    pub fn watched(&self, folder: &Path) -> PathBuf {
        folder.join(self.watched)
    }

    /// What comes of the command without a fault.
    pub fn undisturbed(&self) -> Disturbed {
        self.run(Fault::Io, 0)
    }

    /// What comes of it when the n-th call fails that the fault concerns; none if there is no such call.
    pub fn disturbed(&self, fault: Fault, place: usize) -> Option<Disturbed> {
        Some(self.run(fault, place)).filter(|disturbed| !disturbed.call.is_empty())
    }

    fn run(&self, fault: Fault, place: usize) -> Disturbed {
        let folder = self.fresh();
        let outside = tempfile::tempdir().unwrap();
        let [calls, messages] = ["calls", "messages"].map(|name| outside.path().join(name));
        let program = self.command(folder.path(), &self.args);
        let mut inject = Command::new(injector());
        inject.arg(self.watched(folder.path())).arg(fault.name()).arg(place.to_string()).arg(&calls);
        inject.arg(program.get_program()).args(program.get_args());
        inject.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // To print a backtrace takes memory; without any, the standard library waits for itself for ever.
        inject.env_remove("RUST_BACKTRACE");
        inject.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = inject.stderr(File::create(&messages).unwrap()).spawn().unwrap();
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > Duration::from_secs(600) {
                child.kill().unwrap();
                let message = fs::read_to_string(&messages).unwrap();
                panic!("place {place} of {}: it did not end: {message}", fault.name());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let message = fs::read_to_string(&messages).unwrap();
        assert_ne!(
            status.code(),
            Some(125),
            "the system does not allow programs to be traced, SMELT_TEST_FAULTS=none leaves out these tests: {message}"
        );
        let calls = String::from_utf8_lossy(&fs::read(&calls).unwrap()).into_owned();
        let call = calls.lines().find_map(|line| line.strip_prefix("! ")).unwrap_or_default().to_owned();
        Disturbed { status: status.code().unwrap_or(-1), message, call, folder }
    }

    /// Runs the command again, as the message advises; its exit status and messages.
    pub fn repeat(&self, folder: &Path) -> (i32, String) {
        let output = self.command(folder, &self.args).output().unwrap();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The arguments of a hunt. Repeating it resumes it.
fn hunt(folder: &Path, cases: u32) -> Vec<String> {
    let solver = format!("fake=/bin/sh {}", folder.join("solver.sh").display());
    let cases = cases.to_string();
    let args = ["hunt", "seed.smt2", "--solver", &solver, "--cases", &cases];
    let more = ["--steps", "1", "--technique", "operator", "--timeout", "20", "--jobs", "1"];
    args.into_iter().chain(more).map(str::to_owned).collect()
}

/// The program that injects faults, built once.
fn injector() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inject");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/disk_faults/inject.c");
        let built = Command::new("cc").args(["-O1", "-o"]).arg(&program).arg(source).status().unwrap();
        assert!(built.success(), "a C compiler builds the program that injects faults");
        program
    })
}

//! What a hostile solver can do inside the sandbox, and what it can do without.

#![allow(clippy::unwrap_used)]

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use smelt_oracle::run::Answer;
use smelt_runner::answer::{read_run, text_of};
use smelt_runner::cold;
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::sandbox::{self, Mode};
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;
use support::fake_solver;

#[allow(dead_code)]
mod support;

/// A variable that cargo sets for tests, and that no solver has to know.
const TOKEN: &str = "CARGO_MANIFEST_DIR";

/// What the solver could do.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    wrote_here: bool,
    wrote_at_home: bool,
    connected: bool,
    read_token: bool,
    wrote_to_its_own_folder: bool,
}

struct Attack {
    solver: Solver,
    /// A file in the working folder and one beside the home of the user.
    targets: [PathBuf; 2],
    listener: TcpListener,
}

impl Attack {
    fn new(folder: &Path) -> Attack {
        let mut solver = fake_solver(env!("CARGO_BIN_EXE_fake-solver"), Vec::new());
        solver.invocation.is_confined = true;
        let here = std::env::current_dir().unwrap().join(format!("hostile-{}", std::process::id()));
        Attack {
            solver,
            targets: [here, folder.join("hostile")],
            listener: TcpListener::bind("127.0.0.1:0").unwrap(),
        }
    }

    fn script(&self) -> String {
        let port = self.listener.local_addr().unwrap().port();
        let actions = [
            format!("write {}", self.targets[0].display()),
            format!("write {}", self.targets[1].display()),
            format!("connect {port}"),
            format!("show {TOKEN}"),
            "show TMPDIR".to_owned(),
            "write /dev/shm/smelt-sandbox-test".to_owned(),
        ];
        let lines = actions.iter().map(|action| format!("(set-info :do \"{action}\")\n"));
        lines.collect::<String>() + "(check-sat)\n"
    }

    fn seen(&self, output: &str) -> Seen {
        let said = |line: &str| output.lines().filter(|other| *other == line).count();
        let wrote = self.targets.each_ref().map(|target| target.exists());
        self.targets.iter().for_each(|target| drop(std::fs::remove_file(target)));
        let is_private = !Path::new("/dev/shm/smelt-sandbox-test").exists();
        let _ = std::fs::remove_file("/dev/shm/smelt-sandbox-test");
        Seen {
            wrote_here: wrote[0],
            wrote_at_home: wrote[1],
            connected: said("connected: yes") == 1,
            read_token: !output.contains(&format!("{TOKEN}=\n")),
            wrote_to_its_own_folder: is_private && said("wrote: yes") == 1 && said("TMPDIR=/dev/shm") == 1,
        }
    }

    fn cold(&self) -> Seen {
        let raw = cold::run(&self.solver.invocation, &self.script(), &Limits::default()).unwrap();
        assert_eq!(read_run("fake", &raw).answer, Answer::Sat);
        self.seen(&text_of(&raw.stdout))
    }

    /// The same in a session; what it says before its answer is not kept, so it is made to say it afterwards.
    fn warm(&self) -> Seen {
        let mut session = Session::new(self.solver.clone(), Isolation::Reset, Limits::default());
        let script = format!("(check-sat)\n{}", self.script().replace("(check-sat)\n", ""));
        let run = session.run(&script).unwrap();
        assert_eq!(run.answer, Answer::Sat);
        self.seen(&format!("{}\n", run.output))
    }
}

#[test]
fn inside_the_sandbox_a_solver_writes_connects_and_reads_nothing_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let attack = Attack::new(folder.path());
    // Without the sandbox all of it succeeds, or else it would prove nothing that it fails inside.
    sandbox::choose(Mode::Off);
    assert_eq!(sandbox::obstacle().as_deref(), Some("switched off"));
    let open = Seen {
        wrote_here: true,
        wrote_at_home: true,
        connected: true,
        read_token: true,
        wrote_to_its_own_folder: false,
    };
    assert_eq!(attack.cold(), open);
    assert_eq!(attack.warm(), open);
    sandbox::choose(Mode::Auto);
    if let Some(obstacle) = sandbox::obstacle() {
        // The environment is clean all the same.
        assert!(!attack.cold().read_token);
        eprintln!("skipped: there is no sandbox here: {obstacle}");
        return;
    }
    let closed = Seen {
        wrote_here: false,
        wrote_at_home: false,
        connected: false,
        read_token: false,
        wrote_to_its_own_folder: true,
    };
    assert_eq!(attack.cold(), closed);
    assert_eq!(attack.warm(), closed);
    sandbox::choose(Mode::On);
    assert_eq!(attack.cold(), closed);
}

//! The sandbox: solvers run without network, on a read-only file system, with a temporary folder and an environment of
//! their own.
//!
//! Only solvers are confined; what builds, installs and fetches them is not. How the kernel does it is in
//! `sys/namespaces.rs`, why so and what it costs in `docs/design/sandbox.md`.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::solver::{Invocation, program_on_path};
use crate::sys::namespaces::{Namespaces, PRIVATE};

/// Whether solvers are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Where the kernel allows it.
    Auto,
    /// Always; where that is not possible, solvers are not run.
    On,
    /// Never, and they inherit our environment.
    Off,
}

impl Mode {
    /// The mode with a name.
    pub fn named(name: &str) -> Option<Mode> {
        [("auto", Mode::Auto), ("on", Mode::On), ("off", Mode::Off)]
            .into_iter()
            .find(|(word, _)| *word == name)
            .map(|(_, mode)| mode)
    }
}

static MODE: AtomicU8 = AtomicU8::new(Mode::Auto as u8);

/// Chooses the mode for all processes that are started from now on.
pub fn choose(mode: Mode) {
    MODE.store(mode as u8, Ordering::Relaxed);
}

fn mode() -> Mode {
    [Mode::Auto, Mode::On, Mode::Off]
        .into_iter()
        .find(|mode| *mode as u8 == MODE.load(Ordering::Relaxed))
        .unwrap_or(Mode::Auto)
}

/// Why solvers are not confined; none if they are.
pub fn obstacle() -> Option<String> {
    match mode() {
        Mode::Off => Some("switched off".to_owned()),
        Mode::Auto => namespaces().err().map(ToString::to_string),
        Mode::On => namespaces().err().filter(|_| wrapper().is_none()).map(ToString::to_string),
    }
}

/// The namespaces of all solvers, or why there are none.
fn namespaces() -> Result<&'static Namespaces, &'static io::Error> {
    static NAMESPACES: OnceLock<io::Result<Namespaces>> = OnceLock::new();
    NAMESPACES.get_or_init(Namespaces::create).as_ref()
}

/// The program that can confine others where we cannot, because it has more rights.
fn wrapper() -> Option<&'static PathBuf> {
    static WRAPPER: OnceLock<Option<PathBuf>> = OnceLock::new();
    WRAPPER.get_or_init(|| program_on_path("bwrap")).as_ref()
}

/// How a process is confined.
#[derive(Debug)]
pub(crate) enum Confinement {
    /// Not at all.
    None,
    /// By its environment only.
    Environment,
    /// It enters namespaces.
    Namespaces(&'static Namespaces),
    /// Another program confines it, started like this.
    Wrapped(Invocation),
}

impl Confinement {
    /// How a program is to be confined; an error if it must be and cannot.
    pub(crate) fn of(invocation: &Invocation) -> io::Result<Confinement> {
        if !invocation.is_confined {
            return Ok(Confinement::None);
        }
        match (mode(), namespaces_if_wanted()) {
            (Mode::Off, _) => Ok(Confinement::None),
            (_, Some(Ok(namespaces))) => Ok(Confinement::Namespaces(namespaces)),
            (Mode::Auto, _) => Ok(Confinement::Environment),
            (Mode::On, refused) => match wrapper() {
                Some(wrapper) => Ok(Confinement::Wrapped(wrapped(invocation, wrapper))),
                None => {
                    let reason = refused.and_then(Result::err).map(ToString::to_string).unwrap_or_default();
                    let text = format!("cannot run it in a sandbox: {reason}, and there is no `bwrap`");
                    Err(io::Error::new(io::ErrorKind::Unsupported, text))
                }
            },
        }
    }

    /// The environment that a process begins with, before what its solver needs is set; none if it is ours.
    pub(crate) fn environment(&self) -> Option<&'static [(OsString, OsString)]> {
        static PRIVATE_HOME: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();
        static OUR_HOME: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();
        match self {
            Confinement::None => None,
            Confinement::Environment => Some(OUR_HOME.get_or_init(|| clean_environment(None))),
            Confinement::Namespaces(_) | Confinement::Wrapped(_) => {
                Some(PRIVATE_HOME.get_or_init(|| clean_environment(PRIVATE.to_str().ok())))
            }
        }
    }
}

/// What is passed of our environment, with this folder as home and for temporary files, or ours if there is none.
fn clean_environment(folder: Option<&str>) -> Vec<(OsString, OsString)> {
    let passed = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_passed));
    let homes = ["HOME", "TMPDIR"].into_iter().filter_map(|name| {
        let value = folder.map(OsString::from).or_else(|| std::env::var_os(name))?;
        Some((name.into(), value))
    });
    let mut variables: Vec<(OsString, OsString)> = passed.chain(homes).collect();
    // Without it, reports of undefined behaviour have no stacks.
    if std::env::var_os(UBSAN).is_none() {
        variables.push((UBSAN.into(), "print_stacktrace=1".into()));
    }
    variables
}

const UBSAN: &str = "UBSAN_OPTIONS";

/// Nothing is made that is not wanted.
fn namespaces_if_wanted() -> Option<Result<&'static Namespaces, &'static io::Error>> {
    (mode() != Mode::Off).then(namespaces)
}

/// Whether a variable of our environment is passed to solvers: what programs need to start and to speak the user's
/// language, and the options of sanitizers and allocators. No tokens, keys or addresses of services.
fn is_passed(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "PATH",
        "LANG",
        "LANGUAGE",
        "TZ",
        "USER",
        "LOGNAME",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "GLIBC_TUNABLES",
        "OMP_NUM_THREADS",
        "RUST_BACKTRACE",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYENV_ROOT",
        "PYENV_VERSION",
        "VIRTUAL_ENV",
    ];
    NAMES.contains(&name)
        || name.starts_with("LC_")
        || name.starts_with("MALLOC_")
        || name.ends_with("SAN_OPTIONS")
        || name.ends_with("_SYMBOLIZER_PATH")
}

/// An invocation that `bwrap` confines as namespaces would.
fn wrapped(invocation: &Invocation, wrapper: &std::path::Path) -> Invocation {
    let private = PRIVATE.to_str().unwrap_or_default();
    let options = ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--tmpfs", private];
    let separate = ["--unshare-user", "--unshare-net", "--unshare-ipc", "--die-with-parent", "--"];
    let args = options.into_iter().chain(separate).map(OsString::from);
    let args =
        args.chain([invocation.program.clone().into_os_string()]).chain(invocation.args.iter().cloned());
    Invocation {
        program: wrapper.to_owned(),
        args: args.collect(),
        environment: invocation.environment.clone(),
        is_confined: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_services_are_not_passed_to_solvers() {
        for name in ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "HOME", "TMPDIR", "http_proxy"]
        {
            assert!(!is_passed(name), "{name}");
        }
        for name in ["PATH", "LC_ALL", "ASAN_OPTIONS", "UBSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"] {
            assert!(is_passed(name), "{name}");
        }
    }

    #[test]
    fn modes_have_names() {
        assert_eq!(
            ["auto", "on", "off", "yes"].map(Mode::named),
            [Some(Mode::Auto), Some(Mode::On), Some(Mode::Off), None]
        );
    }

    #[test]
    fn a_wrapper_gets_the_program_with_its_arguments_last() {
        let invocation = Invocation {
            program: "/opt/z3".into(),
            args: vec!["-in".into()],
            environment: Vec::new(),
            is_confined: true,
        };
        let wrapped = wrapped(&invocation, std::path::Path::new("/usr/bin/bwrap"));
        let line = wrapped.command_line();
        assert!(line.starts_with("/usr/bin/bwrap --ro-bind / / "), "{line}");
        assert!(line.contains(" --tmpfs /dev/shm --unshare-user --unshare-net "), "{line}");
        assert!(line.ends_with(" -- /opt/z3 -in"), "{line}");
        assert!(!wrapped.is_confined);
    }
}

//! How a run of smelt ends: exit codes, failures of the environment, and our own bugs.

use std::fmt;
use std::io;
use std::process::ExitCode;

use smelt_runner::interruption;

use crate::interrupt;
use crate::streams::Streams;

/// The exit statuses of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, nothing found.
    Done,
    /// Done, and something was found, or a check failed.
    Findings,
    /// The arguments make no sense, or an input cannot be read or is ill-formed.
    BadInput,
    /// The machine failed us: a full disk, say.
    EnvironmentFailed,
    /// A finding did not show again.
    NotReproducible,
    /// The user or the system wanted us to stop: 128 and the number of the signal, as shells have it.
    Interrupted,
    /// A bug in smelt.
    Bug,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Findings => 1,
            Exit::BadInput => 2,
            Exit::EnvironmentFailed => 3,
            Exit::NotReproducible => 4,
            Exit::Bug => 70,
            Exit::Interrupted => interrupt::exit_status() as u8,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// Why a command could not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The results could not be written to standard output or standard error.
    Stream(io::Error),
    /// The file that the user asked for could not be written.
    Output {
        /// Its path.
        path: String,
        /// What the system says.
        error: io::Error,
    },
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Stream(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stream(error) => write!(formatter, "cannot write the results: {}", reason(error)),
            Failure::Output { path, error } => formatter.write_str(&cannot_write(path, error)),
        }
    }
}

/// The message about a file that could not be written.
pub(crate) fn cannot_write(path: impl fmt::Display, error: &io::Error) -> String {
    format!("cannot write `{path}`: {}", reason(error))
}

/// Why something could not be written. Of a full disk the path of a temporary file tells nothing.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}

/// The exit status of a finished or failed command; failures are told to the user.
pub(crate) fn conclude(result: Result<Exit, Failure>, streams: &mut Streams) -> Exit {
    match result {
        // What fails once we were asked to stop fails because of that,
        Ok(Exit::BadInput | Exit::EnvironmentFailed | Exit::NotReproducible)
            if interruption::is_requested() =>
        {
            let _ = streams.message("stopped\n");
            Exit::Interrupted
        }
        // and what was found until then is not the result that was asked for.
        Ok(Exit::Done | Exit::Findings) if interruption::is_requested() => Exit::Interrupted,
        Ok(exit) => exit,
        // Whoever read our output has seen enough, as in `smelt check . | head`.
        Err(Failure::Stream(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(failure) => {
            let _ = streams.error(&failure.to_string());
            Exit::EnvironmentFailed
        }
    }
}

/// Makes a panic in any thread end the process with our own exit code and a request to report it.
pub(crate) fn report_panics_as_bugs() {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        default_hook(panic);
        use io::Write;
        let _ = writeln!(
            io::stderr(),
            "error: this is a bug in smelt {}, please report it with the input and the text above",
            env!("CARGO_PKG_VERSION")
        );
        std::process::exit(Exit::Bug.code().into());
    }));
}

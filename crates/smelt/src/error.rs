//! How a run of smelt ends: exit statuses, the error of every command, and our own bugs.
//!
//! Libraries return typed errors; a [`CliError`] is one of them in words, with the status that the process ends with. A
//! command returns it and prints nothing: [`conclude`] reports it.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use smelt_campaign::bench::baseline::MeasuredTableError;
use smelt_campaign::configure::error::RequestError;
use smelt_campaign::configure::profiles::ProfileError;
use smelt_campaign::dialogue::CannotWrite;
use smelt_campaign::find_solvers::SolverSearchError;
use smelt_campaign::genetic::prepare::GeneticDifference;
use smelt_campaign::genetic::state::StateError;
use smelt_campaign::grammars::GrammarError;
use smelt_campaign::hunt::HuntError;
use smelt_campaign::inputs::UnreadableInput;
use smelt_campaign::lookup::LookupError;
use smelt_campaign::monitor::MonitorError;
use smelt_campaign::monitor::baseline::BaselineError;
use smelt_campaign::opening::OpeningError;
use smelt_campaign::prepare::PrepareError;
use smelt_campaign::query_journal::JournalError;
use smelt_campaign::release_study::StudyError;
use smelt_campaign::release_study::prepare::{BeginningError, SubjectsError};
use smelt_campaign::replay::ReplayError;
use smelt_campaign::slowdown::families::FamilyError;
use smelt_campaign::solvers::TargetsError;
use smelt_runner::fetch::{FetchError, problem};
use smelt_runner::solver::UnknownSolver;
use smelt_runner::versions::InstallError;
use smelt_runner::{interruption, stop_signals};
use smelt_smtlib::snippet::Severity;
use smelt_store::error::StoreError;
use smelt_triage::TriageError;
use smelt_triage::bisect::commits::TriggerError;
use smelt_triage::bisect::releases::ReleasesError;
use smelt_triage::bisect::request::ReleaseRequestError;
use smelt_triage::cluster::known::KnownError;
use smelt_triage::file::NewestError;
use smelt_triage::reduce::criterion::{CriterionError, NotReducible};
use smelt_trial::SolverFailure;

use crate::render::diagnostics;
use crate::render::streams::Streams;

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
    /// A finding did not reproduce.
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
            Exit::Interrupted => stop_signals::exit_status() as u8,
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
pub(crate) enum CliError {
    /// The arguments, or the configuration, make no sense.
    Usage(String),
    /// An input cannot be read or is ill-formed.
    Input(String),
    /// The same with places in the input, as [`crate::render::diagnostics`] renders them.
    Diagnostics(String),
    /// The machine, or a program on it, failed us.
    Environment(String),
    /// A finding did not reproduce.
    NotReproducible(String),
    /// The user or the system wanted us to stop.
    Interrupted,
    /// The file that the user asked for could not be written.
    Output {
        /// Its path.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// The results could not be written to standard output or standard error.
    Stream(io::Error),
}

impl CliError {
    /// Arguments that make no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        CliError::Usage(message.into())
    }

    /// A failure of the machine.
    pub(crate) fn environment(message: impl Into<String>) -> Self {
        CliError::Environment(message.into())
    }

    /// The same error with what was being done, as in `cannot install z3@1: ..`.
    pub(crate) fn context(self, doing: impl fmt::Display) -> Self {
        let add = |message: String| format!("{doing}: {message}");
        match self {
            CliError::Usage(message) => CliError::Usage(add(message)),
            CliError::Input(message) => CliError::Input(add(message)),
            CliError::Environment(message) => CliError::Environment(add(message)),
            CliError::NotReproducible(message) => CliError::NotReproducible(add(message)),
            other => other,
        }
    }

    /// Whether nothing can be written any more, so that there is no point in continuing.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(self, CliError::Output { .. } | CliError::Stream(_))
    }

    /// Reports the error and continues, where the command can do without what failed; what makes all further work useless
    /// is returned.
    pub(crate) fn report_and_continue(self, streams: &mut Streams) -> Result<(), CliError> {
        match self {
            error if error.is_fatal() => Err(error),
            CliError::Interrupted => Ok(()),
            CliError::Diagnostics(text) => Ok(streams.diagnostics(&text)?),
            error => Ok(streams.error(&error.to_string())?),
        }
    }

    /// The status that the process ends with.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            CliError::Usage(_) | CliError::Input(_) | CliError::Diagnostics(_) => Exit::BadInput,
            CliError::Environment(_) | CliError::Output { .. } => Exit::EnvironmentFailed,
            CliError::NotReproducible(_) => Exit::NotReproducible,
            CliError::Interrupted => Exit::Interrupted,
            // The reader of our output has seen enough, as in `smelt check . | head`.
            CliError::Stream(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            CliError::Stream(_) => Exit::EnvironmentFailed,
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        CliError::Stream(error)
    }
}

impl From<InstallError> for CliError {
    fn from(error: InstallError) -> Self {
        match error.is_misuse() {
            true => CliError::usage(error.to_string()),
            false => CliError::environment(problem(&error)),
        }
    }
}

/// Which errors of libraries are of which kind.
macro_rules! of_kind {
    ($($error:ident { $($pattern:pat => $kind:ident),+ $(,)? })*) => {$(
        impl From<$error> for CliError {
            fn from(error: $error) -> Self {
                let message = error.to_string();
                match error {
                    $($pattern => CliError::$kind(message),)+
                }
            }
        }
    )*};
}

of_kind! {
    BaselineError { BaselineError::Missing(_) => Usage, _ => Input }
    FamilyError { _ => Input }
    GeneticDifference { _ => Usage }
    HuntError { _ => Environment }
    JournalError { JournalError::File { .. } => Environment, JournalError::Other(_) => Usage }
    KnownError { _ => Input }
    LookupError { LookupError::Store(_) => Environment, _ => Usage }
    MeasuredTableError { _ => Input }
    MonitorError { _ => Environment }
    OpeningError { OpeningError::Store(_) => Environment, _ => Usage }
    PrepareError {
        PrepareError::ReadTriples { .. } | PrepareError::Triples(_) => Input,
        PrepareError::Options(_) => Environment,
        _ => Usage,
    }
    ProfileError { ProfileError::Unknown { .. } | ProfileError::NoRelease { .. } => Usage, _ => Input }
    ReleasesError { _ => Usage }
    ReplayError { ReplayError::Case(_) => Input, ReplayError::Run(_) => Environment }
    RequestError { _ => Usage }
    SolverFailure { _ => Environment }
    StateError { _ => Usage }
    StoreError { _ => Environment }
    StudyError { _ => Environment }
    TargetsError { TargetsError::NotRecorded(_) => Input, TargetsError::Start { .. } => Environment }
    TriggerError { _ => Input }
    UnknownSolver { UnknownSolver::Unverified { .. } => Environment, _ => Usage }
}

impl From<BeginningError> for CliError {
    fn from(error: BeginningError) -> Self {
        match error {
            BeginningError::Grammar(error) => error.into(),
            BeginningError::Different { .. }
            | BeginningError::NoReleases
            | BeginningError::Subjects(SubjectsError::Changed(_)) => CliError::usage(error.to_string()),
            _ => CliError::environment(error.to_string()),
        }
    }
}

impl From<SolverSearchError> for CliError {
    fn from(error: SolverSearchError) -> Self {
        match error {
            SolverSearchError::Interrupted => CliError::Interrupted,
            SolverSearchError::NoneFound => CliError::usage(error.to_string()),
            _ => CliError::environment(error.to_string()),
        }
    }
}

impl From<FetchError> for CliError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Interrupted => CliError::Interrupted,
            error if error.is_misuse() => CliError::usage(error.to_string()),
            error => CliError::environment(error.to_string()),
        }
    }
}

impl From<TriageError> for CliError {
    fn from(error: TriageError) -> Self {
        match error {
            TriageError::NotReducible(NotReducible::SeveralFormulas(_)) => CliError::usage(error.to_string()),
            TriageError::Targets(error)
            | TriageError::NotReducible(NotReducible::Targets(error))
            | TriageError::Newest(NewestError::Targets(error)) => error.into(),
            TriageError::Replay(error) => error.into(),
            TriageError::Criterion(error) => error.into(),
            _ => CliError::environment(error.to_string()),
        }
    }
}

impl From<ReleaseRequestError> for CliError {
    fn from(error: ReleaseRequestError) -> Self {
        match error {
            ReleaseRequestError::Unreadable { .. } => CliError::Input(error.to_string()),
            ReleaseRequestError::Lookup(error) => error.into(),
            ReleaseRequestError::Profile(error) => error.into(),
            ReleaseRequestError::Targets(error) => error.into(),
            _ => CliError::usage(error.to_string()),
        }
    }
}

impl From<CriterionError> for CliError {
    fn from(error: CriterionError) -> Self {
        CliError::Environment(match error {
            CriterionError::Write { path, error } => cannot_write(path, &error),
            error => error.to_string(),
        })
    }
}

impl From<CannotWrite> for CliError {
    fn from(CannotWrite { path, error }: CannotWrite) -> Self {
        CliError::Output { path: path.display().to_string(), error }
    }
}

impl From<GrammarError> for CliError {
    fn from(error: GrammarError) -> Self {
        match error {
            GrammarError::Ill { name, text, problems } => {
                CliError::Diagnostics(diagnostics::render(&name, &text, Severity::Error, problems.iter()))
            }
            _ => CliError::usage(error.to_string()),
        }
    }
}

impl From<UnreadableInput> for CliError {
    fn from(problem: UnreadableInput) -> Self {
        CliError::Diagnostics(diagnostics::render_unreadable(&problem))
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CliError::Usage(message)
            | CliError::Input(message)
            | CliError::Diagnostics(message)
            | CliError::Environment(message)
            | CliError::NotReproducible(message) => formatter.write_str(message),
            CliError::Interrupted => formatter.write_str("stopped"),
            CliError::Output { path, error } => formatter.write_str(&cannot_write(path, error)),
            CliError::Stream(error) => write!(formatter, "cannot write the results: {}", reason(error)),
        }
    }
}

/// The text of a file that the user named.
pub(crate) fn read_named(path: &Path) -> Result<String, CliError> {
    let unreadable = |error| CliError::Input(format!("cannot read `{}`: {error}", path.display()));
    fs::read_to_string(path).map_err(unreadable)
}

/// The message about a file that could not be written.
pub(crate) fn cannot_write(path: impl fmt::Display, error: &io::Error) -> String {
    format!("cannot write `{path}`: {}", reason(error))
}

/// Why something could not be written. For a full disk the path of a temporary file is of no use.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}

/// The exit status of a finished or failed command; errors are reported to the user.
pub(crate) fn conclude(result: Result<Exit, CliError>, streams: &mut Streams) -> Exit {
    let exit = match result {
        Ok(exit) => exit,
        Err(error) => {
            let exit = error.exit();
            match error.report_and_continue(streams) {
                Ok(()) => exit,
                Err(_) if exit == Exit::Done => return exit,
                Err(fatal) => {
                    let _ = streams.error(&fatal.to_string());
                    return exit;
                }
            }
        }
    };
    match exit {
        // What fails once we were asked to stop fails because of that,
        Exit::BadInput | Exit::EnvironmentFailed | Exit::NotReproducible if interruption::is_requested() => {
            let _ = streams.message("stopped\n");
            Exit::Interrupted
        }
        // and what was found until then is not the result that was asked for.
        Exit::Done | Exit::Findings if interruption::is_requested() => Exit::Interrupted,
        exit => exit,
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

//! What `smelt rules` and `smelt triples` share: solvers that are asked for proofs.

use smelt_campaign::configure::values::parse_seconds;
use smelt_runner::limits::Limits;
use smelt_runner::provers::Provers;

use crate::config::solvers::installation;
use crate::error::CliError;
use crate::render::streams::Streams;
use smelt_campaign::find_solvers::find_or_install;

/// Solvers that are asked for proofs.
#[derive(Debug, clap::Args)]
pub(crate) struct ProverArgs {
    /// A solver to ask for a proof: NAME, NAME@VERSION, or NAME=COMMAND LINE; repeatable [default: none]
    #[arg(short, long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Processor time allowed for each proof, in seconds
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds, default_value_t = 5.0)]
    timeout: f64,
    /// Print one JSON object per line instead of text [default: text]
    #[arg(long)]
    pub(crate) json: bool,
}

impl ProverArgs {
    /// The solvers; those that are missing are installed.
    pub(crate) fn find(&self, streams: &mut Streams) -> Result<Provers, CliError> {
        // Without names, not even `smelt.toml` is read.
        let solvers = match self.solvers.as_slice() {
            [] => Vec::new(),
            names => find_or_install(&installation(), names, streams)?,
        };
        Ok(Provers::new(solvers, Limits::for_seconds(self.timeout)))
    }
}

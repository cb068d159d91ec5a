//! `--memory`, which commands that run solvers have in common.

use smelt_campaign::configure::values::MemoryLimit;
use smelt_runner::limits;

/// The limit on the memory of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(crate) struct MemoryArg {
    /// Resident memory allowed for each run and all its processes, in MiB or such as 500M or 8G; none for no limit
    #[arg(short, long, value_name = "SIZE", default_value = "4G")]
    memory: MemoryLimit,
}

impl MemoryArg {
    /// Makes it the limit of all runs of this command.
    pub(crate) fn apply(self) {
        limits::set_default_memory(self.memory.0);
    }
}

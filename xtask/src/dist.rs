//! Builds the program as it is distributed: `cargo xtask dist`.
//!
//! That is a release build with the feature `fast-start`, which docs/design/startup.md explains. Ordinary builds are
//! position-independent and use the shared libraries of the system.

use std::process::{Command, ExitCode};

use anyhow::{Context, ensure};

use crate::sources::workspace_root;

/// The arguments of cargo.
const BUILD: &[&str] = &["build", "--release", "--package", "smelt", "--features", "fast-start"];

pub(crate) fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(BUILD).current_dir(workspace_root()).status();
    let status = status.context("cannot run cargo")?;
    ensure!(status.success(), "`cargo {}` failed", BUILD.join(" "));
    Ok(())
}

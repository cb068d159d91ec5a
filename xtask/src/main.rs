//! Tasks of the project's developers: `cargo xtask TASK`.

mod crosscheck;

use std::process::ExitCode;

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    match task.as_deref() {
        Some("crosscheck") => crosscheck::main(std::env::args_os().skip(1)),
        _ => {
            eprintln!("usage: cargo xtask crosscheck [OPTIONS]");
            ExitCode::from(2)
        }
    }
}

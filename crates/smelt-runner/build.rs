//! Compiles `src/bin/solver-host.rs` alone into a small program, which the crate then carries in itself.
//!
//! The program that smelt is may be linked statically and cannot load libraries then; this one always can. It is compiled
//! by the compiler that compiles the crate, without the flags of the user: they are about smelt. `docs/design/hosts.md`
//! says why it is a program of its own.

use std::io::Write;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "src/bin/solver-host.rs";

fn main() {
    for file in ["build.rs", SOURCE] {
        writeln!(std::io::stdout(), "cargo:rerun-if-changed={file}").expect("cargo reads what is printed");
    }
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let program = Path::new(&variable("OUT_DIR")).join("solver-host");
    let mut compiler = Command::new(variable("RUSTC"));
    compiler.args(["--edition", "2024", "--crate-type", "bin", "--target", &variable("TARGET")]);
    compiler.args([
        "-O",
        "-Cpanic=abort",
        "-Cstrip=symbols",
        "-Ccodegen-units=1",
        "-Ctarget-feature=-crt-static",
    ]);
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        compiler.arg(format!("-Clinker={linker}"));
    }
    let status = compiler.arg("-o").arg(&program).arg(SOURCE).status();
    assert!(status.is_ok_and(|status| status.success()), "cannot compile `{SOURCE}`");
}

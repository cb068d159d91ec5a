//! With the feature `fast-start`, links the program so that it starts fast: at a fixed address on Linux, without shared
//! libraries where the system has static ones, and written to its file in one piece. Without it, which is the default,
//! the build is an ordinary one: position-independent and with shared libraries.
//!
//! A position-independent program corrects some ten thousand addresses whenever it starts, and copies the pages that they
//! are on. Finding, mapping and linking shared libraries takes a third of what is left of the time of `smelt solve` on a
//! small formula. See `docs/design/startup.md`.
//!
//! Rust's own switch for static programs cannot be used: it needs a target that is named, or macros are not built. So the
//! linker is told to, and finds static libraries under the names of the shared ones that Rust asks for.
//!
//! A file that the linker writes through a mapping is held in memory page by page, and takes longer to map from there.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_FAST_START").is_none() {
        return;
    }
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") != "linux" || variable("CARGO_CFG_TARGET_ENV") != "gnu" {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    let folder = Path::new(&variable("OUT_DIR")).join("static");
    let is_static = variable("HOST") == variable("TARGET")
        && !variable("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "crt-static")
        && static_libraries(&folder).is_ok_and(|are_there| are_there);
    if is_static {
        println!("cargo:rustc-link-arg-bins=-static");
        println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
    } else {
        // Then functions are at least looked up only when they are first called.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,lazy");
    }
    // Where the system holds a file in memory in large pieces, such a piece can be mapped as a whole.
    println!("cargo:rustc-link-arg-bins=-Wl,-z,max-page-size=0x200000");
    if is_linked_with(WRITTEN_AT_ONCE).is_ok_and(|is_linked| is_linked) {
        println!("cargo:rustc-link-arg-bins={WRITTEN_AT_ONCE}");
    }
}

/// Makes LLD 22, which comes with Rust 1.95, write its output at once and not through a mapping.
///
/// In this version the switch does the opposite of what it says, and `--no-mmap-output-file` does nothing. Others are
/// left alone: they may understand it as it is written.
const WRITTEN_AT_ONCE: &str = "-Wl,--mmap-output-file";

/// Whether Rust comes with LLVM 22 and links a program that does nothing with this argument.
fn is_linked_with(argument: &str) -> io::Result<bool> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let version = Command::new(variable("RUSTC")).arg("-vV").output()?;
    if !String::from_utf8_lossy(&version.stdout).contains("LLVM version: 22.") {
        return Ok(false);
    }
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--crate-name", "probe", "--target", &variable("TARGET"), "--out-dir", &variable("OUT_DIR")]);
    rustc.args(variable("CARGO_ENCODED_RUSTFLAGS").split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.arg(format!("-Clink-arg={argument}")).arg("-");
    rustc.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = rustc.spawn()?;
    if let Some(mut source) = process.stdin.take() {
        source.write_all(b"fn main() {}")?;
    }
    Ok(process.wait()?.success())
}

/// Fills a folder with static libraries under the names of shared ones; false if the system does not have them.
fn static_libraries(folder: &Path) -> io::Result<bool> {
    let (Some(unwinding), Some(support), Some(c)) =
        (find("libgcc_eh.a")?, find("libgcc.a")?, find("libc.a")?)
    else {
        return Ok(false);
    };
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for name in ["c", "m", "pthread", "dl", "rt", "util"] {
        let Some(library) = find(&format!("lib{name}.a"))? else { return Ok(false) };
        symlink(library, folder.join(format!("lib{name}.so")))?;
    }
    // These need each other.
    let group = format!("GROUP({} {} {})\n", unwinding.display(), support.display(), c.display());
    fs::write(folder.join("libgcc_s.so"), group)?;
    Ok(true)
}

/// Where the linker would find a library.
fn find(name: &str) -> io::Result<Option<PathBuf>> {
    let output = Command::new("cc").arg(format!("-print-file-name={name}")).output()?;
    // What it does not know, it gives back as it is.
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    Ok(path.is_absolute().then_some(path).filter(|path| path.exists()))
}

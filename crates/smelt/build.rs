//! Links the program so that it starts fast: at a fixed address on Linux, and without shared libraries where the system
//! has static ones.
//!
//! A position-independent program corrects some ten thousand addresses whenever it starts, and copies the pages that they
//! are on. Finding, mapping and linking shared libraries takes a third of what is left of the time of `smelt solve` on a
//! small formula. See `docs/design/startup.md`.
//!
//! Rust's own switch for static programs cannot be used: it needs a target that is named, or macros are not built. So the
//! linker is told to, and finds static libraries under the names of the shared ones that Rust asks for.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
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

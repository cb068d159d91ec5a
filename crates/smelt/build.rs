//! Links the program at a fixed address on Linux, and looks up functions of shared libraries when they are first called.
//!
//! A position-independent program corrects some ten thousand addresses whenever it starts, and copies the pages that they
//! are on: a fifth of all page faults of `smelt solve` on a small formula, which calls a third of the library functions
//! that it knows, see `docs/design/startup.md`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is_set = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is_set("CARGO_CFG_TARGET_OS", "linux") && is_set("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        println!("cargo:rustc-link-arg-bins=-Wl,-z,lazy");
    }
}

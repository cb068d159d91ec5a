//! Links the program at a fixed address on Linux.
//!
//! A position-independent program corrects some ten thousand addresses whenever it starts, and copies the pages that they
//! are on: a fifth of all page faults of `smelt solve` on a small formula, see `docs/design/startup.md`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is_set = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is_set("CARGO_CFG_TARGET_OS", "linux") && is_set("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

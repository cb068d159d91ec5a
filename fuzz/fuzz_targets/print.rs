//! Prints and rewrites what arbitrary text reads as.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| smelt_fuzz::print::check(&String::from_utf8_lossy(data)));

//! Reads arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| smelt_fuzz::parse::check(&String::from_utf8_lossy(data)));

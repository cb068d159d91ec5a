//! Evaluates arbitrary formulas under arbitrary models.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| smelt_fuzz::eval::check(&String::from_utf8_lossy(data)));

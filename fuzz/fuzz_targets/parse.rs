//! Reads arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| smelt_fuzz::check("parse", data));
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    smelt_fuzz_targets::mutate_bytes(data, size, max_size, seed)
});

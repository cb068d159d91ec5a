//! Reads arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| smelt_fuzz::parse::check(&String::from_utf8_lossy(data)));
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    smelt_fuzz::mutate::mutate_bytes(data, size, max_size, seed)
});

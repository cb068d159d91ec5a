//! What all targets share: changes of inputs for libFuzzer. What the targets claim is in `crates/smelt-fuzz`.

use smelt_fuzz::mutate::mutate;

/// Changes the first `size` bytes of a buffer: every other time an expression, else bytes. Gives the new size.
pub fn mutate_bytes(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let changed = match str::from_utf8(&data[..size]) {
        Ok(source) if seed % 2 == 0 => mutate(source, max_size, seed),
        _ => None,
    };
    match changed {
        Some(text) => {
            data[..text.len()].copy_from_slice(text.as_bytes());
            text.len()
        }
        None => libfuzzer_sys::fuzzer_mutate(data, size, max_size),
    }
}

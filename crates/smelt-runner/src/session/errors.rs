//! What the solver of a session says on standard error, which has no markers: it belongs to the answers that are read
//! next.

use std::io::{self, PipeReader, Read};
use std::os::fd::{AsRawFd, RawFd};

use crate::sys;

/// So many bytes are kept of what is said to some scripts; reports of sanitizers have less.
const MAX_KEPT: usize = 1 << 16;

/// Standard error of a session.
#[derive(Debug)]
pub(super) struct Errors {
    pipe: Option<PipeReader>,
    kept: Vec<u8>,
    /// All bytes since the last answer.
    count: usize,
}

impl Errors {
    pub(super) fn new(pipe: PipeReader) -> io::Result<Self> {
        sys::set_nonblocking(&pipe)?;
        Ok(Errors { pipe: Some(pipe), kept: Vec::new(), count: 0 })
    }

    /// What becomes readable when something is said; none once it is closed.
    pub(super) fn source(&self) -> Option<RawFd> {
        self.pipe.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// Reads what was said, so that the solver does not wait for room. A pipe that ends becomes none.
    pub(super) fn drain(&mut self, buffer: &mut [u8]) {
        let Some(pipe) = &mut self.pipe else { return };
        // One that never stops must not keep us here.
        for _ in 0..16 {
            match pipe.read(buffer) {
                Ok(0) => {
                    self.pipe = None;
                    return;
                }
                Ok(count) => {
                    self.count += count;
                    let room = MAX_KEPT - self.kept.len();
                    self.kept.extend_from_slice(&buffer[..count.min(room)]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    /// How much was said since the last answer.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// What was said since the last answer.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.count = 0;
        std::mem::take(&mut self.kept)
    }
}

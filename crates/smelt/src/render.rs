//! What users see, and how: the two output streams, diagnostics, progress and the help page.

pub(crate) mod diagnostics;
pub(crate) mod help;
pub(crate) mod progress;
pub(crate) mod streams;

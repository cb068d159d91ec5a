//! What users see, and how: the two output streams, diagnostics, progress, the help page and warnings.

pub(crate) mod diagnostics;
pub(crate) mod help;
pub(crate) mod leaks;
pub(crate) mod load;
pub(crate) mod progress;
pub(crate) mod streams;

//! What users see, and how: the two output streams, diagnostics, the help page, hints and warnings.

pub(crate) mod diagnostics;
pub(crate) mod help;
pub(crate) mod hints;
pub(crate) mod leaks;
pub(crate) mod load;
pub(crate) mod streams;

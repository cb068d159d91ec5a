//! SMT-LIB text to typed, hash-consed terms and back.

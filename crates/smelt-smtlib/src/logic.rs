//! Names of logics. What a logic allows is never enforced: real files name logics that they do not keep to. But a name
//! that no solver knows is most likely mistyped.

/// Logics whose names are not made of theories.
const WHOLE: &[&str] =
    &["ALL", "ALL_SUPPORTED", "HORN", "CORE", "QF_CORE", "QF_ALL", "SAT", "QF_FD", "SMTFD", "SEP"];

/// What stands before the theories.
const PREFIXES: &[&str] = &["HO_", "QF_", "SEP_"];

/// How names of logics write theories and fragments, the longer of two that begin alike first.
const PARTS: &[&str] = &[
    "NIRAT", "NIRA", "NRAT", "NIAT", "NIA", "NRA", "LIRA", "LIA", "LRA", "IDL", "RDL", "SEQ", "SET", "BAG",
    "UF", "AX", "ABV", "BV", "FP", "FF", "DT", "FS", "A", "S", "C",
];

/// Whether a name is made like the names of logics.
pub(crate) fn is_known(name: &str) -> bool {
    let mut rest = name;
    for prefix in PREFIXES {
        if WHOLE.contains(&rest) {
            return true;
        }
        rest = rest.strip_prefix(prefix).unwrap_or(rest);
    }
    if WHOLE.contains(&rest) {
        return true;
    }
    // Every way to cut is tried: positions reached so far, in order.
    let mut reached = vec![false; rest.len() + 1];
    reached[0] = true;
    for start in 0..rest.len() {
        if reached[start] && rest.is_char_boundary(start) {
            for part in PARTS.iter().filter(|part| rest[start..].starts_with(**part)) {
                reached[start + part.len()] = true;
            }
        }
    }
    !rest.is_empty() && reached[rest.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_logics_are_made_of_theories() {
        for name in [
            "ALL",
            "ALL_SUPPORTED",
            "QF_S",
            "QF_SLIA",
            "QF_SNIA",
            "SLIA",
            "QF_UF",
            "QF_AUFBV",
            "QF_ABVFPLRA",
            "AUFLIRA",
            "UFDTLIA",
            "QF_BVFP",
            "QF_NRAT",
            "HO_UFLIA",
            "HO_ALL",
            "HO_QF_ALL",
            "HO_AUFBVFPDTNIRA",
            "QF_AX",
            "QF_IDL",
            "QF_UFSLIA",
            "LIA",
            "HORN",
        ] {
            assert!(is_known(name), "{name}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for name in ["FOO", "QF_", "QF_FOO", "qf_s", "QF_SLIAX", "", "é"] {
            assert!(!is_known(name), "{name}");
        }
    }
}

(declare-const s String)
(assert (str.in.re s (str.to_re "\u{41}")))

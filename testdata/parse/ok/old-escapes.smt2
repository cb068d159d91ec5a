(declare-const s String)
(assert (str.in.re s (str.to.re "\x41\n\t\\\101")))

(declare-const s String)
(assert (= s "two
lines ; no comment"))

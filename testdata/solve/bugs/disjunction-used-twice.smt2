; expect: unsat
; The disjunction is asserted and decides the choice, too: its free constant `p` may not be dropped with it.
(declare-const p Bool)
(declare-const s String)
(declare-const t String)
(declare-const i Int)
(assert (or p (= s t)))
(assert (ite (or p (= s t)) (< (str.len s) i) (= (str.len t) i)))
(assert (<= i (str.len s)))
(check-sat)

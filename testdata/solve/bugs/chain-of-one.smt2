; expect: sat unsat
; Z3 takes a chain of one argument, which holds; a search over small values once looked for a second.
(declare-const i Int)
(assert (< i))
(assert (= (* i) 3))
(check-sat)
(assert (distinct i 3))
(check-sat)

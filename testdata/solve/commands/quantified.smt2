; expect: unknown unsat
; What is outside is unknown, unless the rest is refuted.
(declare-const x Int)
(assert (forall ((y Int)) (> (+ x y) y)))
(check-sat)
(assert (= x 1))
(assert (= x 2))
(check-sat)

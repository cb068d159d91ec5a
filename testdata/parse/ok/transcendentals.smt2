(declare-const r Real)
(assert (= (sin r) (cos real.pi) (exp 1.0)))
(assert (< (arctan r) (sqrt 2.0)))

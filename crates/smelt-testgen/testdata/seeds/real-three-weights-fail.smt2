; expect: unsat
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(assert (= (+ a b c) 1.0))
(assert (> a (* 2.0 b)))
(assert (> b (* 2.0 c)))
(assert (> c 0.2))
(check-sat)

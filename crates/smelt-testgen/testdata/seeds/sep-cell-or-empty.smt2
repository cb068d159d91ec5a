; expect: sat
(declare-heap (Int Int))
(declare-const x Int)
(assert (or sep.emp (pto x 1)))
(assert (not sep.emp))
(check-sat)

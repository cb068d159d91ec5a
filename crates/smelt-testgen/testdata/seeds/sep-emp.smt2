; expect: sat
(declare-heap (Int Int))
(assert sep.emp)
(check-sat)

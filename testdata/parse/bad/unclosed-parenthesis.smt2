; expect: never closed
(assert (= 1 1)
(check-sat)

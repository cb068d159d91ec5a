; expect: never closed
(check-sat)
(assert (= 1 1
; expect: unsat
(declare-const a (Array Int Int))
(declare-const i Int)
(assert (< (select a 0) (select a 1)))
(assert (= i 1))
(assert (<= (select a i) (select a (- i 1))))
(check-sat)

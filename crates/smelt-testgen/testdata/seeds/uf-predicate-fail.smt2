; expect: unsat
(declare-fun p (Int) Bool)
(declare-const a Int)
(declare-const b Int)
(assert (p a))
(assert (not (p b)))
(assert (= (* 2 a) (* 2 b)))
(check-sat)

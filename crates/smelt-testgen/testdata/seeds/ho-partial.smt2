; expect: unsat
(set-logic HO_ALL)
(declare-fun f (Int Int) Int)
(declare-const x Int)
(declare-const g (-> Int Int))
(assert (= g (f x)))
(assert (distinct (g 2) (f x 2)))
(check-sat)

; expect: unsat
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const p Bool)
(assert (= (select a (ite p i (+ i 1))) 3))
(assert (distinct (select a i) 3))
(assert p)
(check-sat)

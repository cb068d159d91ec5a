; expect: unsat
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(assert (= (select a i) j))
(assert (= (select a j) i))
(assert (distinct (select a (select a i)) i))
(check-sat)

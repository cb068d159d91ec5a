; expect: unsat
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(assert (= (concat x y) (concat y x)))
(assert (distinct x y))
(check-sat)

; expect: unsat
(declare-const x (_ BitVec 1))
(declare-const y (_ BitVec 1))
(assert (= (bvadd x y) #b0))
(assert (distinct x y))
(check-sat)

; expect: unsat
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(assert (bvslt (bvsrem x y) #x0))
(assert (bvsgt x #x0))
(check-sat)

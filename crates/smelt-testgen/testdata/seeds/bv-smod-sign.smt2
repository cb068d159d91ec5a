; expect: unsat
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(assert (bvsgt y #x0))
(assert (bvslt (bvsmod x y) #x0))
(check-sat)

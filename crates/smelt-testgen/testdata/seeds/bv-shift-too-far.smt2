; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (distinct (bvlshr x y) #x00))
(assert (bvuge y #x08))
(check-sat)

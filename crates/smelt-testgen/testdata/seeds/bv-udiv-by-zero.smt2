; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvudiv x y) #xff))
(assert (distinct x #xff))
(assert (bvuge y #x02))
(check-sat)

; expect: sat
(declare-const a (_ BitVec 8))
(declare-const b (_ BitVec 8))
(assert (= (bvudiv a b) #xff))
(assert (= (bvurem a b) a))
(assert (bvsge (bvsdiv a #x02) (bvashr a #x01)))
(assert (distinct a #x00))
(check-sat)

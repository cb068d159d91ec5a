(declare-const a (_ BitVec 8))
(declare-const b (_ BitVec 8))
(assert (= (bvadd a b #x01) (bvsub a b) (bvmul a b) (bvneg a)))
(assert (= (bvudiv a b) (bvurem a b) (bvsdiv a b) (bvsrem a b) (bvsmod a b)))

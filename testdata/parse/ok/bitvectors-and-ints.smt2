(declare-const a (_ BitVec 8))
(assert (= (ubv_to_int a) (sbv_to_int a) (bv2nat a)))
(assert (= ((_ int_to_bv 8) 300) ((_ int2bv 8) (- 1)) a))

(declare-const a (_ BitVec 8))
(declare-const b (_ BitVec 8))
(assert (or (bvnego a) (bvuaddo a b) (bvsaddo a b) (bvumulo a b) (bvsmulo a b)))
(assert (or (bvusubo a b) (bvssubo a b) (bvsdivo a b)))

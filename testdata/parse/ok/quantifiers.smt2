(declare-fun f (Int) Int)
(assert (forall ((x Int) (y Int)) (=> (< x y) (exists ((z Int)) (= (f z) x)))))

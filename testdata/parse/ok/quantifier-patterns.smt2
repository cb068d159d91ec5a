(declare-fun f (Int) Int)
(assert (forall ((x Int)) (! (= (f x) x) :pattern ((f x)) :qid fixed :weight 3)))
(assert (forall ((x Int) (y Int)) (! (< (f x) y) :pattern ((f x) (f y)) :no-pattern (f y))))

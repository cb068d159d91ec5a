(declare-fun f (Int Bool) Real)
(declare-fun c () Int)
(assert (> (f c true) 1.5))

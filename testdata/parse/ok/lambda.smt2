(declare-fun g ((-> Int Int)) Int)
(assert (= (g (lambda ((x Int)) (+ x 1))) 3))

; expect: a bag holds an element -2 times
(assert (= (bag 1 (- 2)) (bag 1 2)))

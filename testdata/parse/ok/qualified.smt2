(declare-const x Int)
(assert (= (as x Int) 1))

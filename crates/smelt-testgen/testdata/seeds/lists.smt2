; expect: sat
(declare-datatypes ((Chain 0)) (((end) (link (value Int) (rest Chain)))))
(declare-const l Chain)
(declare-const x Int)
(assert ((_ is link) l))
(assert (= (value l) (+ x 1)))
(assert (ite (= (rest l) end) (> x 5) (< (value (rest l)) x)))
(check-sat)

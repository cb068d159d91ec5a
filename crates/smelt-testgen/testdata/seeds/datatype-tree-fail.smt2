; expect: unsat
(declare-datatypes ((Tree 0)) (((leaf (value Int)) (node (first Tree) (second Tree)))))
(declare-const s Tree)
(declare-const t Tree)
(assert (= t (node s s)))
(assert (= (first t) (second t)))
(assert (distinct (first t) s))
(check-sat)

; expect: unsat
(declare-datatypes ((Pair 0)) (((pair (left Int) (right Bool)))))
(declare-const p Pair)
(declare-const q Pair)
(assert (= (left p) (left q)))
(assert (= (right p) (right q)))
(assert (distinct p q))
(check-sat)

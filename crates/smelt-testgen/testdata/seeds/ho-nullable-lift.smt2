; expect: unsat
(set-logic HO_ALL)
(declare-const x (Nullable Int))
(declare-const n Int)
(assert (= x (nullable.some n)))
(assert (distinct (nullable.val (nullable.lift (lambda ((y Int)) (+ y 1)) x)) (+ n 1)))
(check-sat)

; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (= (str.len (str.++ x y x)) 5))
(assert (= (str.len y) (* 2 (str.len x))))
(check-sat)

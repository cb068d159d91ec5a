; expect: unsat
(declare-const a (Array String Int))
(declare-const x String)
(declare-const y String)
(assert (= (select a x) 1))
(assert (= (select a y) 2))
(assert (= (str.++ x "b") (str.++ y "b")))
(check-sat)

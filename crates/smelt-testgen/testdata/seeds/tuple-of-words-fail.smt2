; expect: unsat
(declare-const t (Tuple String Int))
(assert (= t (tuple "abc" (str.len (str.++ "ab" ((_ tuple.select 0) t))))))
(assert (= ((_ tuple.select 1) t) 3))
(check-sat)

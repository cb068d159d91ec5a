; expect: unsat
(declare-fun a () String)
(declare-fun b () String)
(assert (= a "ababab"))
(assert (= b "bb"))
(assert (str.contains (str.++ a a) b))
(check-sat)

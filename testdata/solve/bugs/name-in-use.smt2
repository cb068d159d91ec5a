; expect: unknown
; The declared constant was taken for the one that stands for the quantifier.
(declare-const x String)
(assert (exists ((u String)) (= (str.++ u u) x)))
(declare-const abstracted_0 Bool)
(assert (not abstracted_0))
(check-sat)

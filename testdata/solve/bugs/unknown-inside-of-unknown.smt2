; expect: unknown
; Satisfied by 1.0 for r. What stands for the equation of reals depends on x through what stands for the inner quantifier,
; and was taken for the same for all x.
(declare-const r Real)
(assert (forall ((x String))
  (= (= r (ite (exists ((y String)) (and (str.in_re y (str.to_re "aa")) (str.prefixof y x) (= (str.len y) (str.len x)))) 1.0 2.0))
     (= x "aa"))))
(check-sat)

; expect: unsat unsat sat
; Z3 10511: the same constraint, asserted and assumed.
(declare-const x String)
(declare-const p Bool)
(assert (= p (= (str.++ x "a") (str.++ "b" x))))
(check-sat-assuming (p))
(push 1)
(assert p)
(check-sat)
(pop 1)
(check-sat-assuming ((not p)))

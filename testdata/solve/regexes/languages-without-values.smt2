; expect: unknown
; There are different languages, but a model could not be evaluated.
(declare-const r RegLan)
(declare-const s RegLan)
(declare-const p Bool)
(assert (or p (not (= r s))))
(assert (or (not p) (not (= r s))))
(check-sat)

; expect: is applied to nothing
(declare-const p Bool)
(assert (p))

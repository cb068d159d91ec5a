; A solver answered sat, and the model in wrong-model.model. It does not satisfy the second assertion.
(set-logic QF_SLIA)
(declare-const s String)
(declare-const n Int)
(assert (str.in_re s (re.+ (re.range "a" "c"))))
(assert (= n (str.indexof s "" 4)))
(check-sat)

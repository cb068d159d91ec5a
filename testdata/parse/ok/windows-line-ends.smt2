(set-logic QF_LIA)
(declare-const x Int)
(assert (< x 1)) ; small
(check-sat)

(set-logic QF_MY_OWN_LOGIC)
(declare-const x Int)
(assert (= x 1))

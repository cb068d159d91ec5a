; expect: sat
; model: (define-fun a () (Set Bool) (set.union (set.singleton true) (set.singleton false)))
(declare-const a (Set Bool))
(assert (set.member true a))
(assert (set.member false a))
(check-sat)

; expect: sat
; model: (define-fun a () (Set (Set Int)) (set.singleton (set.singleton 1)))
; model: (define-fun b () (Set Int) (set.singleton 1))
(declare-const a (Set (Set Int)))
(declare-const b (Set Int))
(assert (set.member b a))
(assert (set.member 1 b))
(check-sat)

; expect: sat
; model: (define-fun a () (Set String) (set.union (set.singleton "a") (set.singleton "ab")))
(declare-const a (Set String))
(assert (set.member "ab" a))
(assert (set.member (str.at "ab" 0) a))
(assert (not (set.member "" a)))
(check-sat)

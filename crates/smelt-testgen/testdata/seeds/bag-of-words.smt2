; expect: sat
; model: (define-fun a () (Bag String) (bag "ab" 2))
(declare-const a (Bag String))
(assert (bag.member (str.++ "a" "b") a))
(assert (= (bag.count "ab" a) (str.len "ab")))
(check-sat)

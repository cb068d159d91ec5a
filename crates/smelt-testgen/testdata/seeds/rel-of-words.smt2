; expect: sat
; model: (define-fun r () (Relation String Int) (set.singleton (tuple "ab" 2)))
(declare-const r (Relation String Int))
(assert (set.member (tuple "ab" (str.len "ab")) r))
(assert (not (set.is_empty r)))
(check-sat)

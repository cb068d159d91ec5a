; expect: sat
; model: (define-fun t () (Tuple String Int) (tuple "ab" 2))
(declare-const t (Tuple String Int))
(assert (= ((_ tuple.select 1) t) (str.len ((_ tuple.select 0) t))))
(assert (str.prefixof "a" ((_ tuple.select 0) t)))
(assert (= ((_ tuple.select 1) t) 2))
(check-sat)

; expect: sat
; model: (define-fun f ((x (_ BitVec 1))) (_ BitVec 1) (bvnot x))
(set-logic HO_ALL)
(declare-fun f ((_ BitVec 1)) (_ BitVec 1))
(assert (= f (lambda ((x (_ BitVec 1))) (bvnot x))))
(check-sat)

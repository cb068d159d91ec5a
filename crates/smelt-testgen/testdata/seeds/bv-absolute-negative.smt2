; expect: sat
; model: (define-fun x () (_ BitVec 8) #x80)
; model: (define-fun a () (_ BitVec 8) #x80)
(declare-const x (_ BitVec 8))
(declare-const a (_ BitVec 8))
(assert (= a (ite (bvslt x #x00) (bvneg x) x)))
(assert (bvslt a #x00))
(check-sat)

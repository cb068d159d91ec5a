; expect: sat
; model: (define-fun a () (_ BitVec 16) #x2700)
; model: (define-fun b () (_ BitVec 8) #x27)
(declare-const a (_ BitVec 16))
(declare-const b (_ BitVec 8))
(assert (= (concat ((_ extract 7 0) a) ((_ extract 15 8) a)) ((_ zero_extend 8) b)))
(assert (bvugt b #x0f))
(assert (bvslt ((_ sign_extend 8) b) ((_ rotate_left 3) a)))
(check-sat)

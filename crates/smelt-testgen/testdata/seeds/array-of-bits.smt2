; expect: sat
; model: (define-fun a () (Array (_ BitVec 2) (_ BitVec 4)) (store (store ((as const (Array (_ BitVec 2) (_ BitVec 4))) #x9) #b00 #x3) #b01 #x4))
; model: (define-fun i () (_ BitVec 2) #b00)
(declare-const a (Array (_ BitVec 2) (_ BitVec 4)))
(declare-const i (_ BitVec 2))
(assert (= (select a i) #x3))
(assert (= (select a (bvadd i #b01)) #x4))
(assert (distinct (select a (bvadd i #b10)) #x3 #x4))
(check-sat)

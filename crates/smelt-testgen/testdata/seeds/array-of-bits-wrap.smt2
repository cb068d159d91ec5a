; expect: unsat
(declare-const a (Array (_ BitVec 2) (_ BitVec 4)))
(declare-const i (_ BitVec 2))
(assert (= (select a i) #x3))
(assert (= (select a (bvadd i #b10 #b10)) #x4))
(check-sat)

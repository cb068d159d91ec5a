; expect: sat
; model: (define-fun x () String "aa")
; model: (define-fun y () String "ba")
(declare-const x String)
(declare-const y String)
(assert (str.in_re (str.++ x y) ((_ re.^ 3) (re.++ (str.to_re "a") (re.opt (str.to_re "b"))))))
(assert (= (str.len x) (str.len y)))
(assert (not (= x y)))
(check-sat)

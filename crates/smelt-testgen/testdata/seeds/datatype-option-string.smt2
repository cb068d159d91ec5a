; expect: sat
; model: (define-fun x () String "BA")
; model: (define-fun o () Option (some "BAb"))
(declare-datatypes ((Option 0)) (((none) (some (content String)))))
(declare-const o Option)
(declare-const x String)
(assert (= o (some (str.++ x "b"))))
(assert (= (str.len (content o)) 3))
(check-sat)

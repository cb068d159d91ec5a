; expect: sat
(declare-fun f (String Int) String)
(declare-fun x () String)
(assert (= x "a"))
(assert (= (f x 1) "b"))
(assert (= (f (f "a" 1) 2) "c"))
(assert (not (= (f "b" 2) (f "a" 1))))
(check-sat)

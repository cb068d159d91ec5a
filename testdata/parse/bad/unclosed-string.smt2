; expect: string literal is never closed
(assert (= "abc 1))

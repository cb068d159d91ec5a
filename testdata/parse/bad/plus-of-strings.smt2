; expect: argument 1 is a `String`
(assert (= (+ "a" "b") "ab"))

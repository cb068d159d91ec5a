; expect: argument 2 is a `String`
(assert (= 1 "one"))

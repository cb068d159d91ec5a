; expect: `fp.add` takes 3 arguments
(declare-const x Float32)
(assert (= (fp.add x x) x))

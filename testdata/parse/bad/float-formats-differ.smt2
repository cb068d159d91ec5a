; expect: `fp.add` has signature
(declare-const x Float32)
(declare-const y Float64)
(assert (= (fp.add RNE x y) x))

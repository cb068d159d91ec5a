; expect: `declare-fun` has the form
(declare-fun f Int)

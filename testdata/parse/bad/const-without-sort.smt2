; expect: does not follow from its arguments
(declare-const a (Array Int Int))
(assert (= a (const 0)))

; expect: sort `Array` takes 2 arguments
(declare-const a (Array Int))

; expect: sort `Int` takes 0 arguments
(declare-const a (Int Bool))

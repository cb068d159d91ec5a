; expect: expected a name
(declare-const 5 Int)

; expect: cannot have sort
(declare-const x Int)
(assert (as x Bool))

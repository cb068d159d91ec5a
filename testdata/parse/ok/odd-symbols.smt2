(declare-const ~!@$%^&*_-+=<>.?/ Int)
(declare-const .x Int)
(assert (= ~!@$%^&*_-+=<>.?/ .x))

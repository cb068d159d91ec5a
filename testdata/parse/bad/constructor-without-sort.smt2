; expect: does not follow from its arguments
(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (h T) (t (L T)))))))
(assert (= nil nil))

(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(declare-const l (List Int))
(assert (= l (cons 1 (as nil (List Int)))))
(assert (not (= l (as nil (List Int)))))

(declare-datatypes (T) ((List nil (cons (head T) (tail List)))))
(declare-const l (List Int))
(assert (is-cons l))
(assert (= (head l) 1))

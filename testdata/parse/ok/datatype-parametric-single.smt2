(declare-datatype Maybe (par (T) ((none) (some (value T)))))
(declare-const m (Maybe Bool))
(assert (= m (some true)))
(assert ((_ is some) m))

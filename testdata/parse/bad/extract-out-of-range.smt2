; expect: `extract` has signature
(assert (= ((_ extract 8 0) #x01) #x01))

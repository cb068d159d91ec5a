; expect: `extract` has signature
(assert (= ((_ extract 0 4) #xff) #x01))

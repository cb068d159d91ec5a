; expect: takes 2 indices
(assert (= ((_ extract 3) #xff) #x01))

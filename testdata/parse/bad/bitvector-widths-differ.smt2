; expect: `bvadd` has signature
(assert (= (bvadd #x01 #b1) #x01))

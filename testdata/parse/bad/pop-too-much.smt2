; expect: nothing is pushed
(pop 1)

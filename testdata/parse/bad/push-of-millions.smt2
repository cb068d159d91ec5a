; expect: a push opens at most
(push 4000000000)

; expect: pop of 3
(push 2)
(pop 3)

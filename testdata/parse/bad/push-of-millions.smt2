; expect: levels can be open
(push 4000000000)

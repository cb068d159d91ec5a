; expect: `str.++` has signature
(assert (= (str.++ re.all "a") "a"))

(declare-const s String)
(assert (= (str.rev s) (str.to_lower s) (str.to_upper s)))
(assert (= (str.update s 1 "x") (str.replace_re s re.all "y") (str.replace_re_all s re.all "z")))
(assert (= (str.indexof_re s re.allchar 0) 0))

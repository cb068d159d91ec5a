(assert (= 0 00 12345678901234567890123456789))
(assert (= 1.50 0.0 12.000))
(assert (= #xaF #b10101111 (_ bv175 8)))
(assert (= "" "a ""quoted"" word"))

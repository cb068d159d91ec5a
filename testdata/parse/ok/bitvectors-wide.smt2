(declare-const a (_ BitVec 1000))
(assert (= a (_ bv123456789012345678901234567890 1000)))

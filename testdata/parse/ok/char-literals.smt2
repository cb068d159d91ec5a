(assert (= (_ char #x41) "A"))
(assert (= (_ char #x2ffff) "\u{2ffff}"))

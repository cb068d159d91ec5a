(assert (= "\u{41}" "\u0041" "A"))
(assert (= "\u{2FFFF}" "\x41" "\" "\u{" "\u"))

(declare-const s String)
(assert (str.in.re s (re.union re.nostr re.allchar)))

; expect: `rel.join` takes relations
(declare-const r (Relation Int))
(assert (= (rel.join r r) r))

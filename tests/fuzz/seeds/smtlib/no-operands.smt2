(declare-const x Bool)
(assert ((f)))

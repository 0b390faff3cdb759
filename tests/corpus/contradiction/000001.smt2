; A question with a wrong answer, for recheck.py to find.
(set-logic QF_BV)
(declare-fun x () (_ BitVec 8))
(assert (bvult x #x05))
(check-sat)
; answer: unsat

; Sussman's anomaly: C stands on A; wanted is the tower A, B, C. Written in capitals, as many benchmarks are.
(define (problem SUSSMAN)
  (:domain blocks)
  (:objects A B C - BLOCK)
  (:INIT (HANDEMPTY) (ONTABLE A) (ONTABLE B) (ON C A) (CLEAR B) (CLEAR C))
  (:goal (AND (ON A B) (ON B C))))

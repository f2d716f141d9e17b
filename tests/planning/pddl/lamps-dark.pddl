; No action mends a lamp, and a broken one is lit only by its neighbour: it has none.
(define (problem dark)
  (:domain lamps)
  (:objects middle)
  (:init (broken middle))
  (:goal (and (lit middle) (not (broken middle)) (not (next first last)))))

; The middle lamp is broken, so its light has to come from the first one; then the last two are lit.
(define (problem row)
  (:domain lamps)
  (:objects middle)
  (:init (next first middle) (next middle last) (broken middle))
  (:goal (and (lit middle) (not (lit first)) (lit last) (done))))

; Sections in an order of their own, negative preconditions, equality, and one name for two actions.
(define (domain lamps)
  (:requirements :negative-preconditions :equality)
  (:predicates (lit ?lamp) (broken ?lamp) (next ?one ?other) (touched ?lamp) (done))
  (:constants first last)
  (:action toggle
    :parameters (?lamp)
    :precondition (and (not (lit ?lamp)) (not (broken ?lamp)))
    :effect (and (lit ?lamp) (touched ?lamp)))
  (:action toggle
    :parameters (?lamp)
    :precondition (lit ?lamp)
    :effect (and (not (lit ?lamp)) (touched ?lamp)))
  (:action pass-on
    :parameters (?one ?other)
    :precondition (and (lit ?one) (not (lit ?other)) (next ?one ?other) (not (= ?other last)))
    :effect (and (not (lit ?one)) (lit ?other)))
  (:action finish
    :parameters (?lamp)
    :precondition (and (= ?lamp last) (lit ?lamp) (not (lit first)))
    :effect (and (done) (not (done)))))

; Parcels go by van on roads and by boat on canals; roads cost what they are long, loading costs 1.
(define (domain delivery)
  (:requirements :typing :action-costs)
  (:types place thing - object
          vehicle parcel - thing
          van boat - vehicle)
  (:constants depot - place)
  (:predicates (road ?from ?to - place) (canal ?from ?to - place)
               (at ?what - thing ?where - place) (in ?what - parcel ?where - (either van boat)) (paid))
  (:functions (total-cost) - number (length ?from ?to - place) - number)
  (:action drive
    :parameters (?v - van ?from ?to - place)
    :precondition (and (at ?v ?from) (road ?from ?to))
    :effect (and (at ?v ?to) (not (at ?v ?from)) (increase (total-cost) (length ?from ?to))))
  (:action sail
    :parameters (?b - boat ?from ?to - place)
    :precondition (and (at ?b ?from) (canal ?from ?to))
    :effect (and (at ?b ?to) (not (at ?b ?from)) (increase (total-cost) 2) (increase (total-cost) 0.5)))
  (:action load
    :parameters (?p - parcel ?v - (either van boat) ?where - place)
    :precondition (and (at ?p ?where) (at ?v ?where))
    :effect (and (in ?p ?v) (not (at ?p ?where)) (increase (total-cost) 1)))
  (:action unload
    :parameters (?p - parcel ?v - vehicle ?where - place)
    :precondition (and (in ?p ?v) (at ?v ?where))
    :effect (and (at ?p ?where) (not (in ?p ?v)) (increase (total-cost) 1)))
  (:action pay
    :parameters ()
    :precondition ()
    :effect (paid))
  (:action collect
    :parameters (?p - parcel)
    :precondition (and (paid) (at ?p depot))
    :effect (and (not (at ?p depot)))))

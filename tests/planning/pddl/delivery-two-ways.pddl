; By road the parcel needs 1 + 7 + 7 + 1; over the canal 1 + 3 + 1 + 1 + 2.5 + 1.
(define (problem two-ways)
  (:domain delivery)
  (:objects mill quay island - place lorry - van barge - boat box - parcel)
  (:init (at lorry depot) (at barge quay) (at box depot)
         (road depot mill) (road mill island) (road depot quay) (canal quay island) (canal island quay)
         (= (total-cost) 0) (= (length depot mill) 7) (= (length mill island) 7) (= (length depot quay) 3))
  (:goal (at box island))
  (:metric minimize (total-cost)))

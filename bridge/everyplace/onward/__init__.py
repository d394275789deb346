"""Messages in transit whose way on is a synchronous queue of another queue manager (mqe.md E-192, E-353).

They are not kept here. A batch that is pushed is put there at once, hidden, with confirm ids. When its sender confirms
it, that the puts are to be confirmed is written in one transaction with the number of the batch, and then they are
confirmed: again and again until that is answered, after a crash too; a repeated confirm that finds nothing has been
done before (E-198). A put whose batch is given up is undone (E-199); where that is lost too, it is undone when the
message comes again.
"""

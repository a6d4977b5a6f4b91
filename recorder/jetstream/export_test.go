package jetstream

// Die ends the lease as a kill of the worker does: nobody is told.
func (l *Lease) Die() { l.drop() }

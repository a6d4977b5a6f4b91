package jetstream

// Die ends the lease without a word, as a kill of the worker does.
func (l *Lease) Die() { l.drop() }

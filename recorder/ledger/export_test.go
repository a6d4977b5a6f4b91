package ledger

// Waiting returns how many wait for a commit that is under way.
func (l *Ledger) Waiting() int { return l.queue.Waiting() }

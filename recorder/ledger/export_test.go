package ledger

// TestOnlyFull lets the files of a ledger be full after so many bytes.
func (l *Ledger) TestOnlyFull(bytes int64) *Ledger { l.full = bytes; return l }

// Waiting returns how many wait for a commit that is under way.
func (l *Ledger) Waiting() int { return l.queue.Waiting() }

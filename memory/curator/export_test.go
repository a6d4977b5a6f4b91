package curator

// Waiting returns how many sessions wait for the one that is being remembered.
func (w *Curator) Waiting() int { return w.closes.Waiting() }

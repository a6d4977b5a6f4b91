package workspace

// Waiting returns how many sessions wait for the one that is being remembered.
func (w *Workspace) Waiting() int { return w.closes.Waiting() }

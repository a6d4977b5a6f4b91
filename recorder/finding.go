package recorder

import "github.com/council-engine/council/council"

// Weight is how much a finding matters.
type Weight string

// The weights. A remark is worth knowing and not wrong; damage is a record that is not what was written.
const (
	Remark  Weight = "remark"
	Finding Weight = "finding"
	Damage  Weight = "damage"
)

// Found is one thing that was found.
type Found struct {
	Weight  Weight            `json:"weight"`
	Path    string            `json:"path"` // within the workspace, with forward slashes
	Session council.SessionID `json:"session,omitempty"`
	Problem string            `json:"problem"` // a plain sentence
	Do      string            `json:"do"`      // what to do about it
	Repair  bool              `json:"repair"`  // --repair does it
	cure    cure
}

// cure is the kind of a repair.
type cure int

const (
	noCure  cure = iota
	mend         // torn ends: resume the session and let it go
	rebuild      // derived files
	sweep        // a temporary file
	private      // permissions
)

// Findings is the result of [Root.Check].
type Findings struct {
	Sessions int // that were looked at
	Found    []Found
}

// Worst returns the greatest weight of what was found; a remark when it is nothing.
func (r Findings) Worst() Weight {
	worst := Remark
	for _, f := range r.Found {
		if f.Weight == Damage {
			return Damage
		}
		if f.Weight == Finding {
			worst = Finding
		}
	}
	return worst
}

// add adds what was found at a path of a session; id is empty for what belongs to none.
func (r *Findings) add(w Weight, path string, id council.SessionID, by cure, problem, do string) {
	r.Found = append(r.Found, Found{
		Weight: w, Path: path, Session: id, Problem: problem, Do: do, Repair: by != noCure, cure: by,
	})
}

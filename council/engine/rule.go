package engine

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
)

// Rule records a ruling: like every event it is on the log before the session knows of it. A ruling that does not apply
// is recorded nowhere.
func Rule(s *rules.Session, log Log, r council.Ruling) error {
	e, err := s.Rule(r)
	if err != nil {
		return err
	}
	if err := log.Append(e); err != nil {
		return err
	}
	return s.Apply(e)
}

package site

import (
	"errors"

	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
)

// InRoundtable calls do with the adopted roundtable record, if there is one.
func InRoundtable(root *recorder.Root, do func(*roundtable.Record) error) error {
	r, err := roundtable.Open(root.Files())
	if errors.Is(err, roundtable.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return do(r)
}

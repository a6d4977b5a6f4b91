package cli

import (
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/seat"
)

// OpenIndex opens the index of the record, whole: where there was none it is built, and people are told.
func OpenIndex(c *Command) (*index.Index, error) {
	w, err := seat.RecoverMemory(c.World, c.Ctx, c.Root, "")
	if err != nil {
		return nil, err
	}
	ix, built, err := w.Index(c.Ctx)
	if err != nil {
		return nil, err
	}
	if aside := ix.Aside(); aside != nil {
		c.Warn("Recall: %s. It was built again from what is there; the old one is kept as %s.", aside.Why, aside.Path)
	} else if built {
		c.Warn("There was no whole index to search, so it was built from what is there.")
	}
	return ix, nil
}

package desk

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

// InRecord opens the record in a folder, does something in it, and leaves it.
func (d Desk) InRecord(folder string, do func(*recorder.Root) error) error {
	root, err := recorder.FindRoot(folder, d.Record...)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// InSession is InRecord for the session that the arguments name, else for the latest.
func (d Desk) InSession(folder string, args []string, do func(*recorder.Root, council.SessionID) error) error {
	return d.InRecord(folder, func(root *recorder.Root) error {
		id, err := root.Find(NameOf(args))
		if err != nil {
			return err
		}
		return do(root, id)
	})
}

package verify

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/anchor"
)

// anchors holds the log, as far as it is good, against every anchor.
func (v *verification) anchors(c *Check) {
	sources := slices.Clone(v.Anchors)
	text, err := atomicfile.Read(v.Files, anchor.File)
	switch {
	case err == nil:
		sources = append(sources, anchor.Source{Name: anchor.File, Text: text})
	case !errors.Is(err, fs.ErrNotExist):
		c.find("%s cannot be read: %v.", anchor.File, err)
	}
	v.judged, v.failed = anchor.NewTree(v.ID, v.log.Entries).Judge(sources, v.Keys)
	strangers := 0
	for _, j := range v.judged {
		switch {
		case v.damage != nil && j.Size > len(v.log.Entries):
			c.note("The anchor of %s in %s cannot be compared: the log is damaged after event e%d.",
				plural.Things(j.Size, "event"), j.Source, len(v.log.Entries))
		case j.Problem != "" && j.Size > 0:
			c.find("The anchor of %s in %s does not hold. %s", plural.Things(j.Size, "event"), j.Source, j.Problem)
		case j.Problem != "":
			c.find("An anchor in %s does not hold. %s", j.Source, j.Problem)
		case !j.Known:
			strangers++
		}
	}
	if strangers > 0 {
		c.note("%s by a key that is not known here; what it is worth depends on where it was kept.",
			plural.Things(strangers, "anchor is signed", "anchors are signed"))
	}
	if reach, _ := anchor.Reach(v.judged); reach == 0 {
		c.note("Nothing outside the record vouches for it: whoever can write all of it can change it unseen.")
	}
}

package trial

import (
	"encoding/json"
	"errors"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

// agreedFolder is the folder of a workspace with a file for each evaluation that decided a question.
const agreedFolder = "evaluations"

// keepAgreed keeps the decisions of an evaluation in the workspace, if there is one. Another run of the same council on
// the same data set replaces them.
func (r *trial) keepAgreed(dataset string) error {
	if len(r.agreed) == 0 {
		return nil
	}
	of := sessionID(dataset, council.Topic{}, &r.charter)
	doc, err := json.MarshalIndent(evaluation.Agreements{Format: evaluation.Format, Decisions: r.agreed}, "", "  ")
	if err != nil {
		return err
	}
	err = r.InRecord(r.charter.Storage.RootDir, func(root *recorder.Root) error {
		return atomicfile.WithinMade(root.Files(), agreedFolder, func(in atomicfile.Files) error {
			return atomicfile.Write(in, string(of)+".json", append(hostile.JSON(doc), '\n'))
		})
	})
	if errors.Is(err, recorder.ErrNoRoot) {
		return nil
	}
	return err
}

// Evaluated returns how often decisions like that of a session were right in the evaluations of its workspace, see
// [evaluation.Agreed.Evaluated]. Files that cannot be read, or that no evaluation wrote so, do not count.
func Evaluated(root *recorder.Root, m *minutes.Minutes) *minutes.Evaluated {
	like := evaluation.AgreedIn(m, evaluation.Result{})
	if like == nil {
		return nil
	}
	var all []evaluation.Agreed
	_ = atomicfile.WithinAny(root.Files(), agreedFolder, func(in atomicfile.Files) error {
		entries, err := in.List()
		for _, e := range entries {
			if doc, err := atomicfile.Read(in, e.Name()); err == nil {
				decisions, _ := evaluation.ParseAgreements(doc)
				all = append(all, decisions...)
			}
		}
		return err
	})
	return like.Evaluated(all)
}

package site

import (
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

// Evaluations is the folder of a workspace with a file for each evaluation that decided a question.
const Evaluations = "evaluations"

// Evaluated returns how often decisions like that of a session were right in the evaluations of its workspace, see
// [evaluation.Agreed.Evaluated]. Files that cannot be read, or that no evaluation wrote so, do not count.
func Evaluated(root *recorder.Root, m *minutes.Minutes) *minutes.Evaluated {
	like := evaluation.AgreedIn(m, evaluation.Result{})
	if like == nil {
		return nil
	}
	var all []evaluation.Agreed
	_ = atomicfile.WithinAny(root.Files(), Evaluations, func(in atomicfile.Files) error {
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

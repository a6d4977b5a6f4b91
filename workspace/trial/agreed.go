package trial

import (
	"encoding/json"
	"errors"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// keepAgreed keeps the decisions of an evaluation in the workspace, if there is one. Another run of the same council on
// the same data set replaces them.
func (r *trial) keepAgreed(dataset string) error {
	if len(r.agreed) == 0 {
		return nil
	}
	of, err := sessionID(dataset, council.Topic{}, &r.charter)
	if err != nil {
		return err
	}
	doc, err := json.MarshalIndent(evaluation.Agreements{Format: evaluation.Format, Decisions: r.agreed}, "", "  ")
	if err != nil {
		return err
	}
	err = r.InRecord(r.charter.Storage.RootDir, func(root *recorder.Root) error {
		return atomicfile.WithinMade(root.Files(), site.Evaluations, func(in atomicfile.Files) error {
			return atomicfile.Write(in, string(of)+".json", append(hostile.JSON(doc), '\n'))
		})
	})
	if errors.Is(err, recorder.ErrNoRoot) {
		return nil
	}
	return err
}

package cli

import (
	"cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// BatchResult is the line of JSON for a session of a batch.
type BatchResult struct {
	Line    int               `json:"line"`
	ID      string            `json:"id,omitempty"`
	Session council.SessionID `json:"session,omitempty"`
	minutes.Gist
	Outcome  *council.Outcome `json:"outcome,omitempty"`
	ExitCode int              `json:"exitCode"`
	Error    string           `json:"error,omitempty"`
}

// BatchResultOf returns the line for a result, with the exit code that the command of the session alone would have.
func BatchResultOf(r run.BatchResult) BatchResult {
	line := BatchResult{Line: r.Line.Number, ID: r.Line.ID, Session: r.Session, Gist: r.Left.Gist, Outcome: r.Left.Outcome}
	if r.Err != nil {
		line.ExitCode, _ = Explain(r.Err)
		line.Error = site.CutSecrets(r.Err.Error())
	} else if code, ok := ResultCode(engine.Result{Outcome: r.Left.Outcome}).(ExitCode); ok {
		line.ExitCode = int(code)
	}
	if r.Left.Suspended != nil {
		line.Error = cmp.Or(line.Error, r.Left.Suspended.Error())
	}
	return line
}

// ReadBatch reads a file of one JSON object a line. The error is of usage, or says why the file cannot be read.
func ReadBatch(a *Env, file string) ([]run.BatchLine, error) {
	doc, err := ReadInput(a, "the batch cannot be read", file, run.MaxBatch+1)
	if err != nil {
		return nil, err
	}
	return run.ParseBatch(doc)
}

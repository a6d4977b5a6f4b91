package config

import (
	"bytes"
	"path"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// DefaultResolution is the resolution of a phase that reached none and has no fallback of its own.
const DefaultResolution = "No resolution was reached."

// setDefaults fills in what a file may leave out of one part of the charter, before the part is read, and does the
// same for the parts within it that may be left out as a whole.
func setDefaults(part reflect.Value) {
	switch p := part.Addr().Interface().(type) {
	case *council.Charter:
		p.SessionPolicy = council.SessionPolicy{MaxPhaseTransitions: 12, PhaseContextVerbosity: council.VerbosityStandard}
		p.Output.Type = council.OutputNone
		p.DocumentationReview.MaxRevisionRounds = 2
		p.Deliberation = council.Deliberation{SealedPositions: true, MarkCitations: true, Stances: true}
		p.Storage = council.Storage{RootDir: ".council"}
		p.Execution = council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"}
	case *council.Phase:
		setDefaults(reflect.ValueOf(&p.Governance).Elem())
		p.StopConditions = council.StopConditions{EndOnMajorityVote: true, MaxQuestions: 3}
		p.MemoryPolicy = council.MemoryPolicy{ReadMemberMemory: true, WriteMemberMemory: true,
			WriteCouncilMemory: true, IncludePriorPhaseSummary: true}
		p.Fallback = council.Fallback{Resolution: DefaultResolution, Action: council.FallbackEndSession}
	case *council.Governance:
		*p = council.Governance{RequireSeconding: true, MajorityThreshold: "0.5", CountOf: quorum.Members, Debate: true,
			MaxAmendments: 2}
	case *council.Deliverable:
		p.Required = true
	case *council.Transition:
		p.Priority = 100
	}
}

// fillStorage puts memory into the folder of the record, unless the file sets another.
func (r *reader) fillStorage(s *council.Storage) {
	if !r.has("/storage/memoryDir") {
		s.MemoryDir = path.Join(s.RootDir, "memory")
	}
	for at, dir := range map[string]string{"/storage/rootDir": s.RootDir, "/storage/memoryDir": s.MemoryDir} {
		if r.has(at) && outside(dir) {
			r.add(at, "it leads out of the working folder: name the whole path if you mean a folder elsewhere")
		}
	}
}

// outside reports whether a relative path leads out of the folder in which it is used.
func outside(dir string) bool {
	return strings.TrimSpace(dir) != "" && !filepath.IsAbs(dir) && !path.IsAbs(dir) && !filepath.IsLocal(dir)
}

// RootDir returns the folder of the record that a configuration names, or "" where it names none that [Parse] would
// take.
func RootDir(doc []byte) string {
	root, fault := parse(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if fault != nil {
		return ""
	}
	found := root.Find("/storage/rootDir")
	if found == nil || strings.TrimSpace(text(*found)) == "" || outside(text(*found)) {
		return ""
	}
	return text(*found)
}

package council

import (
	"strings"
	"testing"
)

func TestEveryFaultSaysWhatHelps(t *testing.T) {
	seen := map[FaultKind]bool{}
	for _, kind := range FaultKinds() {
		if seen[kind] {
			t.Errorf("%s stands there twice", kind)
		}
		seen[kind] = true
		if r := kind.Remedy(); !strings.HasSuffix(r, ".") || strings.ToUpper(r[:1]) != r[:1] {
			t.Errorf("%s: %q is no sentence", kind, r)
		}
	}
	if unknown := FaultKind("plague"); !unknown.Curable() || unknown.Remedy() != "" {
		t.Error("a kind of a later version is taken for one that is known")
	}
}

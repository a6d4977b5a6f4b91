package council

import "testing"

func TestEveryFaultIsOfOneKind(t *testing.T) {
	seen := map[FaultKind]bool{}
	for _, kind := range FaultKinds() {
		if seen[kind] {
			t.Errorf("%s stands there twice", kind)
		}
		seen[kind] = true
	}
	if unknown := FaultKind("plague"); !unknown.Curable() {
		t.Error("a kind of a later version is taken for one that is known")
	}
}

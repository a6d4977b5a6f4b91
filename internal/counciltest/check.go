package counciltest

import "github.com/google/go-cmp/cmp"

// Failer is a test, a benchmark or a property.
type Failer interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
}

// Check ends the test at an error.
func Check(t Failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal fails the test at a difference. name is the name of the values.
func Equal(t Failer, name string, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/check"
)

func TestPanic_AMemberThatPanicsStopsTheRunAndIsNotQuoted(t *testing.T) {
	tb := sit(t, 3, nil)
	tb.members["b"].say = func(council.View) council.Reply { panic("while reading " + planted) }
	err := check.As[*engine.PanicError](t, check.Err(tb.run(t.Context())))
	check.Says(t, err.Error(), "panic_test.go:")
	check.NeverSays(t, err.Error(), planted)
	tb.members["b"].say = nil
	tb.closed() // what was recorded is enough to go on
}

const planted = "AKIA" + "ZQ3DXVNKLW7T2MPB"

func TestPanic_SaysWhereAndNotWhat(t *testing.T) {
	for name, throw := range map[string]func(){
		"a string":             func() { panic("while reading " + planted) },
		"an error":             func() { panic(fmt.Errorf("while reading %s", planted)) },
		"a value":              func() { panic([]string{planted}) },
		"out of bounds":        func() { i := len(planted); _ = planted[i] },
		"a nil map":            func() { writeTo(nil) },
		"a wrong type":         func() { var a any = planted; _ = a.(int) },
		"what cannot be a key": func() { m := map[any]int{}; m[[]string{planted}] = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			err := func() (err error) { defer engine.CatchPanic(&err); throw(); return nil }()
			broken := check.As[*engine.PanicError](t, err)
			check.NeverSays(t, err.Error(), planted)
			if where := strings.Join(broken.Where, " "); !strings.Contains(where, "engine_test.TestPanic_SaysWhereAndNotWhat") ||
				!strings.Contains(broken.Where[0], "panic_test.go:") {
				t.Errorf("it says %v, and not where", broken.Where)
			}
		})
	}
}

func TestPanic_LeavesErrorsAlone(t *testing.T) {
	want := errors.New("no disk")
	if err := func() (err error) { defer engine.CatchPanic(&err); return want }(); err != want {
		t.Errorf("the error is %v", err)
	}
}

func writeTo(m map[string]int) { m[planted] = 1 }

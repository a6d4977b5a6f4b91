package engine

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// PanicError is a panic as an error: where it happened, and nothing of what was being worked on, because the words of a
// panic may hold what a member said, or a key. It is a fault of the program, not of its user or of a member.
type PanicError struct {
	What  string   // the runtime's own words, or the type of whatever was thrown
	Where []string // functions with file and line, innermost first
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("council itself broke down: %s, at %s", e.What, strings.Join(e.Where, ", from "))
}

// frames bounds how many functions are named.
const frames = 6

// CatchPanic sets err to a [*PanicError] if the function that defers it panics. It has to be deferred itself.
func CatchPanic(err *error) {
	if thrown := recover(); thrown != nil {
		*err = &PanicError{What: what(thrown), Where: where()}
	}
}

// what tells a panic without its value. The runtime speaks of sizes and types alone.
func what(thrown any) string {
	if e, ok := thrown.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("a panic with a %T", thrown)
}

func where() []string {
	var pcs [32]uintptr
	found := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var all []string
	for len(all) < frames {
		f, more := found.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			all = append(all, fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:],
				filepath.Base(f.File), f.Line))
		}
		if !more {
			break
		}
	}
	return all
}

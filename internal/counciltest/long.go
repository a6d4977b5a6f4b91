package counciltest

import (
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
)

// Long reports whether the long versions of tests are to be run; see docs/testing.md.
func Long() bool { return os.Getenv("COUNCIL_LONG") != "" }

// Often returns how often something is tried: as often as shows a plain defect, and in the long version a rare one.
func Often(plain, long int) int {
	if Long() {
		return long
	}
	return plain
}

// NotUnderRace skips a test under the race detector, which makes it slow and has nothing to find in it that it does
// not find in others: the test does one thing after the other many times over, or starts processes.
func NotUnderRace(t *testing.T) {
	built, ok := debug.ReadBuildInfo()
	if ok && slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("shows nothing to the race detector")
	}
}

// Cheaply lets a test binary that holds many small sessions do so on little CPU: its temporary folders are in memory
// where the system has room there, and garbage is collected a tenth as often. Call it from TestMain.
func Cheaply() {
	inMemory()
	debug.SetGCPercent(1000)
}

// Properties lets the plain tests of a package try each property of package rapid this many times, and not a hundred.
// Call it from TestMain; the flag -rapid.checks goes before it.
func Properties(plain int) {
	if err := flag.Set("rapid.checks", strconv.Itoa(Often(plain, 100))); err != nil {
		panic(err)
	}
}

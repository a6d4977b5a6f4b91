package counciltest

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"
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

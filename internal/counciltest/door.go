package counciltest

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
)

// Door is where programs report that a test starts: a socket on which they call. Their connections tell the test that
// they have begun and, by closing, that they are gone.
type Door struct {
	Path string

	listener net.Listener
}

// OpenDoor opens a door. It is closed when the test ends.
func OpenDoor(tb testing.TB) *Door {
	tb.Helper()
	folder := check.Get(os.MkdirTemp("", "d"))(tb) // the name of a socket must be short
	tb.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "s")
	l := check.Get(net.Listen("unix", path))(tb)
	tb.Cleanup(func() { l.Close() })
	return &Door{path, l}
}

// Enter waits until a program has called.
func (d *Door) Enter(tb testing.TB) net.Conn {
	tb.Helper()
	c := check.Get(d.listener.Accept())(tb)
	tb.Cleanup(func() { c.Close() })
	return c
}

// Gone holds that a program that called is dead, and had nothing more to say.
func Gone(tb testing.TB, c net.Conn) {
	tb.Helper()
	check.OK(tb, c.SetReadDeadline(time.Now().Add(10*time.Second)))
	if _, err := c.Read(make([]byte, 1)); err != io.EOF && !strings.Contains(fmt.Sprint(err), "reset") {
		tb.Errorf("the program lives on: %v", err)
	}
}

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
	folder, err := os.MkdirTemp("", "d") // the name of a socket must be short
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return &Door{path, l}
}

// Enter waits until a program has called.
func (d *Door) Enter(tb testing.TB) net.Conn {
	tb.Helper()
	c, err := d.listener.Accept()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

// Gone holds that a program that called is dead, and had nothing more to say.
func Gone(tb testing.TB, c net.Conn) {
	tb.Helper()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		tb.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err != io.EOF && !strings.Contains(fmt.Sprint(err), "reset") {
		tb.Errorf("the program lives on: %v", err)
	}
}

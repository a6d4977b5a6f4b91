//go:build unix

package process

import (
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// TestMain lets the test binary be the programs that are run: "as", the behaviour, and the socket for its reports.
// The socket's closing shows that it is gone.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "as" {
		c, err := net.Dial("unix", os.Args[3])
		if err != nil {
			panic(err)
		}
		asked := make(chan os.Signal, 1)
		switch os.Args[2] {
		case "deaf": // hears neither the end of its input nor a request, and has a child like itself
			signal.Ignore(syscall.SIGTERM)
			if len(os.Args) < 5 {
				child := exec.Command(os.Args[0], append(os.Args[1:], "child")...)
				if err := child.Start(); err != nil {
					panic(err)
				}
			}
			io.WriteString(c, "here")
			select {}
		case "polite": // ends when it is asked to
			signal.Notify(asked, syscall.SIGTERM)
			io.WriteString(c, "here")
			<-asked
			io.WriteString(c, ", asked")
		case "ready": // ends with its input
			io.WriteString(c, "here")
			io.Copy(io.Discard, os.Stdin)
			io.WriteString(c, ", told")
		}
		syscall.Exit(0)
	}
	os.Exit(m.Run())
}

func TestProcess_AProgramIsDismissedWithAllThatItStarted(t *testing.T) {
	for what, said := range map[string]string{"deaf": "", "polite": ", asked", "ready": ", told"} {
		t.Run(what, func(t *testing.T) {
			door := counciltest.OpenDoor(t)
			cmd := exec.Command(os.Args[0], "as", what, door.Path)
			stdin := check.Get(cmd.StdinPipe())(t)
			p := check.Get(Start(cmd, Permitted()))(t)
			conns := make([]net.Conn, 1, 2)
			if what == "deaf" {
				conns = conns[:2]
			}
			for i := range conns {
				conns[i] = door.Enter(t)
				check.Get(io.ReadFull(conns[i], make([]byte, len("here"))))(t)
			}
			patience := time.Minute // a polite one needs not wait so long
			if what == "deaf" || what == "polite" {
				patience = 100 * time.Millisecond
			}
			stdin.Close()
			p.Dismiss(patience)
			select {
			case <-p.Done():
			default:
				t.Error("it was dismissed and has not ended")
			}
			for _, c := range conns {
				if rest, err := io.ReadAll(c); string(rest) != said || err != nil && !strings.Contains(err.Error(), "reset") {
					t.Errorf("it said %q, %v", rest, err)
				}
			}
		})
	}
}

func TestProcess_ATailKeepsTheEnd(t *testing.T) {
	tail := Tail{Keep: 4}
	for _, words := range []string{"a", "bc", "", "defghijklmnop", "qrs"} {
		check.Is(t, "it", len(words), check.Get(tail.Write([]byte(words)))(t))
	}
	check.Is(t, "it", "pqrs", string(tail.Kept()))
}

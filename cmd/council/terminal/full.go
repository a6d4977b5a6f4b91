package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council/member"
)

// Full shows a session on the whole terminal: its story, which can be scrolled, and the status below it. Set its fields
// before the view begins. The lock of the view guards the others.
type Full struct {
	Keyboard *Keyboard
	Raw      func() (restore func()) // switches the terminal to single keys without echo
	Keys     []Key

	restore func() // nil: the screen is not taken
	texts   []string
	rows    []string // the texts, folded to the width of the terminal
	columns int
	height  int    // visible rows of the story
	up      int    // rows below the visible ones
	frame   string // on the terminal now
}

// Key is a key of the full screen.
type Key struct {
	Press string // the bytes that it sends
	Does  string // in a word, for the last line; "": not listed
	Do    func(context.Context)
}

// paint returns the output that shows the story and the status.
func (f *Full) paint(v *View, lines []string, columns, height int) string {
	before := len(f.rows)
	f.texts = append(f.texts, lines...)
	if f.columns != columns {
		f.columns, f.rows, lines = columns, nil, f.texts
	}
	for _, line := range lines {
		f.rows = append(f.rows, Rows(line, columns-1)...) // see [View.status]
	}
	if f.up > 0 { // the visible rows stay, nearly so after a change of width
		f.up += len(f.rows) - before
	}
	f.up = max(0, min(f.up, len(f.rows)-f.height))
	status := v.status(columns, height/2)
	f.height = max(1, height-len(status))
	end := len(f.rows) - f.up
	shown := f.rows[max(0, end-f.height):end]
	screen := make([]string, f.height-len(shown), height)
	screen = append(append(screen, shown...), status...)
	var b strings.Builder
	for i, row := range screen {
		fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[K", i+1, Paint(row, v.Colour))
	}
	text := ""
	if f.restore == nil {
		f.restore, f.frame, text = f.Raw(), "", "\x1b[?1049h\x1b[?25l"
		f.Keyboard.SetRaw(true)
	}
	if b.String() == f.frame {
		return text
	}
	f.frame = b.String()
	return text + f.frame
}

// leave returns the output that restores the terminal.
func (f *Full) leave() string {
	if f.restore == nil {
		return ""
	}
	f.Keyboard.SetRaw(false)
	f.restore()
	f.restore = nil
	return "\x1b[?25h\x1b[?1049l"
}

// listen handles keys until the input or ctx ends.
func (f *Full) listen(ctx context.Context, v *View) {
	for {
		key, err := f.Keyboard.Key()
		if err != nil || ctx.Err() != nil {
			return
		}
		for _, k := range f.Keys {
			if k.Press == key {
				k.Do(ctx)
			}
		}
		v.screen.Lock()
		page := max(1, f.height-2)
		f.up += map[string]int{"\x1b[A": 1, "k": 1, "\x1b[B": -1, "j": -1, "\x1b[5~": page, "b": page, "\x1b[6~": -page,
			" ": -page, "\x1b[H": len(f.rows), "g": len(f.rows), "\x1b[F": -len(f.rows), "G": -len(f.rows)}[key]
		v.screen.Unlock()
		v.Changed()
	}
}

// Words describes the keys.
func (f *Full) Words() string {
	words := "↑ ↓ PgUp PgDn scroll"
	for _, k := range f.Keys {
		if k.Does != "" {
			words += " · " + k.Press + " " + k.Does
		}
	}
	if f.up > 0 {
		words += fmt.Sprintf(" · %d rows below", f.up)
	}
	return words
}

// maxLine bounds a typed line, in bytes.
const maxLine = 1 << 20

// Keyboard reads lines or keys on demand, so that an editor may use the terminal. It is for one goroutine at a time.
type Keyboard struct {
	Pause time.Duration // longest gap between two pasted lines; 0: lines count as typed

	in      *bufio.Reader
	input   sync.Mutex    // held while waiting for input or taking it
	mode    sync.Mutex    // guards raw and changed
	raw     bool          // single keys, not lines
	changed chan struct{} // closed when raw changes
	got     chan typed
	waiting bool // a read is under way, perhaps of an abandoned call: its line may have been begun for that
	over    error
}

type typed struct {
	text string
	err  error
}

// NewKeyboard reads lines from in.
func NewKeyboard(in io.Reader) *Keyboard {
	return &Keyboard{in: bufio.NewReader(in), got: make(chan typed, 1), changed: make(chan struct{})}
}

// Line waits for a line. Its error is ctx's, or [member.ErrLater] at the end of the input.
func (k *Keyboard) Line(ctx context.Context) (string, error) { return k.line(ctx, nil) }

// line is Line, and [member.ErrLater] also once stop is closed. A line typed after ctx ended goes to the next call.
func (k *Keyboard) line(ctx context.Context, stop <-chan struct{}) (string, error) {
	if k.over != nil {
		return "", k.over
	}
	k.begin()
	select {
	case t := <-k.got:
		k.waiting, k.over = false, t.err
		return t.text, t.err
	case <-ctx.Done():
		return "", ctx.Err()
	case <-stop:
		return "", member.ErrLater
	}
}

func (k *Keyboard) begin() {
	if !k.waiting {
		k.waiting = true
		go func() { k.got <- k.read() }()
	}
}

// pasted reports whether another line came with the last one.
func (k *Keyboard) pasted() bool {
	if k.Pause == 0 || k.over != nil {
		return false
	}
	k.begin()
	select {
	case t := <-k.got:
		k.got <- t // for the next call of line
		return t.err == nil
	case <-time.After(k.Pause):
		return false
	}
}

// read reads one line. A last one may lack its line end.
func (k *Keyboard) read() typed {
	var b strings.Builder
	_ = k.await(false) // the error comes again
	defer k.input.Unlock()
	for {
		part, err := k.in.ReadSlice('\n')
		if b.Len()+len(part) > maxLine {
			return typed{err: errors.New("the line that was typed is too long")}
		}
		b.Write(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && b.Len() == 0:
			return typed{err: member.ErrLater}
		}
		return typed{text: strings.TrimRight(b.String(), "\r\n")}
	}
}

// SetRaw switches between single keys and lines.
func (k *Keyboard) SetRaw(raw bool) {
	k.mode.Lock()
	defer k.mode.Unlock()
	if k.raw != raw {
		close(k.changed)
		k.raw, k.changed = raw, make(chan struct{})
	}
}

// await locks the input once there is some in the given mode. A caller that waits for the other mode leaves it alone.
// Its error is the end of the input.
func (k *Keyboard) await(raw bool) error {
	for {
		k.input.Lock()
		_, err := k.in.Peek(1)
		k.mode.Lock()
		mine, changed := k.raw == raw, k.changed
		k.mode.Unlock()
		if err != nil || mine {
			return err
		}
		k.input.Unlock()
		<-changed
	}
}

// Key waits for a key and returns its bytes, such as "\x1b[A". Its error is the end of the input.
func (k *Keyboard) Key() (string, error) {
	err := k.await(true)
	defer k.input.Unlock()
	if err != nil {
		return "", err
	}
	sent, _ := k.in.Peek(k.in.Buffered())
	n := 1
	if len(sent) > 2 && sent[0] == '\x1b' && (sent[1] == '[' || sent[1] == 'O') {
		for n = 2; n < len(sent)-1 && sent[n] < '@'; n++ {
		}
		n++
	}
	key := string(sent[:n])
	_, _ = k.in.Discard(n)
	return key, nil
}

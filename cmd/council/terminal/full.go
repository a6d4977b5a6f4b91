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
// before the view begins. The view guards the rest.
type Full struct {
	Keyboard *Keyboard
	Raw      func() (restore func()) // has the terminal hand on each key that is pressed, and not show it
	Keys     []Key

	restore func() // nil: the screen is not ours
	texts   []string
	rows    []string // the texts, as wide as the terminal
	columns int
	height  int    // rows of the story that are shown
	up      int    // rows that are below these
	frame   string // as it stands on the terminal
}

// Key is a key of the full screen.
type Key struct {
	Press string // what it sends
	Does  string // in a word, for the last line; "" is not told
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
	if f.up > 0 { // what is looked at stays, nearly so where the width has changed
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

// leave returns the output that restores the terminal, for a prompt.
func (f *Full) leave() string {
	if f.restore == nil {
		return ""
	}
	f.Keyboard.SetRaw(false)
	f.restore()
	f.restore = nil
	return "\x1b[?25h\x1b[?1049l"
}

// listen handles keys until the input ends. After ctx it does nothing.
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

// maxLine bounds a line that is typed, in bytes. Terminals hand on four thousand at a time.
const maxLine = 1 << 20

// Keyboard hands out what is typed, line by line and only when it is asked for, so that an editor may have the terminal
// in between. It belongs to one goroutine at a time.
type Keyboard struct {
	// Pause is how long the next line of what is pasted may take to come; it is far too short for one that is typed. 0: no
	// line is taken for a pasted one.
	Pause time.Duration

	in      *bufio.Reader
	input   sync.Mutex    // held by whoever waits for input or takes it
	mode    sync.Mutex    // guards the following
	raw     bool          // keys are pressed, and no lines typed
	changed chan struct{} // closed when raw changes
	got     chan typed
	waiting bool // somebody was asked for a line and left before it came
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

// Line waits for a line that is typed. Its error is ctx's, or that the input has ended.
func (k *Keyboard) Line(ctx context.Context) (string, error) { return k.line(ctx, nil) }

// line waits for a line. [member.ErrLater]: the input has ended, or stop was closed. When ctx ends, its error; the line
// that is typed after that is handed to whoever asks next, who has to know: see stale.
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

// stale reports whether the next line may have been begun as the answer to an earlier question.
func (k *Keyboard) stale() bool { return k.waiting && k.over == nil }

// read reads one line. A last line without an end counts.
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

// SetRaw says whether keys are pressed from now on, or lines typed.
func (k *Keyboard) SetRaw(raw bool) {
	k.mode.Lock()
	defer k.mode.Unlock()
	if k.raw != raw {
		close(k.changed)
		k.raw, k.changed = raw, make(chan struct{})
	}
}

// await returns with the input held, when there is some while keys are pressed, or else lines typed. Whoever waits for
// the other may have been the first to see it, and leaves it. Its error is that the input has ended.
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

// Key waits for a key to be pressed and returns what it sends, such as "\x1b[A". Its error is that the input has ended.
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

package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council/member"
)

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

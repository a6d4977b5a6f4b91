package terminal

import (
	"context"
	"fmt"
	"strings"
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

// paint returns what shows the story and the status.
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

// leave returns what gives the terminal back, as it was before, to whoever asks something there.
func (f *Full) leave() string {
	if f.restore == nil {
		return ""
	}
	f.Keyboard.SetRaw(false)
	f.restore()
	f.restore = nil
	return "\x1b[?25h\x1b[?1049l"
}

// listen does what keys say, until the input ends. After ctx it does nothing.
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

// Words says what the keys do.
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

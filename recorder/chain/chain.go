// Package chain is the form of files that only grow and whose lines are chained: each line holds a sum over the sum
// before it and the line itself, so that a line that was changed, dropped or moved is found.
//
// A chained line is a JSON object whose last field is its sum:
//
//	{"n":2,…,"sum":"9f86d081884c7d65…"}
//
// The sum is the SHA-256, in lower-case hexadecimal, of the previous sum as it is written and the line up to and
// including the comma before "sum". A [Seed] takes the place of the sum before the first line. Conversations, the
// ledger and the journal of memory are such [Lines], read and continued by a [Log]; events.json is an [Array], whose
// lines have their sum in another place.
package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/council-engine/council/internal/atomicfile"
)

// Seed returns the text that takes the place of the previous sum in the first link of a chain. kind and id tell chains
// apart, so that no two files of a workspace can be exchanged.
func Seed(kind, id string) string { return "council " + kind + " 1 " + id + "\n" }

// Sum returns the next sum of a chain.
func Sum(previous string, text []byte) string {
	h := sha256.New()
	h.Write([]byte(previous))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// The text around the sum at the end of a line.
const (
	sumKey = `"sum":"`
	brace  = `"}`
	// TailSize is the length of the text after the body of a line.
	TailSize = len(sumKey) + 2*sha256.Size + len(brace)
)

// Seal returns a JSON object as a line that follows the previous sum, with its newline, and the line's sum.
func Seal(previous string, object []byte) (line []byte, sum string) {
	body := append(object[:len(object)-1:len(object)-1], ',')
	sum = Sum(previous, body)
	return append(body, sumKey+sum+brace+"\n"...), sum
}

// SumOf returns the sum that a line ends with; "" when it does not end with one. It is not checked.
func SumOf(line []byte) string {
	at := len(line) - TailSize
	if at < 0 || string(line[at:at+len(sumKey)]) != sumKey {
		return ""
	}
	return string(line[at+len(sumKey) : len(line)-len(brace)])
}

// Check returns the sum of a line, without its newline, that follows the previous sum. It fails when it does not
// follow.
func Check(previous string, line []byte) (string, error) {
	sum := SumOf(line)
	if sum == "" || Sum(previous, line[:len(line)-TailSize]) != sum || string(line[len(line)-len(brace):]) != brace {
		return "", errors.New("its sum does not follow from the lines before it")
	}
	return sum, nil
}

// window is the size of the first piece of a file's end: dozens of lines.
const window = 16 << 10

// Back reads the end of a file of so many bytes: at first a little, then four times as much each time, until judge has
// enough or was given the whole. judge gets the text and its offset; unless that is 0, its first line may have
// begun earlier. The error is that of the file, or of judge.
func Back(f io.ReaderAt, size int64, judge func(text []byte, at int64) (enough bool, err error)) error {
	for window := int64(window); ; window *= 4 {
		at := max(0, size-window)
		text := make([]byte, size-at)
		if _, err := f.ReadAt(text, at); err != nil {
			return err
		}
		if enough, err := judge(text, at); enough || at == 0 || err != nil {
			return err
		}
	}
}

// Sentinels of a scan.
var (
	// ErrDamaged: the file was changed, or lost more than its last bytes. See [DamageError].
	ErrDamaged = errors.New("the record is damaged")
	// ErrNewer: the file was written by a later version of council. Read it with that version.
	ErrNewer = errors.New("the record was written by a newer version of council")
)

// DamageError is damage at a place of a file.
type DamageError struct {
	File    string // its path in the session's folder
	Event   int    // the event (or line) that is damaged, counted from 1
	Offset  int64  // of its first byte in the file
	Problem string // a plain sentence
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged at entry %d, byte %d: %s", e.File, e.Event, e.Offset, e.Problem)
}

// Is makes every DamageError an [ErrDamaged].
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }

// InFile puts the name of a file into the damage that a scan found in it.
func InFile(name string, err error) error {
	if damage, ok := errors.AsType[*DamageError](err); ok {
		damage.File = name
	}
	return err
}

// Form is the layout of lines in a file.
type Form struct {
	open        string // begins the file
	first, next string // lead a line
	begin       string // of every line
	end         string // of the file
	empty       string // a file without lines
}

var (
	// Lines are lines with a newline each.
	Lines = Form{next: "\n", end: "\n"}
	// Array is a JSON array that is valid after every append: one object a line, and the comma leads.
	Array = Form{open: "[", first: "\n", next: "\n,", begin: "{", end: "\n]", empty: "[\n]"}
)

// End is the end of a file as a scan found it.
type End struct {
	Good   int64  // bytes up to the end of the last whole line
	Torn   bool   // the end of the file is missing or unfinished
	Cut    []byte // the bytes after the good ones of a torn file
	Mended string // the text that must follow the good bytes for the file to be whole
}

// Length returns the size of the file, once its end is mended.
func (e *End) Length() int64 { return e.Good + int64(len(e.Mended)) }

// Mend repairs the end of a torn file, appends text to it, and keeps the bytes that it cuts off (see
// [atomicfile.MendEnd]). A file that is not torn stays as it is.
func (e *End) Mend(files atomicfile.Files, name string, text ...byte) error {
	if !e.Torn {
		return nil
	}
	_, err := atomicfile.MendEnd(files, name, e.Good, e.Cut, e.Mended+string(text))
	e.Torn = err != nil
	return err
}

// Log is a file of chained [Lines], read from some line on. The zero Log with a [Seed] as its Sum has no lines yet.
type Log struct {
	Sum  string // of the last line; "" before the first where the sum before that is not known, and not checked
	Size int64  // bytes of the lines, each with its newline: the size of the file, once a torn end is mended
	End
}

// Scan reads text, which follows the first Size bytes of the file; see [Form.Scan].
func (l *Log) Scan(text []byte, take func(line []byte) error) (err error) {
	from := l.Size
	l.End, err = Lines.Scan(text, func(line []byte) error {
		sum, err := SumOf(line), error(nil)
		if l.Sum != "" {
			sum, err = Check(l.Sum, line)
		} else if sum == "" {
			err = errors.New("it has no sum")
		}
		if err == nil {
			err = take(line)
		}
		if err == nil {
			l.Sum, l.Size = sum, l.Size+int64(len(line))+1
		}
		return err
	})
	l.Good += from
	return err
}

// Seal returns a JSON object as the next line of the file, to be appended to it.
func (l *Log) Seal(object []byte) (line []byte) {
	line, l.Sum = Seal(l.Sum, object)
	l.Size += int64(len(line))
	return line
}

// Open opens the file for appending. It makes one that has no line yet, and mends a torn one.
func (l *Log) Open(files atomicfile.Files, name string) (*atomicfile.Tail, error) {
	if err := l.Mend(files, name); err != nil {
		return nil, err
	}
	if l.Size == 0 {
		return atomicfile.CreateTail(files, name)
	}
	return atomicfile.OpenTail(files, name, l.Size)
}

// Scan reads a file line by line and calls take with each line, which returns an error for one that does not belong
// there.
//
// A file is torn, not damaged, when everything before its end is good and an interrupted append can leave such an end:
// an unfinished line, a missing end, or zeros in the place of either. A finished line that is not good is damage, even
// the last one. The error is a [*DamageError] without a file name, or the [ErrNewer] that take returned; the result
// then covers the lines before it.
func (f Form) Scan(data []byte, take func(line []byte) error) (e End, err error) {
	defer func() {
		if e.Mended = f.end; e.Good == 0 {
			e.Mended = f.empty
		}
		if e.Torn {
			e.Cut = data[e.Good:]
		}
	}()
	// A sector that was allocated and never written reads as zeros.
	text := bytes.TrimRight(data, "\x00")
	zeros := len(data) > len(text)
	if len(text) == 0 {
		e.Torn = zeros || f.empty != ""
		return e, nil
	}
	damage := func(line int, at int64, problem string) (End, error) {
		return e, &DamageError{Event: line, Offset: at, Problem: problem}
	}
	if !bytes.HasPrefix(text, []byte(f.open)) {
		return damage(1, 0, "the file does not begin as a list of events")
	}
	e.Good = int64(len(f.open))
	lead := f.first
	for n := 1; ; n++ {
		rest := text[e.Good:]
		switch {
		case e.Good > 0 && string(rest) == f.end:
			e.Torn = zeros
			return e, nil
		case bytes.HasPrefix(rest, []byte(lead+f.begin)):
		case strings.HasPrefix(f.end, string(rest)), strings.HasPrefix(lead, string(rest)):
			e.Torn = true
			return e, nil
		default:
			return damage(n, e.Good, "what follows is neither a line nor the end of the file")
		}
		at := e.Good + int64(len(lead))
		line, finished := text[at:], false
		if newline := bytes.IndexByte(line, '\n'); newline >= 0 {
			line, finished = line[:newline], true
		} else {
			line = firstValue(line)
		}
		switch err := take(line); {
		case errors.Is(err, ErrNewer):
			return e, err
		case err != nil && finished:
			return damage(n, at, err.Error())
		case err != nil:
			e.Torn = true
			return e, nil
		}
		e.Good, lead = at+int64(len(line)), f.next
	}
}

// firstValue returns the JSON value that text begins with, or nothing if that is unfinished.
func firstValue(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	var value json.RawMessage
	if d.Decode(&value) != nil {
		return nil
	}
	return text[:d.InputOffset()]
}

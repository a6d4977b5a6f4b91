package chain_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/chain"
)

// sealed returns a file of chained lines, and where each line ends.
func sealed(objects ...string) (file []byte, ends []int) {
	sum := chain.Seed("test", "x")
	for _, o := range objects {
		var line []byte
		line, sum = chain.Seal(sum, []byte(o))
		file = append(file, line...)
		ends = append(ends, len(file))
	}
	return file, ends
}

// scan counts the lines that follow from each other.
func scan(data []byte) (n int, end chain.End, err error) {
	sum := chain.Seed("test", "x")
	end, err = chain.Lines.Scan(data, func(line []byte) error {
		next, err := chain.Check(sum, line)
		if err == nil {
			n, sum = n+1, next
		}
		return err
	})
	return n, end, err
}

func TestScan_EveryPrefixIsWholeOrTorn(t *testing.T) {
	file, ends := sealed(`{"n":1}`, `{"n":2,"more":"x\n"}`, `{"n":3}`)
	for cut := range len(file) + 1 {
		want := 0
		for _, end := range ends {
			if cut >= end-1 { // only its newline may be missing
				want++
			}
		}
		for _, zeros := range []int{0, 1, 512} {
			n, end, err := scan(append(file[:cut:cut], make([]byte, zeros)...))
			whole := zeros == 0 && (cut == 0 || file[cut-1] == '\n')
			if n != want || end.Torn == whole || err != nil {
				t.Fatalf("cut at %d with %d zeros: %d of %d lines, torn %v, %v", cut, zeros, n, want, end.Torn, err)
			}
			mended := append(bytes.Clone(file[:end.Good]), end.Mended...)
			if again, end, err := scan(mended); again != n || end.Torn || err != nil {
				t.Fatalf("cut at %d and mended: %d of %d lines, torn %v, %v", cut, again, n, end.Torn, err)
			}
		}
	}
}

func TestScan_FindsChangedDroppedAndMovedLines(t *testing.T) {
	file, ends := sealed(`{"n":1}`, `{"n":2}`, `{"n":3}`)
	lines := [][]byte{file[:ends[0]], file[ends[0]:ends[1]], file[ends[1]:]}
	other, _ := sealed(`{"n":4}`)
	for name, c := range map[string]struct {
		file  []byte
		event int
	}{
		"changed":   {bytes.Replace(file, []byte(`"n":2`), []byte(`"n":5`), 1), 2},
		"dropped":   {bytes.Join([][]byte{lines[0], lines[2]}, nil), 2},
		"moved":     {bytes.Join([][]byte{lines[1], lines[0], lines[2]}, nil), 1},
		"added":     {append(bytes.Clone(file), other...), 4},
		"empty":     {append(bytes.Clone(file), '\n'), 4},
		"of others": {bytes.ReplaceAll(file, []byte(`"sum"`), []byte(`"mus"`)), 1},
	} {
		_, _, err := scan(c.file)
		var damage *chain.DamageError
		check.That(t, errors.As(err, &damage) && damage.Event == c.event && errors.Is(err, chain.ErrDamaged),
			"%s: %v, want damage at line %d", name, err, c.event)
	}
}

func TestScan_FindsEveryChangedByte(t *testing.T) {
	file, ends := sealed(`{"n":1}`, `{"n":2,"more":"x\n"}`, `{"n":3}`)
	for at, was := range file {
		for _, becomes := range []byte{was ^ 1, was ^ 2, was ^ 4, was ^ 8, was ^ 16, was ^ 32, was ^ 64, was ^ 128, 0, '\n',
			'}', '"', ' '} {
			changed := bytes.Clone(file)
			changed[at] = becomes
			n, end, err := scan(changed)
			lastNewline := at == len(file)-1 && end.Torn && n == len(ends)
			if becomes != was && !errors.Is(err, chain.ErrDamaged) && !lastNewline {
				t.Fatalf("byte %d (%q) became %q: torn %v, %d lines, %v", at, was, becomes, end.Torn, n, err)
			}
		}
	}
}

func TestScan_ReportsALaterVersion(t *testing.T) {
	file, ends := sealed(`{"n":1}`, `{"n":2}`)
	n := 0
	end, err := chain.Lines.Scan(file, func([]byte) error {
		if n++; n == 2 {
			return chain.ErrNewer
		}
		return nil
	})
	check.That(t, errors.Is(err, chain.ErrNewer) && end.Good == int64(ends[0]-1), "%+v, %v", end, err)
}

package anchor_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/wire"
)

const session = "20261121-081500-shall-we-7f3k2a"

// log returns a log of n events, as far as an anchor looks at one.
func log(n int) []wire.Entry {
	var entries []wire.Entry
	for i := range n {
		entries = append(entries, wire.Entry{Session: session, Sum: fmt.Sprintf("%064x", i)})
	}
	return entries
}

// root returns the tree of RFC 6962, computed as section 2.1 defines it.
func root(entries []wire.Entry) [32]byte {
	if len(entries) == 1 {
		return sha256.Sum256(append([]byte{0}, entries[0].Sum...))
	}
	k := 1
	for k*2 < len(entries) {
		k *= 2
	}
	left, right := root(entries[:k]), root(entries[k:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

func TestTree_MatchesRFC6962(t *testing.T) {
	tree := anchor.NewTree(session, log(70))
	for n := 1; n <= 70; n++ {
		want := root(log(n))
		c := tree.Checkpoint(n)
		if c.Root != base64.StdEncoding.EncodeToString(want[:]) || c.Size != n || c.Session != session {
			t.Fatalf("%d events: %+v", n, c)
		}
		check.Is(t, "the tree of a longer log and that of a shorter one", c, anchor.NewTree(session, log(n)).Checkpoint(n))
	}
}

func store(t *testing.T) (anchor.Store, anchor.Key) {
	t.Helper()
	s := anchor.Store{Path: filepath.Join(t.TempDir(), "state", "council"), Random: rand.Reader}
	k := check.Get(s.Key())(t)
	return s, k
}

// sign returns a note on the first events of a log.
func sign(t *testing.T, k anchor.Key, entries []wire.Entry) []byte {
	t.Helper()
	return check.Get(k.Sign(anchor.NewTree(session, entries).Checkpoint(len(entries))))(t)
}

func TestJudge_Verdicts(t *testing.T) {
	_, ours := store(t)
	_, theirs := store(t)
	other := log(9)
	other[4].Sum = strings.Repeat("f", 64)
	mail := "Hello,\r\n\r\nplease keep this:\r\n\r\n" + strings.ReplaceAll(string(sign(t, ours, log(7))), "\n", "\r\n") +
		"\r\nYours\r\n"
	forged := bytes.Replace(sign(t, ours, log(7)), []byte("\n7\n"), []byte("\n6\n"), 1)
	tests := []struct {
		name    string
		text    string
		outside bool
		vouches int
		known   bool
		problem string
	}{
		{"of the whole log", string(sign(t, ours, log(9))), true, 9, true, ""},
		{"of its beginning", string(sign(t, ours, log(4))), true, 4, true, ""},
		{"in the record, by a key that is trusted", string(sign(t, ours, log(9))), false, 9, true, ""},
		{"in the record, by any key", string(sign(t, theirs, log(9))), false, 0, false, ""},
		{"kept elsewhere, by any key", string(sign(t, theirs, log(9))), true, 9, false, ""},
		{"in a mail", mail, true, 7, true, ""},
		{"of a longer log", string(sign(t, ours, log(10))), true, 0, true, "cut short"},
		{"of another log", string(sign(t, ours, other)), true, 0, true, "rewritten"},
		{"of what was the same then", string(sign(t, ours, other[:4])), true, 4, true, ""},
		{"changed", string(forged), true, 0, false, "signature"},
		{"no anchor", "hello", true, 0, false, "not a note"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			judged, err := anchor.NewTree(session, log(9)).Judge(
				[]anchor.Source{{Name: "x", Text: []byte(test.text), Outside: test.outside}}, []string{ours.Verifier + "\n"})
			if err != nil || len(judged) != 1 {
				t.Fatalf("%d anchors, %v", len(judged), err)
			}
			events, _ := anchor.Reach(judged)
			if j := judged[0]; events != test.vouches || j.Known != test.known || (test.problem == "") != (j.Problem == "") ||
				!strings.Contains(j.Problem, test.problem) {
				t.Fatalf("vouches for %d, %+v", events, j)
			}
		})
	}
}

func TestJudge_RefusesAnotherSession(t *testing.T) {
	_, k := store(t)
	elsewhere := log(9)
	for i := range elsewhere {
		elsewhere[i].Session = "another"
	}
	judged, err := anchor.NewTree("another",
		elsewhere).Judge([]anchor.Source{{Text: sign(t, k, log(9)), Outside: true}}, nil)
	if err != nil || !strings.Contains(judged[0].Problem, "another session") {
		t.Fatalf("%+v %v", judged, err)
	}
}

func TestJudge_RefusesABadKey(t *testing.T) {
	check.Fails(t, "a bad key", check.Err(anchor.NewTree(session, log(1)).Judge(nil, []string{"council+1+x"})), "")
}

func TestStore_MakesOnePrivateKey(t *testing.T) {
	s := anchor.Store{Path: filepath.Join(t.TempDir(), "council"), Random: rand.Reader}
	check.Is(t, "keys", 0, len(check.Get(s.Verifiers())(t)))
	check.ErrorIs(t, "the folder", fs.ErrNotExist, check.Err(os.Stat(s.Path)))
	var wg sync.WaitGroup
	found := make([]string, 8)
	for i := range found {
		wg.Go(func() {
			k, err := s.Key()
			if err != nil {
				t.Error(err)
			}
			found[i] = k.Verifier
		})
	}
	wg.Wait()
	for _, v := range found {
		if v != found[0] || v == "" {
			t.Fatalf("several keys: %q", found)
		}
	}
	for _, name := range []string{"", "key", "lock"} {
		check.Is(t, name, 0, check.Get(os.Stat(filepath.Join(s.Path, name)))(t).Mode().Perm()&0o077)
	}
}

func TestStore_NamesABrokenKeyWithoutShowingIt(t *testing.T) {
	s, _ := store(t)
	name := filepath.Join(s.Path, "key")
	text := check.Get(os.ReadFile(name))(t)
	secret := strings.Split(string(text), "\n")[0]
	other, _ := store(t)
	foreign := check.Get(os.ReadFile(filepath.Join(other.Path, "key")))(t)
	for _, broken := range []string{"", secret, secret + "\nx\n", "x\n" + secret,
		secret + "\n" + strings.Split(string(foreign), "\n")[1] + "\n"} {
		check.OK(t, os.WriteFile(name, []byte(broken), 0o600))
		_, err := s.Key()
		check.That(t, err != nil && strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), secret[20:]),
			"%.20q: %v", broken, err)
		check.Is(t, "a broken key was replaced", broken, string(check.Get(os.ReadFile(name))(t)))
	}
}

func TestStore_KeepsAnchorsInOrderAndOnce(t *testing.T) {
	s, k := store(t)
	for _, n := range []int{3, 3, 9} {
		check.OK(t, s.Keep(session, sign(t, k, log(n))))
	}
	held, err := s.Held(session)
	if err != nil || !held.Outside {
		t.Fatal(held, err)
	}
	judged, err := anchor.NewTree(session, log(9)).Judge([]anchor.Source{held}, []string{k.Verifier})
	if err != nil || len(judged) != 2 || judged[0].Size != 3 || judged[1].Size != 9 {
		t.Fatalf("%+v %v", judged, err)
	}
	if none, err := s.Held("another"); len(none.Text) != 0 || err != nil {
		t.Fatalf("%q %v", none.Text, err)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add([]byte("council session x\n1\nAAAA\n\n— council AAAA\n"))
	f.Add([]byte("council session " + session + "\n9\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		judged := check.Get(anchor.NewTree(session, log(9)).Judge([]anchor.Source{{Text: text, Outside: true}}, nil))(t)
		if events, _ := anchor.Reach(judged); events > 9 {
			t.Fatalf("it vouches for %d events of 9", events)
		}
	})
}

package recorder_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/verify"
)

const inBundle = string(sessionID)

func bundleOf(t *testing.T, root *recorder.Root, held string) []byte {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, root.Bundle(sessionID, []byte(held), &b))
	return b.Bytes()
}

func verifyBundle(data []byte) (verify.Report, error) {
	return recorder.VerifyBundle(bytes.NewReader(data), int64(len(data)), "it.zip",
		func(council.SessionID) ([]recorder.Trust, error) { return nil, nil })
}

func TestBundle_VerifiesWithoutItsRecord(t *testing.T) {
	root, _ := closedRoot(t)
	bundle := bundleOf(t, root, "")
	report, err := verifyBundle(bundle)
	if err != nil || !report.OK() || report.Session != sessionID {
		t.Fatalf("%+v %v", report, err)
	}
	check.That(t, bytes.Equal(bundle, bundleOf(t, root, "")), "the same session makes other bytes")
	check.OK(t, root.Archive.Pack(sessionID, agreed))
	check.That(t, bytes.Equal(bundle, bundleOf(t, root, "")), "the archived session makes other bytes")
	check.That(t, !bytes.Contains(bundle, []byte("mine.txt")), "a file that is not of council is in the bundle")
	if held := bundleOf(t, root, "a note\n"); !strings.HasSuffix(unzipped(t, held)[inBundle+"/anchors"], "a note\n") {
		t.Error("the anchors that were kept elsewhere are missing")
	}
}

// unzipped returns the files of an archive by their names.
func unzipped(t *testing.T, data []byte) map[string]string {
	t.Helper()
	r := check.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	files := map[string]string{}
	for _, e := range r.File {
		text := check.Get(fs.ReadFile(r, e.Name))(t)
		files[e.Name] = string(text)
	}
	return files
}

// entry is a file that a forger puts into a bundle.
type entry struct {
	name, text string
	mode       fs.FileMode
}

func zipped(t *testing.T, files map[string]string, more ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		more = append(more, entry{name, text, 0o600})
	}
	for _, e := range more {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(e.mode)
		f := check.Get(w.CreateHeader(h))(t)
		_ = check.Get(f.Write([]byte(e.text)))(t)
	}
	check.OK(t, w.Close())
	return b.Bytes()
}

func TestBundle_RefusesForgeries(t *testing.T) {
	root, _ := closedRoot(t)
	recorder.BoundBundles(t, 4<<20)
	files := unzipped(t, bundleOf(t, root, ""))
	events, sums := inBundle+"/events.json", files["SHA256SUMS"]
	without := func(name string) map[string]string {
		left := maps.Clone(files)
		delete(left, name)
		return left
	}
	changed := maps.Clone(files)
	changed[events] = strings.Replace(files[events], "e1", "e2", 1)
	for name, data := range map[string][]byte{
		"no archive": []byte("hello"), "empty": nil, "cut off": zipped(t, files)[:900], "no files": zipped(t, nil),
		"no manifest":         zipped(t, without("SHA256SUMS")),
		"a file is missing":   zipped(t, without(events)),
		"a file was changed":  zipped(t, changed),
		"a file more":         zipped(t, files, entry{inBundle + "/more.md", "x", 0o600}),
		"a file twice":        zipped(t, files, entry{events, files[events], 0o600}),
		"two manifests":       zipped(t, files, entry{"SHA256SUMS", sums, 0o600}),
		"out of the folder":   zipped(t, files, entry{"../x", "x", 0o600}),
		"out from within":     zipped(t, files, entry{inBundle + "/../../x", "x", 0o600}),
		"an absolute path":    zipped(t, files, entry{"/etc/x", "x", 0o600}),
		"a path of Windows":   zipped(t, files, entry{inBundle + `/..\x`, "x", 0o600}),
		"another session":     zipped(t, files, entry{"20261121-091500-other-aaaaaa/x", "x", 0o600}),
		"a link":              zipped(t, files, entry{inBundle + "/link", "/etc/passwd", fs.ModeSymlink | 0o777}),
		"a device":            zipped(t, files, entry{inBundle + "/null", "", fs.ModeDevice | 0o600}),
		"a folder":            zipped(t, files, entry{inBundle + "/folder/", "", fs.ModeDir | 0o700}),
		"a bomb":              zipped(t, files, entry{inBundle + "/bomb", strings.Repeat("\x00", 5<<20), 0o600}),
		"terminal in a name":  zipped(t, files, entry{"\x1b[2J/x", "x", 0o600}),
		"no name of sessions": zipped(t, map[string]string{"A B/events.json": "[]", "SHA256SUMS": ""}),
	} {
		report, err := verifyBundle(data)
		if !errors.Is(err, recorder.ErrDamaged) || report.OK() && len(report.Checks) > 0 {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: the message steers a terminal", name)
		}
	}
}

// A forger who also mends the manifest is found by the chain.
func TestBundle_FindsAChangedLogByItsChain(t *testing.T) {
	root, path := closedRoot(t)
	events := inSession(path, "events.json")
	text := check.Get(os.ReadFile(events))(t)
	write(t, events, strings.Replace(string(text), "e1", "e2", 1))
	report, err := verifyBundle(bundleOf(t, root, ""))
	check.That(t, errors.Is(err, recorder.ErrDamaged) && !report.Holds(verify.Integrity), "%+v %v", report, err)
}

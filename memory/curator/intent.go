package curator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

// intentFile lists the forgettings that have not reached their end, from before they change anything. It holds the
// words in clear, which are needed to finish, and is closed to other users. The holder of intentLock writes it.
const (
	intentFile = ".forgetting"
	intentLock = ".forgetting.lock"
)

const patience = 10 * time.Second

// intent is a forgetting that has not reached its end.
type intent struct {
	By     string     `json:"by"`
	Memory string     `json:"memory"` // its folder
	Plan   ForgetPlan `json:"plan"`
}

func (w *Curator) readIntents() (all []intent, err error) {
	text, err := atomicfile.Read(w.Root.Files(), intentFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what is still to be forgotten in %s: %w; "+
			"remove the file, and forget the words again", intentFile, err)
	}
	return all, nil
}

// writeIntents makes intents durable, or removes the file when there are none. It removes unfinished writes of the
// file. The caller holds the lock.
func (w *Curator) writeIntents(all []intent) error {
	files := w.Root.Files()
	err := atomicfile.Sweep(files, func(name string) bool {
		return strings.HasPrefix(name, "."+intentFile+".") && atomicfile.Temporary(name) ||
			name == intentFile && len(all) == 0
	})
	if err != nil || len(all) == 0 {
		return errors.Join(err, files.Sync())
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return atomicfile.Write(files, intentFile, text)
}

// isGone reports whether an error says that a session does not exist any more, or never had an event.
func isGone(err error) bool {
	return errors.Is(err, recorder.ErrUnknownSession) || errors.Is(err, recorder.ErrNotBegun)
}

// finishForgetting carries out the intents of forgettings that were killed or refused, unless another process does.
func (w *Curator) finishForgetting(ctx context.Context, in recorder.Inputs) (done []ForgetResult, err error) {
	entries, err := w.Root.Files().List()
	if err != nil || !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == intentFile || strings.HasPrefix(e.Name(), "."+intentFile+".")
	}) {
		return nil, nil
	}
	lock, err := atomicfile.TakeLock(w.Root.Files(), intentLock)
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := w.readIntents()
	for i := range all {
		if err == nil {
			err = w.findAll(&all[i].Plan) // a session may have closed since, and been remembered
		}
	}
	if err == nil {
		err = w.writeIntents(all)
	}
	if err == nil {
		done, err = w.carryOut(ctx, all, in)
	}
	if err != nil {
		err = fmt.Errorf("words that were to be forgotten may still be there: %w; the next command tries again", err)
	}
	return done, errors.Join(err, lock.Release())
}

// carryOut carries out intents, and keeps those that fail. It returns their results.
func (w *Curator) carryOut(ctx context.Context, all []intent, in recorder.Inputs) (done []ForgetResult, err error) {
	var left []intent
	for _, i := range all {
		home := w
		if info, failed := os.Stat(i.Memory); failed == nil && info.IsDir() {
			home = w.withMemory(i.Memory)
		}
		forgot, failed := home.forget(ctx, i, in)
		if err = errors.Join(err, failed); failed != nil {
			left = append(left, i)
		}
		done = append(done, forgot)
	}
	return done, errors.Join(err, w.writeIntents(left))
}

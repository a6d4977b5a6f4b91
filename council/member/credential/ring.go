package credential

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"
)

// Ring is a keyring: a place that the operating system guards.
type Ring interface {
	// Get returns what was set under a name. [ErrAbsent]: nothing was.
	Get(id string) (string, error)
	// Set keeps a text under a name. An error means that it was not kept.
	Set(id, text string) error
}

// service is under what name the keyring has all that is ours.
const service = "council"

// unlocking is how long a person has to unlock a keyring.
const unlocking = time.Minute

// SystemRing returns the keyring of the operating system, or nil where there is none, or where the environment variable
// COUNCIL_KEYRING is off.
func SystemRing(getenv func(string) string) Ring {
	if getenv("COUNCIL_KEYRING") == "off" {
		return nil
	}
	// Elsewhere the library would start a session bus where there is none, and leave it running.
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil
	}
	return system{}
}

type system struct{}

func (system) Get(id string) (string, error) {
	text, err := inTime(func() (string, error) { return keyring.Get(service, id) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", ErrAbsent
	}
	if err != nil {
		return "", fmt.Errorf("the keyring cannot be read: %w", err)
	}
	return text, nil
}

func (system) Set(id, text string) error {
	_, err := inTime(func() (string, error) { return "", keyring.Set(service, id, text) })
	return err
}

// inTime gives up on a keyring that waits for somebody who is not there.
func inTime(do func() (string, error)) (string, error) {
	answered := make(chan func() (string, error), 1)
	go func() {
		text, err := do()
		answered <- func() (string, error) { return text, err }
	}()
	select {
	case answer := <-answered:
		return answer()
	case <-time.After(unlocking):
		return "", errors.New("it was not unlocked within a minute")
	}
}

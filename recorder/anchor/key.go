package anchor

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// keyName is who signs, in every note. The hash of the key beside it tells one machine from another.
const keyName = "council"

// Key signs checkpoints.
type Key struct {
	// Verifier is the key with which others check a signature. It is not secret.
	Verifier string
	signer   note.Signer
}

// Sign returns the checkpoint as a signed note.
func (k Key) Sign(c Checkpoint) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.Text()}, k.signer)
}

// readKey reads a key file: the private key and the verifier key, a line each.
func readKey(text []byte) (Key, error) {
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	if len(lines) != 2 {
		return Key{}, errors.New("it does not hold a private and a verifier key")
	}
	signer, err := note.NewSigner(lines[0])
	if err != nil {
		return Key{}, errors.New("its first line is not a private key") // the key itself stays out of every message
	}
	verifier, err := note.NewVerifier(lines[1])
	if err != nil {
		return Key{}, errors.New("its second line is not a verifier key")
	}
	signed, err := note.Sign(&note.Note{Text: "test\n"}, signer)
	if err == nil {
		_, err = note.Open(signed, note.VerifierList(verifier))
	}
	if err != nil {
		return Key{}, errors.New("its two keys do not belong together")
	}
	return Key{Verifier: lines[1], signer: signer}, nil
}

func (s Store) newKey() ([]byte, error) {
	private, verifier, err := note.GenerateKey(s.Random, keyName)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key: %w", err)
	}
	return []byte(private + "\n" + verifier + "\n"), nil
}

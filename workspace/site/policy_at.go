package site

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// DecidedAt returns an entry of the ledger, and the digest of the policy in force then; "" if none was announced
// before.
func DecidedAt(root *recorder.Root, at int64) (decided audit.Entry, digest string, err error) {
	for e, err := range ledger.Read(root.Files(), 1) {
		if err != nil {
			return decided, "", err
		}
		if e.Seq > at {
			break
		}
		if decided = e; e.Type == audit.TypePolicy {
			digest = e.Digest
		}
	}
	if decided.Seq != at {
		err = Refuse(fmt.Sprintf("the ledger has no entry %d", at), "council record audit lists its entries.")
	}
	return decided, digest, err
}

// KeptPolicy reads the copy of an announced policy. One that was changed is a [recorder.ErrDamaged].
func KeptPolicy(root *recorder.Root, digest string) (*policy.Policy, error) {
	var doc []byte
	err := InPolicies(root, func(kept atomicfile.Files) (err error) {
		doc, err = atomicfile.Read(kept, digest+".toml")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the policy %.12s, which was in force then, cannot be read: %w", digest, err)
	}
	if council.Digest(string(doc)) != digest {
		return nil, fmt.Errorf("%w: the policy %.12s, which was in force then, is not what was kept", recorder.ErrDamaged,
			digest)
	}
	return policy.Decode(doc)
}

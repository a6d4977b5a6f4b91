package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Sentinels of a cluster. All are wrapped with what was found.
var (
	// ErrNoCluster: no server answers there, or it lets nobody in by this name. Start one, or name another.
	ErrNoCluster = errors.New("no NATS server can be reached")
	// ErrUnfit: the server is too old, or JetStream is off.
	ErrUnfit = errors.New("the NATS server cannot keep a workspace")
	// ErrForeign: somebody else made a stream of the name. Take another workspace.
	ErrForeign = errors.New("the stream was not made by council")
	// ErrOtherRules: sessions of the workspace follow other rules. Use the version of council that made it.
	ErrOtherRules = errors.New("the workspace of the cluster was made by another version of council")
	// ErrNotMade: nothing was submitted to the workspace yet.
	ErrNotMade = errors.New("the cluster has no workspace")
	// ErrFull: the cluster has no room for another message. Nothing was written.
	ErrFull = errors.New("the cluster is full")
	// ErrReadOnly: the server forbids this user to write. Nothing was written.
	ErrReadOnly = errors.New("the cluster does not let this user write")
	// ErrTooLarge: the message is larger than the server takes.
	ErrTooLarge = errors.New("the cluster takes no message so large")
	// ErrSilent: the cluster did not answer within our patience. Whether it has the last write is unknown until it is
	// read again.
	ErrSilent = errors.New("the cluster does not answer")
	// ErrLost: another machine has the session, or nobody knows whether it is ours. Nothing was written.
	ErrLost = errors.New("another worker has this session")
	// ErrDamaged: the messages of a file do not follow each other.
	ErrDamaged = errors.New("what the cluster holds of a file is damaged")
)

// Codes of JetStream that nats.go has no names for.
const (
	codeNoPeers       = 10005
	codeNoResources   = 10023
	codeMemoryFull    = 10028
	codeStorageFull   = 10047
	codeNoReplicas    = 10074
	codeStoreFailed   = 10077
	codeAccountFull   = 10002
	codeSameInProcess = 10158
)

// isCode reports whether an error has one of the codes of JetStream.
func isCode(err error, codes ...jetstream.ErrorCode) bool {
	api := (*jetstream.APIError)(nil)
	if errors.As(err, &api) {
		return slices.Contains(codes, api.ErrorCode)
	}
	js, ok := errors.AsType[jetstream.JetStreamError](err)
	return ok && js.APIError() != nil && slices.Contains(codes, js.APIError().ErrorCode)
}

// conflict reports whether a write was refused because another came before it.
func conflict(err error) bool {
	return isCode(err, jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// passing reports whether a later try may succeed: the server is away, or elects a leader.
func passing(err error) bool {
	if full(err) || errors.Is(err, nats.ErrAuthorization) {
		return false
	}
	for _, one := range []error{context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrConnectionReconnecting, jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat} {
		if errors.Is(err, one) {
			return true
		}
	}
	api := (*jetstream.APIError)(nil)
	return isCode(err, codeSameInProcess) || errors.As(err, &api) && api.Code == 503
}

func full(err error) bool {
	return isCode(err, codeNoResources, codeMemoryFull, codeStorageFull, codeStoreFailed, codeAccountFull)
}

// explain puts an error of NATS into the words of a sentinel.
func (c *Cluster) explain(err error) error {
	switch denied := c.denied.Load(); {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("%w: JetStream is off on %s; start nats-server with -js, or enable it for the account", ErrUnfit,
			c.Server())
	case full(err):
		return fmt.Errorf("%w: %w; give its streams more room (max_bytes, max_file_store)", ErrFull, err)
	case errors.Is(err, nats.ErrMaxPayload), isCode(err, jetstream.JSErrCodeStreamMessageExceedsMaximum):
		return fmt.Errorf("%w: raise max_payload of the server, which is %d bytes", ErrTooLarge, c.conn.MaxPayload())
	case denied != nil && passing(err):
		return fmt.Errorf("%w: %w", ErrReadOnly, *denied)
	case passing(err):
		return fmt.Errorf("%w: %w", ErrSilent, err)
	}
	return fmt.Errorf("the cluster: %w", err)
}

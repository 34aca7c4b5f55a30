package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/crypto/nacl/box"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store"
)

// replyWaiters passes replies of nodes, in whatever process, to the callers of hooks that wait in
// this one. A reply may contain secrets of the document, so it is encrypted with the caller's
// key, and deleted after use.
type replyWaiters struct {
	shared store.SharedRuns
	watch  *watch[store.SealedAnswer]
	log    *slog.Logger
}

// Answer implements [runs.TriggerQueue].
func (r *Runs) Answer(runID string) (reply <-chan node.Reply, look, gone func()) {
	c := &caller{waiters: &r.replies, runID: runID, replies: make(chan node.Reply, 1)}
	if err := c.wait(); err != nil {
		r.log.Warn("the caller of a hook cannot wait for a reply; it gets the result of the run", "run", runID, "error", err)
		return c.replies, func() {}, func() {}
	}
	return c.replies, c.fetch, c.stop
}

// caller waits for the reply of a run.
type caller struct {
	waiters         *replyWaiters
	runID           string
	public, private *[32]byte
	replies         chan node.Reply
	unsubscribe     func()
}

func (c *caller) wait() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	if c.public, c.private, err = box.GenerateKey(rand.Reader); err != nil {
		return err
	}
	if err = c.waiters.shared.Await(ctx, c.runID, c.public[:]); err == nil {
		c.unsubscribe = c.waiters.watch.subscribe(c.runID, c.receive)
	}
	return err
}

// receive decrypts a reply and passes it on.
func (c *caller) receive(sealed store.SealedAnswer) {
	reply, err := unseal(sealed.Sealed, c.public, c.private)
	if err != nil {
		c.waiters.log.Warn("a reply cannot be decrypted", "run", c.runID, "error", err)
		return
	}
	select {
	case c.replies <- reply:
	default: // already received
	}
}

// fetch reads the reply once more.
func (c *caller) fetch() {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	answers, err := c.waiters.shared.Answers(ctx, []string{c.runID})
	if err != nil {
		c.waiters.log.Warn("cannot read whether a run has replied", "run", c.runID, "error", err)
	}
	for _, a := range answers {
		c.receive(a)
	}
}

// stop ends the wait.
func (c *caller) stop() {
	c.unsubscribe()
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	if err := c.waiters.shared.Unawait(ctx, c.runID); err != nil { // it expires
		c.waiters.log.Debug("the end of a wait for a reply cannot be recorded", "run", c.runID, "error", err)
	}
}

func (a *replyWaiters) close() { a.watch.close() }

// errSealed means that a reply was encrypted for another caller.
var errSealed = errors.New("it was encrypted for another caller")

func unseal(sealed string, public, private *[32]byte) (reply node.Reply, err error) {
	text, ok := box.OpenAnonymous(nil, []byte(sealed), public, private)
	if !ok {
		return reply, errSealed
	}
	err = json.Unmarshal(text, &reply)
	return reply, err
}

// sendReply stores a reply for the caller that waits for it. Without one, the error is
// [node.ErrNobodyWaits].
func sendReply(ctx context.Context, shared store.SharedRuns, runID string, reply node.Reply) error {
	err := retryUnavailable(ctx, func() error {
		key, err := shared.Awaiting(ctx, runID)
		if err != nil {
			return err
		}
		text, err := json.Marshal(reply)
		if err != nil {
			return err
		}
		if len(key) != len([32]byte{}) {
			return fmt.Errorf("%w: its key is invalid", store.ErrNobodyAwaits)
		}
		sealed, err := box.SealAnonymous(nil, text, (*[32]byte)(key), rand.Reader)
		if err != nil {
			return err
		}
		return shared.Answer(ctx, runID, sealed)
	})
	if errors.Is(err, store.ErrNobodyAwaits) {
		return node.ErrNobodyWaits
	}
	return err
}

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

// answersAsked has those wait here who have called hooks, until a node of the run answers that
// somebody drives anywhere. What it answers is theirs alone: it may be what the document calls a
// secret, so it is sealed for whoever waits, and kept no longer than it takes.
type answersAsked struct {
	shared store.SharedRuns
	heard  *watch[store.SealedAnswer]
	log    *slog.Logger
}

// Answer implements [runs.TriggerQueue].
func (r *Runs) Answer(runID string) (reply <-chan node.Reply, look, gone func()) {
	c := &caller{asked: &r.asked, runID: runID, replies: make(chan node.Reply, 1)}
	if err := c.wait(); err != nil {
		r.log.Warn("the caller of a hook cannot wait for an answer; it gets the outcome of the run", "run", runID, "error", err)
		return c.replies, func() {}, func() {}
	}
	return c.replies, c.look, c.leave
}

// caller waits for the answer of a run.
type caller struct {
	asked           *answersAsked
	runID           string
	public, private *[32]byte
	replies         chan node.Reply
	unlook          func()
}

func (c *caller) wait() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	if c.public, c.private, err = box.GenerateKey(rand.Reader); err != nil {
		return err
	}
	if err = c.asked.shared.Await(ctx, c.runID, c.public[:]); err == nil {
		c.unlook = c.asked.heard.look(c.runID, c.hear)
	}
	return err
}

// hear takes the answer that has come.
func (c *caller) hear(sealed store.SealedAnswer) {
	reply, err := opened(sealed.Sealed, c.public, c.private)
	if err != nil {
		c.asked.log.Warn("an answer cannot be read", "run", c.runID, "error", err)
		return
	}
	select {
	case c.replies <- reply:
	default: // it has come already
	}
}

// look asks once more.
func (c *caller) look() {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	answers, err := c.asked.shared.Answers(ctx, []string{c.runID})
	if err != nil {
		c.asked.log.Warn("nobody can tell whether a run has answered", "run", c.runID, "error", err)
	}
	for _, a := range answers {
		c.hear(a)
	}
}

// leave waits no more.
func (c *caller) leave() {
	c.unlook()
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	if err := c.asked.shared.Unawait(ctx, c.runID); err != nil { // it is forgotten later
		c.asked.log.Debug("it cannot be kept that nobody waits for an answer", "run", c.runID, "error", err)
	}
}

func (a *answersAsked) close() { a.heard.close() }

// errSealed says that what came is for somebody else.
var errSealed = errors.New("it was sealed for another caller")

func opened(sealed string, public, private *[32]byte) (reply node.Reply, err error) {
	text, ok := box.OpenAnonymous(nil, []byte(sealed), public, private)
	if !ok {
		return reply, errSealed
	}
	err = json.Unmarshal(text, &reply)
	return reply, err
}

// answer leaves an answer for whoever waits for that of a run.
func answer(ctx context.Context, shared store.SharedRuns, runID string, reply node.Reply) error {
	err := held(ctx, func() error {
		key, err := shared.Awaiting(ctx, runID)
		if err != nil {
			return err
		}
		text, err := json.Marshal(reply)
		if err != nil {
			return err
		}
		if len(key) != len([32]byte{}) {
			return fmt.Errorf("%w: its key is none", store.ErrNobodyAwaits)
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

package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// digest identifies a request, to recognise its repetition.
func (s source) digest(q run.Request, waits bool) string {
	overrides := make(map[string]any, len(q.Overrides))
	for id, ports := range q.Overrides {
		overrides[id] = ports
	}
	asked := map[string]any{"kind": string(s.kind), "waits": waits, "inputs": q.Inputs, "overrides": overrides}
	if q.Trigger != "" {
		asked["trigger"], asked["payload"] = q.Trigger, orEmpty(q.Payload)
	}
	sum := sha256.New()
	sum.Write(value.Append(nil, asked))
	switch s.kind {
	case ofDefinition:
		sum.Write(s.definition.Format())
	case ofText:
		sum.Write(s.text)
	case ofStored:
		sum.Write([]byte(s.id))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// ownedKey returns the idempotency key that stores see. No header can contain its control
// characters, and the keys of triggers begin with another one.
func ownedKey(owner, key string) string {
	if owner == "" {
		return key
	}
	return "\x01" + owner + "\x01" + key
}

// once starts a run, or returns the run that the same request with the same key has started. place
// acquires the slot of a synchronous run; it is nil for an asynchronous one.
func (a *App) once(ctx context.Context, s source, q run.Request, place func(context.Context) (func(), error)) (string, error) {
	if len(q.Pins) > 0 {
		return "", ErrPinned
	}
	key := q.IdempotencyKey
	start := run.Start{Inputs: q.Inputs, Stored: s.kind == ofStored}
	if key != "" {
		if len(key) > runs.MaxKey {
			return "", runs.ErrKeyTooLong
		}
		key = ownedKey(q.KeyOwner, key)
		start.IdempotencyKey = key
		start.RequestDigest = s.digest(q, place != nil)
		if runID, err := runs.FindByKey(ctx, a.runs, key, start.RequestDigest); err != nil || runID != "" {
			return runID, err
		}
	}
	made, err := a.compileSource(ctx, s, q.Overrides)
	if err != nil {
		return "", err
	}
	if start.Firing, err = made.fire(q); err != nil {
		return "", err
	}
	w, err := made.work(start)
	if err != nil {
		return "", err
	}
	w.TakeSlot = place
	return a.runs.Start(ctx, w)
}

// work returns a run of the plan, or what is wrong with its inputs.
func (c *compiled) work(start run.Start) (drive.Work, error) {
	if problems := append(c.plan.CheckInputs(start.Inputs), c.plan.CheckFiring(start.Firing)...); len(problems) > 0 {
		return drive.Work{}, problems
	}
	start.Definition, start.Workflows, start.Document = c.definition, c.workflows, c.text()
	return drive.Work{Start: start, Plan: c.plan}, nil
}

// place acquires the slot of a synchronous run, and returns what releases it.
func (a *App) place(ctx context.Context) (free func(), err error) {
	if err := a.admission.Acquire(ctx, &a.syncSlots); err != nil {
		return nil, err
	}
	return func() { a.admission.Finish(&a.syncSlots) }, nil
}

package state

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type getIn struct {
	place

	Default any `port:"default,optional" doc:"What to give if there is no value; without it, null."`
}

type found struct {
	Value any  `port:"value" doc:"The value."`
	Found bool `port:"found" doc:"Whether there was a value under the key."`
}

type revised struct {
	found

	Revision int `port:"revision" doc:"A number that changes with the value; 0 if there is none. Give it to ifRevision to change just this value."`
}

func getNode() node.Node {
	get := func(ctx context.Context, in getIn) (revised, error) {
		s, err := of(ctx)
		if err != nil {
			return revised{}, err
		}
		v, err := s.Get(ctx, in.at())
		if err != nil || v.Revision == 0 {
			return revised{found: found{Value: in.Default}}, err
		}
		return revised{found{v.Value, true}, v.Revision}, nil
	}
	return node.Func("state.get", "Read state", get).
		Aliases("remember, variable, storage, key value, cache, last value", "merken, variable, speicher, gedächtnis, letzter wert").
		Example(map[string]any{"key": "last-order", "default": 0}).Doc(
		"Gives a value that an earlier run has kept.\n\n" +
			"With key = `last-order` and default = `0` it gives `0` in the first run, and later what `state.set` has put there.\n\n" + scopeHelp)
}

type setIn struct {
	place

	Value      any    `port:"value" doc:"What to keep."`
	TTL        string `port:"ttl" default:"" doc:"After which time the value is forgotten, such as 90s, 15m or 720h; without it, never."`
	IfRevision *int   `port:"ifRevision,optional" doc:"Changes the value only if it still has this revision, as state.get told it; 0 means that there must be none. Else the node fails with conflict."`
}

func setNode() node.Node {
	set := func(ctx context.Context, in setIn) (revised, error) {
		s, err := of(ctx)
		if err != nil {
			return revised{}, err
		}
		end, err := until(in.TTL, time.Now())
		if err != nil {
			return revised{}, err
		}
		var out revised
		v, err := s.Change(ctx, in.at(), func(now node.StateValue) (node.StateValue, error) {
			if in.IfRevision != nil && *in.IfRevision != now.Revision {
				return now, node.Permanent(node.Errorf(codeConflict, "the value has the revision %d, not %d: somebody has changed it since it was read", now.Revision, *in.IfRevision))
			}
			out.Found = now.Revision != 0
			return node.StateValue{Value: in.Value, Until: end}, nil
		})
		out.Value, out.Revision = in.Value, v.Revision
		return out, err
	}
	return checkTTL(node.Func("state.set", "Keep state", set).
		Aliases("remember, store, save value, variable, key value", "merken, speichern, wert ablegen, variable").
		Example(map[string]any{"key": "last-order", "value": 17}).Doc(
		"Keeps a value for later runs, in the place of the one that was there. found says whether there was one.\n\n" +
			"With key = `last-order` and value = `17`, `state.get` gives `17` from now on, also in other runs.\n\n" + scopeHelp))
}

// codeConflict means that the value was changed since it was read.
const codeConflict = "conflict"

type incrIn struct {
	place

	By  int    `port:"by" default:"1" doc:"How much to add; less than 0 takes away."`
	TTL string `port:"ttl" default:"" doc:"After which time a value that this call begins is forgotten, such as 1h; a value that was there keeps its time."`
}

type counted struct {
	Value int  `port:"value" doc:"The number after that."`
	Found bool `port:"found" doc:"Whether there was a number before."`
}

func incrNode() node.Node {
	incr := func(ctx context.Context, in incrIn) (out counted, err error) {
		s, err := of(ctx)
		if err != nil {
			return out, err
		}
		end, err := until(in.TTL, time.Now())
		if err != nil {
			return out, err
		}
		_, err = s.Change(ctx, in.at(), func(now node.StateValue) (node.StateValue, error) {
			n, ok := 0, true
			if out.Found = now.Revision != 0; out.Found {
				n, ok = now.Value.(int)
				end = now.Until
			}
			if !ok {
				return now, node.Permanent(node.Errorf(node.CodeTypeError, "the value under the key is no whole number; give the counter another key, or delete the value"))
			}
			if out.Value = n + in.By; (out.Value > n) != (in.By > 0) && in.By != 0 {
				return now, node.Permanent(node.Errorf(node.CodeLimitExceeded, "the number would have more than 64 bits"))
			}
			return node.StateValue{Value: out.Value, Until: end}, nil
		})
		return out, err
	}
	return checkTTL(node.Func("state.incr", "Count", incr).Once().
		Aliases("counter, increment, add, sequence number, rate limit", "zähler, hochzählen, laufende nummer").
		Example(map[string]any{"key": "invoices"}).Doc(
		"Adds to a number that is kept, and gives the sum. Runs that do so at the same time get different numbers. A key without a value counts from 0.\n\n" +
			"With key = `invoices` it gives `1` in the first run, then `2`, `3` and so on. With ttl = `1h` it counts within an hour.\n\n" + scopeHelp))
}

func deleteNode() node.Node {
	remove := func(ctx context.Context, in place) (out found, err error) {
		s, err := of(ctx)
		if err != nil {
			return out, err
		}
		_, err = s.Change(ctx, in.at(), func(now node.StateValue) (node.StateValue, error) {
			if out = (found{}); now.Revision != 0 {
				out = found{now.Value, true}
			}
			return node.StateValue{Value: node.Absent{}}, nil
		})
		return out, err
	}
	n := node.Func("state.delete", "Delete state", remove).
		Aliases("forget, remove, reset, clear", "vergessen, löschen, zurücksetzen").
		Example(map[string]any{"key": "last-order"}).Doc(
		"Deletes a value that is kept, and gives it. A key without a value is no error.\n\n" +
			"With key = `last-order`, value is what was there, and found whether that was something.\n\n" + scopeHelp)
	n.Spec.Outputs[0].Type = value.Any()
	return n
}

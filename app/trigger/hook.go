package trigger

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// Hook is a trigger that HTTP clients call.
type Hook struct {
	node.Hook

	armed    *armed
	segments []string
}

// WorkflowID returns the id of the workflow that the hook starts.
func (h *Hook) WorkflowID() string { return h.armed.of.Definition.ID }

// NodeID returns the id of the trigger node.
func (h *Hook) NodeID() string { return h.armed.node }

// PathInUseError means that another hook has an overlapping path and method.
type PathInUseError struct{ Path, WorkflowID string }

// Error implements error.
func (e *PathInUseError) Error() string {
	return fmt.Sprintf("the workflow %.200q has a hook at the path %.200q already; choose another path", e.WorkflowID, e.Path)
}

// hookTable finds hooks by path.
type hookTable struct {
	fixed map[string][]*Hook // paths without variables, by path
	open  map[int][]*Hook    // paths with variables, by number of segments
}

// Hooks returns the hooks at an escaped path, each with the values of its path variables. It
// waits until activations are loaded.
func (s *Service) Hooks(ctx context.Context, escaped string) (found []*Hook, params []map[string]string) {
	if s.waitReady(ctx) != nil {
		return nil, nil
	}
	return s.hookTable().find(escaped)
}

// find returns the hooks at an escaped path, each with the values of its path variables.
func (table *hookTable) find(escaped string) (found []*Hook, params []map[string]string) {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		text, err := url.PathUnescape(segment)
		if err != nil || text == "" {
			return nil, nil
		}
		segments[i] = text
	}
	if !slices.ContainsFunc(segments, func(segment string) bool { return strings.Contains(segment, "/") }) {
		for _, h := range table.fixed[strings.Join(segments, "/")] {
			found, params = append(found, h), append(params, map[string]string{})
		}
	}
	for _, h := range table.open[len(segments)] {
		if values, ok := h.match(segments); ok {
			found, params = append(found, h), append(params, values)
		}
	}
	return found, params
}

// match returns the values of the path variables.
func (h *Hook) match(segments []string) (map[string]string, bool) {
	values := map[string]string{}
	for i, want := range h.segments {
		if name, ok := wildcard(want); ok {
			values[name] = segments[i]
		} else if want != segments[i] {
			return nil, false
		}
	}
	return values, true
}

// wildcard returns the name of a variable segment such as {id}.
func wildcard(segment string) (name string, ok bool) {
	if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}

// hookTable returns the table of all armed hooks.
func (s *Service) hookTable() *hookTable {
	if t := s.hooks.Load(); t != nil {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := newHookTable()
	for _, a := range s.active {
		for _, armed := range a.triggers {
			if armed.hook != nil {
				t.add(armed.hook)
			}
		}
	}
	s.hooks.Store(t)
	return t
}

func newHookTable() *hookTable {
	return &hookTable{fixed: map[string][]*Hook{}, open: map[int][]*Hook{}}
}

func (table *hookTable) add(h *Hook) {
	if n := len(h.segments); strings.Contains(h.Path, "{") {
		table.open[n] = append(table.open[n], h)
	} else {
		table.fixed[h.Path] = append(table.fixed[h.Path], h)
	}
}

// all yields the hooks in the table.
func (table *hookTable) all() iter.Seq[*Hook] {
	return func(yield func(*Hook) bool) {
		for _, at := range table.fixed {
			for _, h := range at {
				if !yield(h) {
					return
				}
			}
		}
		for _, at := range table.open {
			for _, h := range at {
				if !yield(h) {
					return
				}
			}
		}
	}
}

func newHook(t *armed, source node.Hook) *Hook {
	return &Hook{Hook: source, armed: t, segments: strings.Split(source.Path, "/")}
}

// checkFree returns a [*PathInUseError] if a hook of a workflow overlaps another hook.
func (table *hookTable) checkFree(workflowID string, triggers []engine.Trigger) error {
	var hooks []*Hook
	for _, t := range triggers {
		if source, ok := t.Source.(node.Hook); ok {
			h := newHook(nil, source)
			if slices.ContainsFunc(hooks, h.overlaps) {
				return &PathInUseError{source.Path, workflowID}
			}
			hooks = append(hooks, h)
		}
	}
	if len(hooks) == 0 {
		return nil
	}
	for h := range table.all() {
		if id := h.WorkflowID(); id != workflowID && slices.ContainsFunc(hooks, h.overlaps) {
			return &PathInUseError{h.Path, id}
		}
	}
	return nil
}

// overlaps reports whether a request can match both hooks.
func (h *Hook) overlaps(other *Hook) bool {
	if len(h.segments) != len(other.segments) || !slices.ContainsFunc(h.Methods, func(m string) bool { return slices.Contains(other.Methods, m) }) {
		return false
	}
	for i, segment := range h.segments {
		_, open := wildcard(segment)
		_, others := wildcard(other.segments[i])
		if !open && !others && segment != other.segments[i] {
			return false
		}
	}
	return true
}

// Fire enqueues a run for a call of a hook. runID is the id for the run; it must be unused. If
// the key of f has started a run, Fire returns the id of that.
func (s *Service) Fire(h *Hook, f node.Firing, runID string) (string, error) {
	t := h.armed
	if err := s.waitReady(s.life); err != nil {
		return "", err
	}
	found, err := describe(s.life, s.Host, t, []node.Firing{f})
	if err != nil {
		return "", err
	}
	found[0].RunID = runID
	made, err := s.enqueueFirings(t, found)
	if err != nil {
		s.recordRefusal(t, err, 1)
		return "", err
	}
	return made[0], nil
}

// RunByKey returns the id of the run that a firing of a hook with a key has started, or "".
func (s *Service) RunByKey(ctx context.Context, h *Hook, key string) (string, error) {
	return s.Host.RunByKey(ctx, h.armed.key("%s", key))
}

// Refused counts a refused call of a hook.
func (s *Service) Refused(h *Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(h.armed.typ).Refused++
}

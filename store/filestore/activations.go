// Package filestore stores workflows, their revisions, and activations in a directory.
package filestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// ActivationStore stores each activation in a directory, as a readable JSON file, and the state of
// triggers beside them. Several processes may use one directory; one of them fires triggers.
type ActivationStore struct {
	dir string

	mu     sync.Mutex // held while files are changed
	memory triggerLog
}

// OpenActivations returns the store of the activations in dir, which need not exist.
func OpenActivations(dir string) *ActivationStore {
	return &ActivationStore{dir: dir, memory: triggerLog{path: filepath.Join(dir, memoryName)}}
}

// activationText is the JSON of a [store.Activation].
type activationText struct {
	WorkflowID    string            `json:"workflowId"`
	Revision      int               `json:"revision"`
	Since         time.Time         `json:"since"`
	Armed         time.Time         `json:"armed,omitzero"`
	Concurrency   int               `json:"concurrency,omitempty"`
	OnInterrupted run.OnInterrupted `json:"onInterrupted"`
	Definition    json.RawMessage   `json:"definition"`
}

// memoryName is the file with the state of triggers.
const memoryName = "memory.log"

// Activations implements [store.ActivationStore].
func (s *ActivationStore) Activations(ctx context.Context) iter.Seq2[store.Activation, error] {
	return func(yield func(store.Activation, error) bool) {
		entries, err := os.ReadDir(s.dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(store.Activation{}, fmt.Errorf("list activations: %w", err))
			return
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				yield(store.Activation{}, err)
				return
			}
			if !isVisible(e) {
				continue
			}
			a, err := s.read(filepath.Join(s.dir, e.Name()))
			if errors.Is(err, store.ErrNotActive) { // removed since ReadDir
				continue
			}
			if !yield(a, err) {
				return
			}
		}
	}
}

// Activation implements [store.ActivationStore].
func (s *ActivationStore) Activation(ctx context.Context, workflowID string) (store.Activation, error) {
	if err := ctx.Err(); err != nil {
		return store.Activation{}, err
	}
	return s.read(s.path(workflowID))
}

func (s *ActivationStore) path(workflowID string) string {
	return filepath.Join(s.dir, fileName(workflowID))
}

func (s *ActivationStore) read(path string) (store.Activation, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return store.Activation{}, store.ErrNotActive
	case err != nil:
		return store.Activation{}, fmt.Errorf("read an activation: %w", err)
	}
	var text activationText
	if err := json.Unmarshal(data, &text); err != nil {
		return store.Activation{}, fmt.Errorf("the activation %s cannot be read: %w", filepath.Base(path), err)
	}
	def, err := workflow.Decode(text.Definition, workflow.Limits{})
	if err != nil {
		return store.Activation{}, fmt.Errorf("the activation %s cannot be read: %w", filepath.Base(path), err)
	}
	return store.Activation{
		Revision: text.Revision, Since: text.Since, Armed: text.Armed, Concurrency: text.Concurrency, OnInterrupted: text.OnInterrupted, Definition: def,
	}, nil
}

// Activate implements [store.ActivationStore].
func (s *ActivationStore) Activate(ctx context.Context, a store.Activation) error {
	if err := workflow.CheckID(a.Definition.ID); err != nil {
		return err
	}
	data, err := json.MarshalIndent(activationText{
		WorkflowID: a.Definition.ID, Revision: a.Revision, Since: a.Since.UTC(), Armed: a.Armed.UTC(), Concurrency: a.Concurrency,
		OnInterrupted: a.OnInterrupted, Definition: a.Definition.AppendJSON(nil),
	}, "", " ")
	if err != nil {
		return err
	}
	return s.replace(ctx, s.path(a.Definition.ID), append(data, '\n'))
}

func (s *ActivationStore) replace(ctx context.Context, path string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := durable.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	return durable.Replace(path, data, durable.Options{})
}

// Deactivate implements [store.ActivationStore].
func (s *ActivationStore) Deactivate(ctx context.Context, workflowID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	err := os.Remove(s.path(workflowID))
	if errors.Is(err, fs.ErrNotExist) {
		return store.ErrNotActive
	}
	if err == nil {
		err = durable.SyncDir(s.dir)
	}
	if err = errors.Join(err, s.memory.open()); err != nil {
		return err
	}
	lines, err := s.memory.forgotten(workflowID)
	if lines != nil {
		err = errors.Join(err, s.memory.append(lines))
	}
	return err
}

// Memory implements [store.ActivationStore].
func (s *ActivationStore) Memory(ctx context.Context, workflowID, nodeID string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(ctx.Err(), durable.MakeDir(s.dir), s.memory.open()); err != nil {
		return nil, err
	}
	return s.memory.memory(workflowID, nodeID)
}

// Remember implements [store.ActivationStore].
func (s *ActivationStore) Remember(ctx context.Context, all ...store.TriggerMemory) error {
	lines := make([]triggerLine, len(all))
	for i, m := range all {
		lines[i] = triggerLine{m.WorkflowID, m.NodeID, m.Memory}
	}
	return s.append(ctx, lines)
}

func (s *ActivationStore) append(ctx context.Context, lines []triggerLine) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(ctx.Err(), durable.MakeDir(s.dir)); err != nil {
		return err
	}
	return s.memory.append(lines)
}

// Arm implements [store.ActivationStore]. If a process dies, the system releases its lock.
func (s *ActivationStore) Arm(ctx context.Context) (store.Arming, error) {
	if err := ctx.Err(); err != nil {
		return store.Arming{}, err
	}
	if err := durable.MakeDir(s.dir); err != nil {
		return store.Arming{}, err
	}
	file := flock.New(filepath.Join(s.dir, ".lock"))
	locked, err := file.TryLock()
	switch {
	case err != nil:
		return store.Arming{}, fmt.Errorf("lock the triggers: %w", err)
	case !locked:
		return store.Arming{}, store.ErrArmedElsewhere
	}
	return store.Arming{Release: func() { _ = file.Unlock() }}, nil // closing the file releases the lock, so the error does not matter
}

var _ store.ActivationStore = (*ActivationStore)(nil)

package store

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

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store/durable"
)

// ActivationFiles keeps activations in a directory, each as a readable JSON file, and
// beside them what triggers remember. Several processes may use one directory; one of them
// lets triggers fire.
type ActivationFiles struct {
	dir string

	mu     sync.Mutex // held while files are changed
	memory memoryLog
}

// FileActivations returns the store that keeps activations in dir, which need not exist.
func FileActivations(dir string) *ActivationFiles {
	return &ActivationFiles{dir: dir, memory: memoryLog{path: filepath.Join(dir, memoryName)}}
}

// activationText is an [Activation] as it is kept.
type activationText struct {
	WorkflowID    string            `json:"workflowId"`
	Revision      int               `json:"revision"`
	Since         time.Time         `json:"since"`
	Armed         time.Time         `json:"armed,omitzero"`
	Concurrency   int               `json:"concurrency,omitempty"`
	OnInterrupted run.OnInterrupted `json:"onInterrupted"`
	Definition    json.RawMessage   `json:"definition"`
}

// memoryName is the file for what triggers remember.
const memoryName = "memory.log"

// Activations implements [ActivationStore].
func (s *ActivationFiles) Activations(ctx context.Context) iter.Seq2[Activation, error] {
	return func(yield func(Activation, error) bool) {
		entries, err := os.ReadDir(s.dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(Activation{}, fmt.Errorf("list activations: %w", err))
			return
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				yield(Activation{}, err)
				return
			}
			if !isVisible(e) {
				continue
			}
			a, err := s.read(filepath.Join(s.dir, e.Name()))
			if errors.Is(err, ErrNotActive) { // removed since ReadDir
				continue
			}
			if !yield(a, err) {
				return
			}
		}
	}
}

// Activation implements [ActivationStore].
func (s *ActivationFiles) Activation(ctx context.Context, workflowID string) (Activation, error) {
	if err := ctx.Err(); err != nil {
		return Activation{}, err
	}
	return s.read(s.path(workflowID))
}

func (s *ActivationFiles) path(workflowID string) string {
	return filepath.Join(s.dir, fileName(workflowID))
}

func (s *ActivationFiles) read(path string) (Activation, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Activation{}, ErrNotActive
	case err != nil:
		return Activation{}, fmt.Errorf("read an activation: %w", err)
	}
	var text activationText
	if err := json.Unmarshal(data, &text); err != nil {
		return Activation{}, fmt.Errorf("the activation %s cannot be read: %w", filepath.Base(path), err)
	}
	def, err := workflow.Decode(text.Definition, workflow.Limits{})
	if err != nil {
		return Activation{}, fmt.Errorf("the activation %s cannot be read: %w", filepath.Base(path), err)
	}
	return Activation{
		Revision: text.Revision, Since: text.Since, Armed: text.Armed, Concurrency: text.Concurrency, OnInterrupted: text.OnInterrupted, Definition: def,
	}, nil
}

// Activate implements [ActivationStore].
func (s *ActivationFiles) Activate(ctx context.Context, a Activation) error {
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

func (s *ActivationFiles) replace(ctx context.Context, path string, data []byte) error {
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

// Deactivate implements [ActivationStore].
func (s *ActivationFiles) Deactivate(ctx context.Context, workflowID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	err := os.Remove(s.path(workflowID))
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotActive
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

// Memory implements [ActivationStore].
func (s *ActivationFiles) Memory(ctx context.Context, workflowID, nodeID string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(ctx.Err(), durable.MakeDir(s.dir), s.memory.open()); err != nil {
		return nil, err
	}
	return s.memory.recall(workflowID, nodeID)
}

// Remember implements [ActivationStore].
func (s *ActivationFiles) Remember(ctx context.Context, all ...TriggerMemory) error {
	lines := make([]memoryLine, len(all))
	for i, m := range all {
		lines[i] = memoryLine{m.WorkflowID, m.NodeID, m.Memory}
	}
	return s.append(ctx, lines)
}

func (s *ActivationFiles) append(ctx context.Context, lines []memoryLine) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(ctx.Err(), durable.MakeDir(s.dir)); err != nil {
		return err
	}
	return s.memory.append(lines)
}

// Arm implements [ActivationStore]. The system frees the lock of a process that dies.
func (s *ActivationFiles) Arm(ctx context.Context) (Arming, error) {
	if err := ctx.Err(); err != nil {
		return Arming{}, err
	}
	if err := durable.MakeDir(s.dir); err != nil {
		return Arming{}, err
	}
	file := flock.New(filepath.Join(s.dir, ".lock"))
	locked, err := file.TryLock()
	switch {
	case err != nil:
		return Arming{}, fmt.Errorf("lock the triggers: %w", err)
	case !locked:
		return Arming{}, ErrArmedElsewhere
	}
	return Arming{Release: func() { _ = file.Unlock() }}, nil // closing the file is enough, and cannot fail to matter
}

var _ ActivationStore = (*ActivationFiles)(nil)

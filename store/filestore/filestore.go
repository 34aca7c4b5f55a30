package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store/internal/vfs"
)

// Store stores each workflow as a JSON file in a directory; open one with [Open]. It implements
// [store.WorkflowStore], [store.Revisions], [store.Conditional], [store.Versioned] and
// [store.Weighed]. Several processes may use one directory.
//
// A file contains the plain document and may be edited by hand, which changes its time but creates
// no revision. Its name is derived from the id. A file with any other name is listed as damaged,
// together with the name that it should have.
//
// Earlier revisions are stored in .history: the first and the newest 99 of each workflow. The time
// of the first is when the workflow was created. Only the owner of the files can read them. The
// file system must store file times to the microsecond; all but FAT do.
type Store struct {
	dir   string
	turn  *semaphore.Weighted // weight 1: held by the goroutine that changes files
	defs  cache[*workflow.Definition]
	metas cache[workflow.Meta]
	past  cache[workflow.Meta] // of earlier revisions
	link  func(oldname, newname string) error

	paths paths
}

// Limits of the caches. The first two count bytes of memory, the last one counts revisions.
const (
	cachedBytes     = 48 << 20
	cachedMetas     = 8 << 20
	cachedRevisions = 10_000
)

// Open returns the store of the workflows in dir. The directory need not exist: the first save
// creates it.
func Open(dir string) *Store {
	return &Store{
		dir:   dir,
		turn:  semaphore.NewWeighted(1),
		defs:  cache[*workflow.Definition]{limit: cachedBytes},
		metas: cache[workflow.Meta]{limit: cachedMetas},
		past:  cache[workflow.Meta]{limit: cachedRevisions},
		link:  os.Link,
	}
}

// Load implements [store.WorkflowStore]. It reads the file only if it has changed since the last
// read.
func (s *Store) Load(ctx context.Context, id string) (*workflow.Definition, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	doc, err := s.current(fileName(id))
	if err == nil {
		err = doc.damage
	}
	if err != nil {
		return nil, fmt.Errorf("load workflow: %w", err)
	}
	return doc.def, nil
}

// Version implements [store.Versioned]: the tag is the time and size of the file. No two saves of a
// workflow have the same time.
func (s *Store) Version(ctx context.Context, id string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	info, err := os.Stat(s.paths.of(id, s.dir))
	if err != nil {
		return "", fmt.Errorf("version of workflow: %w", notFound(err))
	}
	var tag [2 * 13]byte // two numbers of 64 bits in base 36
	text := strconv.AppendInt(tag[:0], info.ModTime().UnixNano(), 36)
	return string(strconv.AppendInt(append(text, '-'), info.Size(), 36)), nil
}

// Save implements [store.WorkflowStore].
func (s *Store) Save(ctx context.Context, def *workflow.Definition) (workflow.Meta, error) {
	return s.SaveIf(ctx, def, workflow.Condition{})
}

// SaveIf implements [store.Conditional].
func (s *Store) SaveIf(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	meta, err := s.save(ctx, def, cond)
	if err != nil {
		return workflow.Meta{}, fmt.Errorf("save workflow: %w", err)
	}
	return meta, nil
}

func (s *Store) save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	if err := workflow.CheckID(def.ID); err != nil {
		return workflow.Meta{}, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return workflow.Meta{}, err
	}
	defer unlock()
	name := fileName(def.ID)
	old, err := s.current(name)
	if err != nil && !errors.Is(err, workflow.ErrNotFound) {
		return workflow.Meta{}, err
	}
	digest := old.digest()
	old.def = nil // lets the old definition be freed: both may be large
	if !cond.Holds(old.stored(), digest) {
		return workflow.Meta{}, workflow.ErrConflict
	}
	if digest == def.Digest() {
		return s.meta(name)
	}
	if err := s.replace(name, old, def); err != nil {
		return workflow.Meta{}, err
	}
	return s.meta(name)
}

// replace makes def the content of the file called name, whose current content is old.
func (s *Store) replace(name string, old document, def *workflow.Definition) error {
	text := def.Format()
	// A definition built by a program may be no valid document. Decoding also gives the store a
	// copy that nobody else can change.
	def, err := workflow.Decode(text, workflow.Limits{})
	if err != nil {
		return err
	}
	// Write the new text first, so that a full disk changes nothing.
	pending, err := durable.Write(s.path(name), text, durable.Options{Temp: vfs.Temp, Modified: timeAfter(old)})
	if err != nil {
		return err
	}
	if err := s.supersede(name, old); err != nil {
		return errors.Join(err, pending.Discard())
	}
	if err := pending.Commit(); err != nil {
		return err
	}
	if info, err := os.Stat(s.path(name)); err == nil {
		s.defs.put(name, info, int64(def.Weight()), def)
	}
	s.prune(name)
	return nil
}

// timeAfter returns the time of the revision that replaces old: now, but always later than old,
// even if the clock was set back.
func timeAfter(old document) time.Time {
	now := time.Now()
	if !old.stored() {
		return now
	}
	if earliest := old.info.ModTime().Add(time.Microsecond); now.Before(earliest) {
		return earliest
	}
	return now
}

// Delete implements [store.WorkflowStore].
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.DeleteIf(ctx, id, workflow.Condition{})
}

// DeleteIf implements [store.Conditional].
func (s *Store) DeleteIf(ctx context.Context, id string, cond workflow.Condition) error {
	if err := s.remove(ctx, fileName(id), cond); err != nil {
		return fmt.Errorf("delete workflow: %w", err)
	}
	return nil
}

func (s *Store) remove(ctx context.Context, name string, cond workflow.Condition) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !exists(s.path(name)) && !exists(s.historyDir(name)) {
		if !cond.Holds(false, "") {
			return workflow.ErrConflict
		}
		return nil // without a lock, which a read-only directory would refuse
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := s.current(name)
	if err != nil && !errors.Is(err, workflow.ErrNotFound) {
		return err
	}
	if !cond.Holds(old.stored(), old.digest()) {
		return workflow.ErrConflict
	}
	// The document goes first: a history alone is no workflow.
	if old.stored() {
		if err := os.Remove(s.path(name)); err != nil {
			return err
		}
	}
	if err := durable.SyncDir(s.dir); err != nil {
		return err
	}
	s.defs.drop(name)
	s.metas.drop(name)
	return s.forget(name)
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

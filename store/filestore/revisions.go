package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store/internal/vfs"
)

// keptRevisions is the number of earlier revisions that are kept. They always include the first
// one, whose time is when the workflow was created.
const keptRevisions = 100

// The earlier revisions of the workflow in x.json are the files .history/x.json/N.json. A save
// links the current file there before it renames the new one over it. After a crash in between, the
// newest file of the history is also the current one. So a file in the history only counts as an
// earlier revision if it is not the current file.

func (s *Store) historyDir(name string) string { return filepath.Join(s.dir, ".history", name) }

func (s *Store) revisionPath(name string, n int) string {
	return filepath.Join(s.historyDir(name), strconv.Itoa(n)+".json")
}

// numbers returns the numbers of the revisions in the history, ascending.
func (s *Store) numbers(name string) ([]int, error) {
	entries, err := os.ReadDir(s.historyDir(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".json")
		if n, err := strconv.Atoi(base); ok && err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// place returns the revision number of the current file and the creation time of the workflow.
func (s *Store) place(name string, current fs.FileInfo) (revision int, created time.Time, err error) {
	numbers, err := s.numbers(name)
	if err != nil {
		return 0, time.Time{}, err
	}
	revision, created = 1, current.ModTime()
	if len(numbers) == 0 {
		return revision, created, nil
	}
	revision = numbers[len(numbers)-1] + 1
	if first, err := os.Stat(s.revisionPath(name, numbers[0])); err == nil {
		created = first.ModTime()
	}
	// Usually the first iteration decides. There are more if other processes have saved since
	// current was read.
	for _, n := range slices.Backward(numbers) {
		replaced, err := os.Stat(s.revisionPath(name, n))
		if err == nil && sameFile(replaced, current) {
			return n, created, nil
		}
		if err == nil && replaced.ModTime().Before(current.ModTime()) {
			break
		}
	}
	return revision, created, nil
}

// described is roughly the memory of a description apart from its texts. The cached file
// information and name take about as much again.
const described = 700

// meta describes the workflow in the file called name, from the cache if the file is unchanged.
func (s *Store) meta(name string) (workflow.Meta, error) {
	info, err := os.Stat(s.path(name))
	if err != nil {
		if err = notFound(err); errors.Is(err, workflow.ErrNotFound) {
			s.metas.drop(name)
		}
		return workflow.Meta{}, err
	}
	if meta, ok := s.metas.get(name, info); ok {
		return meta, nil
	}
	doc, ok := document{}, false
	if doc.def, ok = s.defs.get(name, info); ok {
		doc.info = info
	} else if doc, err = readDocument(s.path(name), name); err != nil {
		return workflow.Meta{}, err
	}
	meta, err := s.metaOf(name, doc)
	if err == nil {
		s.metas.put(name, doc.info, described+int64(len(meta.ID)+len(meta.Name)+len(meta.Description)), meta)
	}
	return meta, err
}

func (s *Store) metaOf(name string, doc document) (meta workflow.Meta, err error) {
	meta = doc.meta()
	meta.UpdatedAt = doc.info.ModTime().UTC()
	meta.Revision, meta.CreatedAt, err = s.place(name, doc.info)
	meta.CreatedAt = meta.CreatedAt.UTC()
	return meta, err
}

// Revisions implements [store.Revisions].
func (s *Store) Revisions(ctx context.Context, id string) ([]workflow.Meta, error) {
	name := fileName(id)
	current, err := s.meta(name)
	if err != nil {
		return nil, fmt.Errorf("revisions of workflow: %w", err)
	}
	numbers, err := s.numbers(name)
	if err != nil {
		return nil, fmt.Errorf("revisions of workflow: %w", err)
	}
	metas := []workflow.Meta{current}
	for _, n := range slices.Backward(numbers) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n >= current.Revision {
			continue
		}
		meta, err := s.pastMeta(name, n)
		if errors.Is(err, workflow.ErrNotFound) {
			continue // pruned meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("revision %d of workflow: %w", n, err)
		}
		meta.ID, meta.CreatedAt = current.ID, current.CreatedAt
		metas = append(metas, meta)
	}
	return metas, ctx.Err()
}

// pastMeta describes an earlier revision, from the cache if its file is unchanged. It does not set
// the creation time.
func (s *Store) pastMeta(name string, n int) (workflow.Meta, error) {
	path := s.revisionPath(name, n)
	info, err := os.Stat(path)
	if err != nil {
		return workflow.Meta{}, notFound(err)
	}
	if meta, ok := s.past.get(path, info); ok {
		return meta, nil
	}
	doc, err := readDocument(path, name)
	if err != nil {
		return workflow.Meta{}, err
	}
	meta := doc.meta()
	meta.Revision, meta.UpdatedAt = n, doc.info.ModTime().UTC()
	s.past.put(path, doc.info, 1, meta)
	return meta, nil
}

// LoadRevision implements [store.Revisions].
func (s *Store) LoadRevision(ctx context.Context, id string, n int) (*workflow.Definition, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	doc, err := s.revision(fileName(id), n)
	if err == nil {
		err = doc.damage
	}
	if err != nil {
		return nil, fmt.Errorf("load revision %d of workflow: %w", n, err)
	}
	return doc.def, nil
}

func (s *Store) revision(name string, n int) (document, error) {
	doc, err := s.current(name)
	if err != nil {
		return document{}, err
	}
	current, _, err := s.place(name, doc.info)
	if err != nil || n == current {
		return doc, err
	}
	return readDocument(s.revisionPath(name, n), name)
}

// supersede adds the current file to the history under its revision number.
func (s *Store) supersede(name string, old document) error {
	if !old.stored() {
		return s.forget(name) // left by a delete that crashed
	}
	n, _, err := s.place(name, old.info)
	if err != nil {
		return err
	}
	target := s.revisionPath(name, n)
	if exists(target) {
		return nil // linked by a save that crashed
	}
	if err := durable.MakeDir(s.historyDir(name)); err != nil {
		return err
	}
	if s.link(s.path(name), target) == nil {
		return durable.SyncDir(s.historyDir(name))
	}
	// Not every file system supports links.
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		return err
	}
	return durable.Replace(target, text, durable.Options{Temp: vfs.Temp, Modified: old.info.ModTime()})
}

// prune removes excess revisions. It ignores errors, since the next save tries again.
func (s *Store) prune(name string) {
	numbers, err := s.numbers(name)
	if err != nil || len(numbers) <= keptRevisions {
		return
	}
	for _, n := range numbers[1 : len(numbers)-keptRevisions+1] {
		_ = os.Remove(s.revisionPath(name, n))
	}
}

// forget removes the history of a deleted workflow.
func (s *Store) forget(name string) error {
	if !exists(s.historyDir(name)) {
		return nil
	}
	if err := os.RemoveAll(s.historyDir(name)); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(s.historyDir(name)))
}

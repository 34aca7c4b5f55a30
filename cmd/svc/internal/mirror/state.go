package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store/durable"
)

// syncFile is, in a synced directory, what is remembered from sync to sync.
const syncFile = ".svc-sync.json"

// syncState is the content of syncFile: server → id → digest of what both sides had.
type syncState struct {
	Servers map[string]map[string]string `json:"servers"`
}

// syncing is one sync of a directory with a server.
type syncing struct {
	dir      string
	server   *client.Client
	state    syncState
	versions map[string]*versions // by id
}

// look finds out what both sides have, and had.
func (s *syncing) look(ctx context.Context) error {
	if err := s.recall(); err != nil {
		return err
	}
	s.versions = map[string]*versions{}
	if err := s.scan(); err != nil {
		return err
	}
	for id, base := range s.state.Servers[s.server.URL()] {
		if s.versions[id] == nil {
			s.versions[id] = &versions{}
		}
		s.versions[id].base = base
	}
	metas, err := workflow.All(ctx, s.server.Workflows)
	if err != nil {
		return err
	}
	for i := range metas {
		v, ok := s.versions[metas[i].ID]
		if !ok {
			continue // which never was here
		}
		if v.there, err = s.server.Workflow(ctx, metas[i].ID); err != nil {
			return fmt.Errorf("%s: %w", oneLine(metas[i].ID), err)
		}
		v.name = fmt.Sprintf("revision %d of the server", metas[i].Revision)
	}
	return nil
}

// scan reads the workflow files.
func (s *syncing) scan() error {
	return filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		hidden := path != s.dir && strings.HasPrefix(e.Name(), ".")
		switch {
		case err != nil:
			return err
		case e.IsDir() && hidden:
			return filepath.SkipDir
		case e.IsDir(), hidden, filepath.Ext(path) != ".json", isTest(path):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		def, err := decode(path, text)
		if err != nil {
			return err
		}
		if other, twice := s.versions[def.ID]; twice {
			return usagef("%s and %s have the same id %q; give one of them another", other.file, path, oneLine(def.ID))
		}
		s.versions[def.ID] = &versions{here: def, file: path}
		return nil
	})
}

// recall reads what is remembered.
func (s *syncing) recall() error {
	s.state.Servers = map[string]map[string]string{}
	path := filepath.Join(s.dir, syncFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := json.Unmarshal(text, &s.state); err != nil || s.state.Servers == nil {
		return fmt.Errorf("%s is damaged; delete it, and sync with --prefer to say which side counts", path)
	}
	return nil
}

// remember writes what both sides have in common now.
func (s *syncing) remember() error {
	text, err := json.MarshalIndent(s.state, "", "  ")
	if err != nil {
		return err
	}
	return durable.Replace(filepath.Join(s.dir, syncFile), append(text, '\n'), durable.Options{Perm: 0o644})
}

// agree notes that both sides are the same after a change.
func (s *syncing) agree(c *change, v *versions) {
	known := s.state.Servers[s.server.URL()]
	if known == nil {
		known = map[string]string{}
		s.state.Servers[s.server.URL()] = known
	}
	switch c.Action {
	case actUpload:
		known[c.ID] = digest(v.here)
	case actDownload:
		known[c.ID] = digest(v.there)
	case actDelete:
		delete(known, c.ID)
	case actNote:
		if known[c.ID] = digest(v.here); v.here == nil {
			delete(known, c.ID)
		}
	}
}

// deleteSide deletes a workflow where it still is.
func (s *syncing) deleteSide(ctx context.Context, c *change, v *versions) error {
	if c.here {
		return os.Remove(v.file)
	}
	return s.server.Delete(ctx, c.ID, workflow.Condition{Match: []string{v.there.Digest()}})
}

// testSuffix ends the names of files with tests.
const testSuffix = ".test.json"

func isTest(path string) bool { return strings.HasSuffix(path, testSuffix) }

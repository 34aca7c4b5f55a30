package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/workflow"
)

// stateFile is the file of a synced directory that holds the state of the last sync.
const stateFile = ".svc-sync.json"

// state is the content of stateFile: server → id → digest at the last sync.
type state struct {
	Servers map[string]map[string]string `json:"servers"`
}

// Load reads both sides and the state of the last sync.
func (s *Sync) Load(ctx context.Context) error {
	if err := s.readState(); err != nil {
		return err
	}
	s.versions = map[string]*versions{}
	if err := s.scan(); err != nil {
		return err
	}
	for id, base := range s.state.Servers[s.Server.URL()] {
		if s.versions[id] == nil {
			s.versions[id] = &versions{}
		}
		s.versions[id].base = base
	}
	metas, err := workflow.All(ctx, s.Server.Workflows)
	if err != nil {
		return err
	}
	for i := range metas {
		v, ok := s.versions[metas[i].ID]
		if !ok {
			continue // the directory never had it
		}
		if v.there, err = s.Server.Workflow(ctx, metas[i].ID); err != nil {
			return fmt.Errorf("%s: %w", program.Inert(metas[i].ID), err)
		}
		v.name = fmt.Sprintf("revision %d of the server", metas[i].Revision)
	}
	return nil
}

// scan reads the workflow files.
func (s *Sync) scan() error {
	return filepath.WalkDir(s.Dir, func(path string, e fs.DirEntry, err error) error {
		hidden := path != s.Dir && strings.HasPrefix(e.Name(), ".")
		switch {
		case err != nil:
			return err
		case e.IsDir() && hidden:
			return filepath.SkipDir
		case e.IsDir(), hidden, filepath.Ext(path) != ".json", s.Ignore(path):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		def, err := s.Decode(path, text)
		if err != nil {
			return err
		}
		if other, twice := s.versions[def.ID]; twice {
			return program.Usagef("%s and %s have the same id %q; give one of them another", other.file, path, program.Inert(def.ID))
		}
		s.versions[def.ID] = &versions{here: def, file: path}
		return nil
	})
}

// readState reads stateFile.
func (s *Sync) readState() error {
	s.state.Servers = map[string]map[string]string{}
	path := filepath.Join(s.Dir, stateFile)
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

// Save writes the state. Call it after the last [Sync.Apply], also if that failed.
func (s *Sync) Save() error {
	text, err := json.MarshalIndent(s.state, "", "  ")
	if err != nil {
		return err
	}
	return durable.Replace(filepath.Join(s.Dir, stateFile), append(text, '\n'), durable.Options{Perm: 0o644})
}

// record notes in the state that both sides are equal after a change.
func (s *Sync) record(c *Change, v *versions) {
	known := s.state.Servers[s.Server.URL()]
	if known == nil {
		known = map[string]string{}
		s.state.Servers[s.Server.URL()] = known
	}
	switch c.Action {
	case Upload:
		known[c.ID] = digest(v.here)
	case Download:
		known[c.ID] = digest(v.there)
	case Delete:
		delete(known, c.ID)
	case same:
		if known[c.ID] = digest(v.here); v.here == nil {
			delete(known, c.ID)
		}
	}
}

// deleteSide deletes a workflow on the side that still has it.
func (s *Sync) deleteSide(ctx context.Context, c *Change, v *versions) error {
	if c.here {
		return os.Remove(v.file)
	}
	return s.Server.Delete(ctx, c.ID, workflow.Condition{Match: []string{v.there.Digest()}})
}

package filestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// document is the content of a workflow file. The zero document means that the file does not exist.
type document struct {
	info   fs.FileInfo
	def    *workflow.Definition // nil if damaged
	damage error                // why def is nil; wraps ErrDamaged
	id     string               // of the workflow, or the name of the file if the id cannot be read
}

func (d document) stored() bool { return d.info != nil }

// digest returns "" for a damaged or missing document.
func (d document) digest() string {
	if d.def == nil {
		return ""
	}
	return d.def.Digest()
}

// current returns the document in the file called name, from the cache if the file is unchanged. It
// only returns an error if the file cannot be read at all.
func (s *Store) current(name string) (document, error) {
	info, err := os.Stat(s.path(name))
	if err != nil {
		if err = notFound(err); errors.Is(err, workflow.ErrNotFound) {
			s.defs.drop(name)
		}
		return document{}, err
	}
	if def, ok := s.defs.get(name, info); ok {
		return document{info: info, def: def, id: def.ID}, nil
	}
	doc, err := readDocument(s.path(name), name)
	if err == nil && doc.def != nil {
		s.defs.put(name, doc.info, int64(doc.def.Weight()), doc.def)
	}
	return doc, err
}

// readDocument reads the file at path. A file called name must contain the workflow whose id leads
// to that name.
func readDocument(path, name string) (document, error) {
	f, err := os.Open(path)
	if err != nil {
		return document{}, notFound(err)
	}
	defer func() { _ = f.Close() }() // only read
	// Of the open file, so that time and text match.
	info, err := f.Stat()
	if err != nil {
		return document{}, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return document{}, err
	}
	doc := document{info: info, id: name}
	doc.def, doc.damage = decode(name, text)
	if id, ok := findID(text); ok && fileName(id) == name {
		doc.id = id
	}
	return doc, nil
}

// decode sets no limits, so that everything that was saved can be loaded.
func decode(name string, text []byte) (*workflow.Definition, error) {
	def, err := workflow.Decode(text, workflow.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", store.ErrDamaged, name, err)
	}
	if want := fileName(def.ID); want != name {
		return nil, fmt.Errorf("%w %s: it holds the workflow %q, so rename it to %s", store.ErrDamaged, name, def.ID, want)
	}
	return def, nil
}

// findID finds the id in a document that may be damaged after it. The caller must check it against
// the name of the file.
func findID(text []byte) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", false
		}
		if key == "id" {
			t, _ := d.Token()
			id, ok := t.(string)
			return id, ok
		}
		if err := d.Decode(new(json.RawMessage)); err != nil {
			return "", false
		}
	}
	return "", false
}

// notFound turns a missing file into [workflow.ErrNotFound].
func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return workflow.ErrNotFound
	}
	return err
}

// unreadable returns the reason why a file cannot be read, without its path, since users who list
// workflows need not know the directories of the server.
func unreadable(name string, err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	}
	return fmt.Errorf("%w %s: %w", store.ErrDamaged, name, err)
}

// damagedMeta describes a file that should be a workflow, but is damaged.
func damagedMeta(id string, reason error) workflow.Meta {
	return workflow.Meta{ID: id, Description: value.Shorten(reason.Error(), limit.Message), Damaged: true}
}

// meta describes the document, without what comes from its history.
func (d document) meta() workflow.Meta {
	if d.def == nil {
		return damagedMeta(d.id, d.damage)
	}
	return store.Describe(d.def)
}

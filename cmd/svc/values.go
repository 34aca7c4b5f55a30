package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// assignment is a value on the command line: name=value. Everything after the first "=" is
// the value.
type assignment struct{ name, text string }

func parseAssignment(flag, arg string) (assignment, error) {
	name, text, ok := strings.Cut(arg, "=")
	if !ok || name == "" {
		return assignment{}, usagef("--%s %s: write it as NAME=VALUE", flag, arg)
	}
	return assignment{name, text}, nil
}

// inputs parses --input and --input-file for the given ports. give makes files available to the
// run.
func (c *runCmd) inputs(h *host, ports []node.Port, give stager) (map[string]any, error) {
	given := map[string]any{}
	add := func(flag, name, text string) (err error) {
		if _, twice := given[name]; twice {
			return usagef("the input %q is given twice", name)
		}
		if given[name], err = parseValue(portType(ports, name), text); err != nil {
			return usagef("--%s %s: %w", flag, name, err)
		}
		return nil
	}
	for _, arg := range c.Input {
		a, err := parseAssignment("input", arg)
		file, isFile := strings.CutPrefix(a.text, "@")
		switch t := portType(ports, a.name); {
		case err != nil:
		case isFile && t.Kind() == value.KindMedia:
			err = add("input", a.name, "null") // add reports inputs that are given twice
			if err == nil {
				given[a.name], err = mediaOf(t, file, give)
			}
		case isFile && t.Kind() == value.KindList && t.Elem().Kind() == value.KindMedia:
			err = addMedia(given, a.name, t.Elem(), file, give)
		default:
			err = add("input", a.name, a.text)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, arg := range c.InputFile {
		a, err := parseAssignment("input-file", arg)
		if err != nil {
			return nil, err
		}
		text, err := h.read(a.text)
		if err == nil {
			err = add("input-file", a.name, string(text))
		}
		if err != nil {
			return nil, err
		}
	}
	return given, nil
}

// overrides parses --override.
func (c *runCmd) overrides(a *app.App, def *workflow.Definition) (map[string]map[string]any, error) {
	all := map[string]map[string]any{}
	for _, arg := range c.Override {
		o, err := parseAssignment("override", arg)
		if err != nil {
			return nil, err
		}
		dot := strings.LastIndexByte(o.name, '.') // a node's id may hold dots, a port's name never does
		if dot < 1 {
			return nil, usagef("--override %s: write it as NODE.PORT=VALUE", arg)
		}
		id, port := o.name[:dot], o.name[dot+1:]
		v, err := parseValue(configType(a, def, id, port), o.text)
		if err != nil {
			return nil, usagef("--override %s: %w", o.name, err)
		}
		if all[id] == nil {
			all[id] = map[string]any{}
		}
		all[id][port] = v
	}
	return all, nil
}

// parseValue parses a value for a port of type t: text as it is, every other type as JSON. For
// a port of type any, a text that is not JSON is a string.
func parseValue(t value.Type, text string) (any, error) {
	switch t.Kind() {
	case value.KindString, value.KindEnum, value.KindCredential:
		return text, nil
	}
	v, err := value.Decode([]byte(text))
	switch {
	case err == nil:
		return v, nil
	case t.Kind() == value.KindAny:
		return text, nil
	}
	return nil, fmt.Errorf("%q is not JSON, and the type is %s", oneLine(text), t)
}

// portType returns the type of the named port. It is any for a port that does not exist: the
// engine then reports the error.
func portType(ports []node.Port, name string) value.Type {
	for i := range ports {
		if ports[i].Name == name {
			return ports[i].Type
		}
	}
	return value.Any()
}

// configType returns the declared type of a port of a node.
func configType(a *app.App, def *workflow.Definition, id, port string) value.Type {
	for i := range def.Nodes {
		if def.Nodes[i].ID != id {
			continue
		}
		if spec, ok := a.NodeType(def.Nodes[i].Type); ok {
			return portType(spec.Inputs, port)
		}
	}
	return value.Any()
}

// uploadsDir is the folder for uploads of svc run, in the files folder of a server.
const uploadsDir = "uploads"

// stager makes a file of this machine available to a run, and returns its path there.
type stager func(f *os.File) (path string, err error)

// here is a stager that leaves the file where it is.
func here(f *os.File) (string, error) { return filepath.ToSlash(f.Name()), nil }

// fileSaver saves a file into the files folder of a server or an App.
type fileSaver func(ctx context.Context, path string, r io.Reader, cond workflow.Condition) (run.File, error)

func savedBy(a *app.App) fileSaver {
	return func(ctx context.Context, path string, r io.Reader, cond workflow.Condition) (run.File, error) {
		f, _, err := a.SaveFile(ctx, path, r, cond)
		return f, err
	}
}

// sending returns a stager that uploads files. The name of an upload is a digest of its
// content, so that each file is uploaded once.
func (c *runCmd) sending(ctx context.Context, h *host, save fileSaver) stager {
	return func(f *os.File) (string, error) {
		digest := sha256.New()
		size, err := io.Copy(digest, f)
		if err != nil {
			return "", err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		name := filepath.Base(f.Name())
		at := uploadsDir + "/" + hex.EncodeToString(digest.Sum(nil)[:16]) + "/" + name
		_, err = save(ctx, at, &sized{f, size}, workflow.Condition{Absent: true})
		switch {
		case errors.Is(err, workflow.ErrConflict), errors.Is(err, app.ErrFileConflict):
			return at, nil // uploaded before
		case err != nil:
			return "", err
		}
		if !c.Quiet {
			h.errorf("sent %s (%s)", name, view.Bytes(size))
		}
		return at, nil
	}
}

// sized is a reader with a known size.
type sized struct {
	io.Reader

	size int64
}

// Len returns the size of the whole file.
func (s *sized) Len() int { return int(s.size) }

// mediaOf returns the value for a port of type t from a file.
func mediaOf(t value.Type, name string, give stager) (value.Media, error) {
	f, err := os.Open(name)
	if err != nil {
		return value.Media{}, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	typ, err := typeOf(f)
	if err != nil {
		return value.Media{}, err
	}
	m := value.Media{Kind: app.MediaKind(typ), MIME: typ}
	if kinds := t.Members(); len(kinds) == 1 {
		m.Kind = kinds[0] // the node that reads the file finds the real kind
	}
	m.Path, err = give(f)
	return m, err
}

// addMedia adds a file to a list of media.
func addMedia(given map[string]any, input string, elem value.Type, name string, give stager) error {
	list, ok := given[input].([]any)
	if _, other := given[input]; other && !ok {
		return usagef("the input %q is given twice", input)
	}
	m, err := mediaOf(elem, name, give)
	given[input] = append(list, m)
	return err
}

// typeOf returns the MIME type of a file, by its extension or its first bytes.
func typeOf(f *os.File) (string, error) {
	typ := mime.TypeByExtension(strings.ToLower(filepath.Ext(f.Name())))
	if typ == "" {
		const telling = 512
		head := make([]byte, telling)
		n, err := io.ReadFull(f, head)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			return "", err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		typ = http.DetectContentType(head[:n])
	}
	typ, _, _ = mime.ParseMediaType(typ) // without parameters
	return typ, nil
}

var _ fileSaver = (*client.Client)(nil).Upload

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// The prefixes of arguments that name a template or a stored workflow.
const (
	templatePrefix = "template:"
	idPrefix       = "id:"
)

// sourceHelp explains how commands name a workflow.
const sourceHelp = "A file, - for standard input, the id of a stored workflow, or template:NAME."

// loader finds stored workflows by their ids.
type loader func(ctx context.Context, id string) (*workflow.Definition, error)

// load reads the workflow that arg names.
func (h *host) load(ctx context.Context, stored loader, arg string) (*workflow.Definition, error) {
	if name, ok := strings.CutPrefix(arg, templatePrefix); ok {
		def, err := app.FindTemplate(name)
		if errors.Is(err, app.ErrNoTemplate) {
			return nil, usageError{Err: err}
		}
		return def, err
	}
	if !isWorkflowHere(arg) {
		return loadStored(ctx, stored, storedID(arg))
	}
	text, err := h.read(arg)
	if err != nil {
		return nil, err
	}
	return decode(arg, text)
}

// isWorkflowHere reports whether arg names a file or a template, not a stored workflow.
func isWorkflowHere(arg string) bool {
	return strings.HasPrefix(arg, templatePrefix) || !strings.HasPrefix(arg, idPrefix) && isFile(arg)
}

// storedID returns the id that arg names.
func storedID(arg string) string { return strings.TrimPrefix(arg, idPrefix) }

func loadStored(ctx context.Context, stored loader, id string) (*workflow.Definition, error) {
	def, err := stored(ctx, id)
	if errors.Is(err, workflow.ErrNotFound) {
		return nil, noStored(id)
	}
	return def, err
}

func noStored(id string) error {
	return usagef("there is no file and no stored workflow %q; `svc workflows list` shows what is stored", oneLine(id))
}

// isFile reports whether arg names a file: the file exists, or arg looks like a path.
func isFile(arg string) bool {
	if arg == "-" || strings.ContainsRune(arg, '/') || strings.ContainsRune(arg, filepath.Separator) || filepath.Ext(arg) == ".json" {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

// read returns the content of a file, or of standard input for "-".
func (h *host) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(h.stdin)
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("there is no file %s", name)
	}
	return text, err
}

// formError is an error in the text of a workflow.
type formError struct{ error }

// decode parses the workflow in a file. Its errors name the line.
func decode(name string, text []byte) (*workflow.Definition, error) {
	def, err := workflow.Decode(text, workflow.DefaultLimits())
	var syntax *value.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, formError{misplaced(name, text, syntax)}
	case err != nil:
		return nil, formError{fmt.Errorf("%s: %w", name, err)}
	}
	return def, nil
}

// misplaced returns a syntax error of a JSON file with line, column and path.
func misplaced(name string, text []byte, syntax *value.SyntaxError) error {
	line, column := position(text, int(syntax.Offset))
	place := ""
	if syntax.Pointer != "" {
		place = "at " + syntax.Pointer + ": "
	}
	return fmt.Errorf("%s:%d:%d: %s%s", name, line, column, place, syntax.Reason)
}

// position returns the line and the column, in bytes, of an offset; both count
// from 1.
func position(text []byte, offset int) (line, column int) {
	before := string(text[:min(max(offset, 0), len(text))])
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n')
}

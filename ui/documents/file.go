package documents

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrChanged reports that another program has written the file since it was read.
var ErrChanged = errors.New("another program has changed the file")

// errNotPlain reports that a path is a folder, a device or the like.
var errNotPlain = errors.New("this is not a file that can hold a workflow")

// ReadFile reads the workflow in a file, strictly, and returns its origin. Errors name the
// file and, for syntax errors, line and column.
func ReadFile(path string) (*workflow.Definition, Origin, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, Origin{}, err
	}
	text, err := readText(path)
	if err != nil {
		return nil, Origin{}, err
	}
	def, err := workflow.Decode(text, workflow.DefaultLimits())
	if err != nil {
		return nil, Origin{}, placed(path, text, err)
	}
	return def, Origin{File: path, Digest: digest(text)}, nil
}

// WriteFile writes a workflow to a file, whatever its content, in the format of svc fmt, and
// returns its new origin. The file is complete at any moment. An existing file keeps its
// permissions, and a link stays a link.
func WriteFile(path string, def *workflow.Definition) (Origin, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Origin{}, err
	}
	text := def.Format()
	err = durable.Rewrite(path, text)
	if errors.Is(err, durable.ErrNotPlain) {
		err = errNotPlain
	}
	if err != nil {
		return Origin{}, fmt.Errorf("save %s: %w", path, err)
	}
	return Origin{File: path, Digest: digest(text)}, nil
}

// UpdateFile is WriteFile for the file that a workflow came from. If another program has
// changed the file since, it returns an error that wraps [ErrChanged] and leaves the file
// alone; [WriteFile] would replace it. It creates a file that was deleted. It does not detect
// a write at the very same moment.
func UpdateFile(from Origin, def *workflow.Definition) (Origin, error) {
	text, err := readText(from.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil && !errors.Is(err, workflow.ErrTooLarge):
		return Origin{}, err
	case err != nil || digest(text) != from.Digest:
		return Origin{}, fmt.Errorf("%w: %s", ErrChanged, from.File)
	}
	return WriteFile(from.File, def)
}

// readText reads a file, up to the maximum size of a workflow.
func readText(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // reading a pipe would block for ever
		return nil, fmt.Errorf("%s: %w", path, errNotPlain)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	limit := workflow.DefaultLimits().Bytes
	text, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = fmt.Errorf("%s: %w", path, workflow.ErrTooLarge)
	}
	return text, err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// placed adds the position of an error in a text to it.
func placed(path string, text []byte, err error) error {
	syntax, ok := errors.AsType[*value.SyntaxError](err)
	if !ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	before := text[:min(max(syntax.Offset, 0), int64(len(text)))]
	line, column := bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n')
	if syntax.Pointer == "" {
		return fmt.Errorf("%s, line %d, column %d: %s", path, line, column, syntax.Reason)
	}
	return fmt.Errorf("%s, line %d, column %d, at %s: %s", path, line, column, syntax.Pointer, syntax.Reason)
}

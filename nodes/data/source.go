package data

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// source is the input of a node: a text or a file.
type source struct {
	Text *string `port:"text,optional" widget:"multiline" doc:"What to read; or give path."`
	Path *string `port:"path,optional" widget:"file" doc:"The file to read, below the files folder on a server; or give text."`
}

// fromOne lets n refuse a config with both text and path, or with neither.
func fromOne(n node.Node) node.Node {
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		bound, problems := bind(b)
		return bound, append(problems, checkSource(b)...)
	}
	return n
}

func checkSource(b node.Binding) []node.Problem {
	given := func(port string) bool { return b.Config[port] != nil || b.Wired(port) }
	switch text, path := given("text"), given("path"); {
	case text && path:
		return []node.Problem{node.Invalid("path", "there are two things to read; give text or path")}
	case !text && !path:
		return []node.Problem{node.Invalid("text", "there is nothing to read; give text or path")}
	}
	return nil
}

// open opens the input. Callers convert errors of reading with [readFailure].
func (d disk) open(s source) (io.ReadCloser, int64, error) {
	switch {
	case s.Text != nil && s.Path != nil:
		return nil, 0, wrong("there are two things to read; give text or path")
	case s.Text != nil:
		return io.NopCloser(strings.NewReader(*s.Text)), int64(len(*s.Text)), nil
	case s.Path == nil:
		return nil, 0, wrong("there is nothing to read; give text or path")
	}
	return d.openFile(*s.Path)
}

func (d disk) openFile(path string) (*os.File, int64, error) {
	name, err := d.Clean(path)
	if err != nil {
		return nil, 0, err
	}
	f, info, err := d.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, 0, d.Failed(name, err)
	}
	return f, info.Size(), nil
}

// maxText is the largest input that is read into memory, in bytes.
const maxText = 64 << 20

// whole reads the input into memory. It reserves times as much memory, for parsing.
func (d disk) whole(ctx context.Context, s source, times int) (string, error) {
	r, size, err := d.open(s)
	if err != nil {
		return "", err
	}
	defer r.Close()
	if size > maxText {
		return "", tooMuch("there are %d bytes to read; at most %d can be taken apart in one piece", size, maxText)
	}
	if err := node.Hold(ctx, times*int(size)); err != nil {
		return "", err
	}
	if s.Text != nil {
		return *s.Text, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return "", readFailure(err)
	}
	if len(data) > maxText {
		return "", tooMuch("there are more than %d bytes to read", maxText)
	}
	return string(data), nil
}

// readFailure converts an error of reading a file to a node error, without the file's path
// on the server.
func readFailure(err error) error {
	if at, ok := errors.AsType[*os.PathError](err); ok {
		err = at.Err
	}
	return node.Errorf(node.CodeFailed, "the file cannot be read: %w", err)
}

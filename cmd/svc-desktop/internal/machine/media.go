package machine

import (
	"context"
	"io"
	"os"
	"path"
	"strings"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	remote "github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/ui/poster"
)

var (
	_ poster.Host = media{}
	_ poster.Host = remoteMedia{}
)

// media gives access to the media on this computer.
type media struct {
	app   *app.App
	files folder.Files
}

// Execute implements [poster.Host].
func (m media) Execute(ctx context.Context, def *workflow.Definition) (*engine.Result, error) {
	done, err := m.app.Execute(ctx, def, run.Request{}, nil)
	if err != nil {
		return nil, err
	}
	return done.Result(), nil
}

// Read implements [poster.Host].
func (m media) Read(_ context.Context, name string, w io.Writer) error {
	f, err := m.files.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // is only read
	_, err = io.Copy(w, f)
	return err
}

// Forget implements [poster.Host]. Nothing else removes these files on this computer.
func (m media) Forget(name string) {
	if strings.HasPrefix(path.Clean(name), node.RunsDir+"/") {
		_ = m.files.Remove(name)
		_ = m.files.Remove(path.Dir(name)) // unless the folder has other files
	}
}

// Local implements [poster.Place].
func (m media) Local() poster.Host { return m }

// remoteMedia gives access to the media on a server.
type remoteMedia struct {
	*remote.Client

	local media
}

// Read implements [poster.Host].
func (m remoteMedia) Read(ctx context.Context, name string, w io.Writer) error {
	_, err := m.Download(ctx, name, w)
	return err
}

// Forget implements [poster.Host]: the server deletes such files itself.
func (remoteMedia) Forget(string) {}

// Local implements [poster.Place].
func (m remoteMedia) Local() poster.Host { return m.local }

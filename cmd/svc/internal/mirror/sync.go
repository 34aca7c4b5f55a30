// Package mirror brings the workflow files of a directory and the workflows of a server to
// the same content: [Sync.Load] reads both sides, [Sync.Plan] compares them with the last
// sync, and [Sync.Apply] makes one change.
package mirror

import (
	"context"
	"errors"
	"fmt"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// Sync is one sync of a directory with a server. Set the exported fields before Load.
// It is not safe for concurrent use.
type Sync struct {
	Dir    string
	Server *client.Client
	Ignore func(path string) bool                                       // files that are no workflows
	Decode func(path string, text []byte) (*workflow.Definition, error) // reads a workflow file

	state    state
	versions map[string]*versions // by id
}

// Apply makes one planned change and records it in the state; [Sync.Save] writes that.
func (s *Sync) Apply(ctx context.Context, c *Change) error {
	v := s.versions[c.ID]
	var err error
	switch c.Action {
	case Upload:
		cond := workflow.Condition{Absent: true}
		if v.there != nil {
			cond = workflow.Condition{Match: []string{v.there.Digest()}}
		}
		_, err = s.Server.Save(ctx, v.here, cond)
	case Download:
		err = program.ReplaceFile(c.File, v.there.Format())
	case Delete:
		err = s.deleteSide(ctx, c, v)
	}
	switch {
	case errors.Is(err, workflow.ErrConflict):
		return fmt.Errorf("somebody has changed %q on the server meanwhile; what comes before it was done; sync again", program.Inert(c.ID))
	case err != nil:
		return err
	}
	s.record(c, v)
	return nil
}

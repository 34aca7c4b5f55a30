package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store/filestore"
)

// Workflows are stored as files. Conditional saves prevent that two people overwrite each other's
// changes.
func Example() {
	dir, err := os.MkdirTemp("", "svc")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
	ctx, workflows := context.Background(), filestore.Open(dir)

	mine := &workflow.Definition{ID: "plan", Name: "Mine"}
	meta, err := workflows.Save(ctx, mine)
	fmt.Println(meta.ID, meta.Revision, err)

	_, err = workflows.Save(ctx, &workflow.Definition{ID: "plan", Name: "Theirs"})
	fmt.Println(err)
	unchanged := workflow.Condition{Match: []string{mine.Digest()}}
	_, err = workflows.SaveIf(ctx, &workflow.Definition{ID: "plan", Name: "Mine again"}, unchanged)
	fmt.Println(errors.Is(err, workflow.ErrConflict))

	stored, err := workflows.Load(ctx, "plan")
	fmt.Println(stored.Name, err)
	first, err := workflows.LoadRevision(ctx, "plan", 1)
	fmt.Println(first.Name, err)
	// Output:
	// plan 1 <nil>
	// <nil>
	// true
	// Theirs <nil>
	// Mine <nil>
}

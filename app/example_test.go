package app_test

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// An App with nothing configured keeps everything in memory and lets workflows reach
// nothing outside of it.
func Example() {
	ctx := context.Background()
	a, err := app.New(app.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close(ctx) //nolint:errcheck // nothing runs any more
	greeting, err := app.FindTemplate("greeting")
	if err != nil {
		fmt.Println(err)
		return
	}
	meta, err := a.Save(ctx, greeting, workflow.Condition{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(meta.ID, meta.Revision)
	ended, err := a.ExecuteStored(ctx, meta.ID, run.Request{Inputs: map[string]any{"who": "Ada"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ended.Status(), ended.Outputs()["greeting"])
	// Output:
	// greeting 1
	// completed Hello, Ada!
}

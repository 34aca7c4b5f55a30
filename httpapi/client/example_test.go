package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store/memstore"
)

const hello = `{"id":"hello","nodes":[
	{"id":"who","type":"io.input","config":{"name":"who","default":"World"}},
	{"id":"text","type":"text.format","config":{"template":"Hello, {who}!"}},
	{"id":"out","type":"io.output","config":{"name":"greeting"}}],
	"connections":[
	{"fromNodeId":"who","fromPort":"value","toNodeId":"text","toPort":"who"},
	{"fromNodeId":"text","fromPort":"result","toNodeId":"out","toPort":"value"}]}`

// A program saves a workflow on a server, starts it there, and follows the run.
func Example() {
	const key = "correct-horse-battery-staple"
	ctx := context.Background()
	service, err := httpapi.New(httpapi.Config{APIKey: key, Store: &memstore.Workflows{}, Runs: &memstore.Runs{}, Audit: "none"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close(ctx) //nolint:errcheck // no runs are left
	server := httptest.NewServer(service)
	defer server.Close()

	c, err := client.New(client.Config{URL: server.URL, APIKey: key})
	if err != nil {
		fmt.Println(err)
		return
	}
	def, err := workflow.Decode([]byte(hello), workflow.DefaultLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.Save(ctx, def, workflow.Condition{Absent: true}); err != nil {
		fmt.Println(err)
		return
	}
	runID, err := c.StartStored(ctx, "hello", run.Request{Inputs: map[string]any{"who": "Ada"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range c.Events(ctx, runID, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %q\n", event.Name, event.NodeID)
	}
	record, err := c.Run(ctx, runID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(record.Status, record.Result.Outputs["greeting"])
	// Output:
	// started ""
	// event "who"
	// event "text"
	// event "out"
	// completed ""
	// completed Hello, Ada!
}

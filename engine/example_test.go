package engine_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

type greetIn struct {
	Name string `port:"name" doc:"Whom to greet."`
}

type greetOut struct {
	Text string `port:"text" doc:"The greeting."`
}

func greet(_ context.Context, in greetIn) (greetOut, error) {
	return greetOut{"Hello, " + in.Name + "!"}, nil
}

// A document compiles to a plan, which can be run any number of times, or to a list of all
// problems in it.
func Example() {
	ctx := context.Background()
	registry, err := node.NewRegistry(node.Bundle{Name: "demo", Nodes: []node.Node{node.Func("demo.greet", "Greet", greet).Doc("Greets.")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	env := engine.Env{Registry: registry, Limits: workflow.DefaultLimits()}
	def, err := workflow.Decode([]byte(`{"id":"hello","nodes":[
		{"id":"first","type":"demo.greet","config":{"name":"Ada"}},
		{"id":"second","type":"demo.greet"}],
		"connections":[{"fromNodeId":"first","fromPort":"text","toNodeId":"second","toPort":"name"}]}`), env.Limits)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := engine.Compile(ctx, def, env)
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := new(engine.Local).Run(ctx, plan, engine.Options{RunID: "1", Observe: func(e engine.Event) {
		fmt.Printf("%s %q\n", e.Name, e.NodeID)
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Status(), run.Result().Nodes["second"].Outputs["text"])

	def.Connections[0].ToPort = "nam"
	_, err = engine.Compile(ctx, def, env)
	if problems, ok := errors.AsType[engine.ValidationErrors](err); ok {
		for _, p := range problems {
			fmt.Println(p.Code, p.Message)
		}
	}
	// Output:
	// started ""
	// started "first"
	// event "first"
	// started "second"
	// event "second"
	// completed ""
	// completed Hello, Hello, Ada!!
	// missing_required_input the required input "name" has no value
	// missing_input_port node "second" has no input "nam"
}

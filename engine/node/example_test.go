package node_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type joinIn struct {
	Parts     []string `port:"parts" doc:"The texts to join."`
	Delimiter string   `port:"delimiter" default:"," doc:"What to put between them."`
	Style     string   `port:"style" default:"plain" enum:"plain|loud" doc:"How to say it."`
}

type joinOut struct {
	Text string `port:"text" doc:"The texts, joined."`
}

func join(_ context.Context, in joinIn) (joinOut, error) {
	if len(in.Parts) == 0 {
		return joinOut{}, node.Permanent(node.Errorf(node.CodeInvalidInput, "there is nothing to join; give at least one part"))
	}
	text := strings.Join(in.Parts, in.Delimiter)
	if in.Style == "loud" {
		text = strings.ToUpper(text)
	}
	return joinOut{text}, nil
}

// The fields of a function's parameter and result are the ports of its node type.
func ExampleFunc() {
	registry, err := node.NewRegistry(node.Bundle{
		Name:  "demo",
		Nodes: []node.Node{node.Func("demo.join", "Join", join).Pure().Inline().Doc("Joins texts.")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := registry.Lookup("demo.join")
	for _, p := range n.Spec.Inputs {
		fmt.Println(p.Name, p.Type, p.Required())
	}
	// Output:
	// parts list<string> true
	// delimiter string false
	// style enum(plain|loud) false
}

type shout struct{}

// Install declares the node type and how it is done.
func (shout) Install(r *node.Registrar) {
	r.RegisterSpec(node.Spec{
		Type: "demo.shout", Label: "Shout",
		Inputs:  []node.Port{{Name: "text", Type: value.String()}},
		Outputs: []node.Port{{Name: "loud", Type: value.String()}},
	})
	r.RegisterExecutor("demo.shout", func(_ context.Context, inputs map[string]any) (map[string]any, error) {
		return map[string]any{"loud": strings.ToUpper(inputs["text"].(string))}, nil
	})
}

// A plugin may also register specs and executors one by one.
func ExamplePlugin() {
	registry, err := node.NewRegistry(shout{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range registry.Specs() {
		fmt.Println(s.Type, s.Label, s.Timeout)
	}
	// Output:
	// demo.shout Shout 30s
}

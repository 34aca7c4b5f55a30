package wording

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
)

// ofNodes are the forms of errors of built-in nodes, one per line; openOfNodes are those that
// begin with a name, which could match many other texts. If several match, the one with more
// literal words wins; forms with a nested message (Why) come first.
var (
	//go:embed nodes.txt
	ofNodes string
	//go:embed nodes-open.txt
	openOfNodes string
)

// Forms returns the forms of messages of the engine and its nodes about workflows and runs,
// more specific ones first.
func Forms() []string { return slices.Collect(all()) }

func all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, some := range []iter.Seq[string]{
			strings.Lines(ofNodes), slices.Values(engine()), slices.Values(hints()), slices.Values(values()), slices.Values(open()), strings.Lines(openOfNodes),
		} {
			for form := range some {
				if !yield(strings.TrimSuffix(form, "\n")) {
					return
				}
			}
		}
	}
}

// engine are the forms of the engine's own messages.
func engine() []string {
	return []string{
		"there is no node type {{.Name}}",
		"config {{.Name}}: {{.Why}}",
		"the required input {{.Name}} has no value",
		"the required input {{.Name}} is not given",
		"it is required and has no value",
		"nodes of type {{.Name}} have no body",
		"the workflow has no input {{.Name}}",
		"the workflow has no trigger {{.Name}}",
		"node {{.Node}} has no input {{.Name}}",
		"node {{.Node}} has no output {{.Name}}",
		"the pinned node has no output {{.Name}}",
		"the pinned {{.Why}}",
		"a pin has outputs or an error, not both",
		"the error of a pin has no code",
		"the node {{.Name}} stands for what the workflow is given or gives, which cannot be pinned",
		"the workflow's id: {{.Why}}",
		"the node's id: {{.Why}}",
		"two nodes have the id {{.Name}}",
		"two nodes stand for the workflow's input {{.Name}}",
		"two nodes stand for the workflow's output {{.Name}}",
		"there is no node {{.Name}} to come from",
		"there is no node {{.Name}} to lead to",
		"input {{.Name}} takes its value from config only",
		"input {{.Name}} has a connection already",
		"the connections form a cycle: {{.Way}}",
		"{{.Count}} more problems are not listed",
		"the workflow calls itself: {{.Way}}",
		"there is no stored workflow {{.Name}}",
		"the stored workflow {{.Name}} could not be loaded",
		"one of {{.Count}} problems in the stored workflow {{.Name}}: {{.Why}}",
		"in the stored workflow {{.Name}}: {{.Why}}",
		"the input {{.Name}} is optional, but wired: where {{.Other}} does not come, the whole node is skipped; if it is to run all the same, merge both sides before it",
		"the run was cancelled",
		"the node panicked: {{.Reason}}",
		"the node type panicked: {{.Reason}}",
		"the node ignores the end of its context and was abandoned",
		"node {{.Name}}: {{.Why}}",
		"input {{.Name}}: {{.Why}}",
		"output {{.Name}}: {{.Why}}",
	}
}

// hints are the forms of hints.
func hints() []string {
	return []string{
		"give a value of type {{.Type}}",
		"connect it or set it in config",
		"give one of them another id",
		"remove the connection",
		"it has: {{.Names}}",
		"it has none",
		"give one, such as \"failed\"",
		"set it in config and remove the connection",
		"split the workflow and call the parts as sub-workflows",
		"rename one of them",
		"give the inputs of the run, or pin what leads to it",
		"correct these first",
		"save it first, or name another",
		"remove one of them",
		"to repeat nodes, put them into {{.Any}}",
		"remove one",
		"move the body into {{.Any}}",
		"remove the body",
		"a credential is a reference such as \"pronet:main\"; set it in config or wire a string",
		"put {{.Node}} around the node, or {{.Other}} between them",
		"put {{.Node}} around the node",
		"put {{.Node}} between them, or {{.Other}} for a list",
		"put {{.Node}} between them",
		"did you mean {{.Any}}? `svc nodes` lists them all",
		"`svc nodes` lists them all",
	}
}

// values are the forms of errors of values and ids.
func values() []string {
	return []string{
		"expected one of {{.Type}}",
		"expected {{.Type}}, got {{.Got}}",
		"field {{.Name}} is missing",
		"field {{.Name}}: {{.Why}}",
		"an id must not be empty",
		"an id has to be valid UTF-8",
		"an id has at most 200 characters",
		"an id must not contain control characters",
	}
}

// open are the forms that begin with a name, which could match many other texts.
func open() []string {
	return []string{
		"{{.Kind}} has no input {{.Name}}",
		"{{.Source}} does not fit into {{.Target}}",
		"{{.Kind}} takes the first of several that comes",
	}
}

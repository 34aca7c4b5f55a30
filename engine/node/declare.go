package node

import (
	"time"

	"github.com/svcflow/svc/engine/value"
)

// The methods below set all parts of a spec but its ports.

// Doc sets the description: what the node does, in Markdown, with an example.
func (n Node) Doc(text string) Node { n.Spec.Description = text; return n }

// Script sets the language of an input's text.
func (n Node) Script(input string, s *Script) Node {
	for i := range n.Spec.Inputs {
		if n.Spec.Inputs[i].Name == input {
			n.Spec.Inputs[i].Script = s
		}
	}
	return n
}

// Pure marks a node whose outputs depend only on its inputs.
func (n Node) Pure() Node { n.Spec.Pure = true; return n }

// Inline marks a short, bounded node that the engine may call on its own goroutine.
func (n Node) Inline() Node { n.Spec.Inline = true; return n }

// Timeout sets how long one attempt may take.
func (n Node) Timeout(d time.Duration) Node { n.Spec.Timeout = d; return n }

// Once marks a node whose side effect would be repeated by a second call.
func (n Node) Once() Node { n.Spec.Once = true; return n }

// OnceIf marks those nodes of the type whose side effect would be repeated by a second
// call. which describes them in words: "`append` is true".
func (n Node) OnceIf(which string, twice func(Binding) bool) Node {
	n.Spec.OnceIf = which
	bind := n.Bind
	n.Bind = func(b Binding) (Bound, []Problem) {
		bound, problems := bind(b)
		bound.Once = twice(b)
		return bound, problems
	}
	return n
}

// Converts declares that the node converts values of type from into values of type to.
func (n Node) Converts(from, to value.Type) Node {
	n.Spec.Converts = append(n.Spec.Converts, Conversion{from, to})
	return n
}

// Aliases sets the common words that users search for, separated by commas.
func (n Node) Aliases(en, de string) Node { n.Spec.Aliases = Words(en, de); return n }

// Example sets example values of inputs. Required inputs without one get a value of their
// type.
func (n Node) Example(config map[string]any) Node {
	n.Spec.Example = &Example{Config: config}
	return n
}

// Choices sets the function that returns choices for the inputs marked so.
func (n Node) Choices(c Chooser) Node { n.Choose = c; return n }

// Card sets how the node is drawn, if it differs from the plugin's other nodes.
func (n Node) Card(c Card) Node { n.Spec.Card = c; return n }

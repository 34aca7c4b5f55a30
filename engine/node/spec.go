package node

import (
	"slices"
	"strings"
	"time"
)

// Spec declares a node type: what it is called, its ports, and how it may be run.
type Spec struct {
	// Type names the node type in workflows, e.g. "text.format": the plugin's
	// word, a dot, and a snake_case name.
	Type        string
	Label       string // on the card, e.g. "Format text"
	Category    string // where the palette lists it; the plugin's by default
	Description string // what it does, in Markdown, with an example
	Inputs      []Port
	Outputs     []Port
	// Timeout bounds one attempt; 0 means [DefaultTimeout]. The wire form is
	// timeoutMs.
	Timeout time.Duration
	// Pure nodes give the same outputs for the same inputs and touch nothing
	// else, so their results may be reused.
	Pure bool
	// Inline nodes are short and bounded and run no code of users: the engine
	// calls them on its own goroutine, without timeout and "started" event.
	Inline bool
	// Role marks the nodes through which a workflow meets its caller.
	Role Role
	// Container nodes run a body. They do not count against the number of
	// nodes that run at once.
	Container bool
	// Loop says how a container runs its body again and again; nil means once.
	Loop *Loop
	// Once nodes may do something twice when they are called twice: they post, send
	// or like. An attempt of which nobody knows how it ended is not repeated; see
	// [Bound] for nodes where that depends on the config.
	Once bool
	// OnceIf says in words which nodes of the type are like that, where it depends on the
	// config. It is not part of the wire form.
	OnceIf string
	// Converts are the kinds of values that the node type turns into others. The
	// hints of problems with types name it for them.
	Converts []Conversion
	// Derives says that the node makes values of others by a text; nil means that it does
	// not.
	Derives *Derives
	// Aliases are the everyday words that people search by.
	Aliases Aliases
	// Example is a node of this type that shows what it does. [NewRegistry]
	// completes it, so that every registered spec has one.
	Example *Example
	// Unavailable says what this machine lacks, so that nodes of the type cannot do
	// their work here; "" means nothing.
	Unavailable string
	// Shows says what the node is there to have looked at.
	Shows Shows
	Card  Card

	plugin string
}

// DefaultTimeout bounds one attempt of a node whose spec says nothing else.
const DefaultTimeout = 30 * time.Second

// BodyTimeout bounds a node whose own work is to run others or to wait.
const BodyTimeout = 24 * time.Hour

// Plugin returns the name of the plugin that registered the spec.
func (s *Spec) Plugin() string { return s.plugin }

// Loop says how a container repeats its body.
type Loop struct {
	// Over is the list input whose items the body takes one by one.
	Over string `json:"over,omitempty"`
	// Item and Index are the inputs of the body that get an item of Over, and its
	// position.
	Item  string `json:"item,omitempty"`
	Index string `json:"index,omitempty"`
	// While is the output of the body that says whether it runs again.
	While string `json:"while,omitempty"`
}

// Aliases are words for a node type besides its label, by language.
type Aliases struct {
	En []string `json:"en,omitempty"`
	De []string `json:"de,omitempty"`
}

// Words makes aliases of lists whose words are separated by commas.
func Words(en, de string) Aliases { return Aliases{En: words(en), De: words(de)} }

func words(list string) (all []string) {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}

// All returns the words of all languages.
func (a Aliases) All() []string { return slices.Concat(a.En, a.De) }

package node

import (
	"slices"
	"strings"
	"time"
)

// Spec declares a node type: its name, its ports, and how it may be run.
type Spec struct {
	// Type is the name of the node type in workflows, such as "text.format": the plugin's
	// word, a dot, and a snake_case name.
	Type        string
	Label       string // on the card, e.g. "Format text"
	Category    string // section of the palette; by default that of the plugin
	Description string // what it does, in Markdown, with an example
	Inputs      []Port
	Outputs     []Port
	// Timeout limits one attempt; 0 means [DefaultTimeout]. The wire form is timeoutMs.
	Timeout time.Duration
	// Pure nodes return the same outputs for the same inputs and have no side effects, so
	// their results may be reused.
	Pure bool
	// Inline nodes are short and bounded and run no user code: the engine calls them on its
	// own goroutine, without a timeout and a "started" event.
	Inline bool
	// Role marks the nodes that form the workflow's interface.
	Role Role
	// Container nodes run a body. They do not count against the limit of concurrent calls.
	Container bool
	// Loop describes how a container repeats its body; nil means that it runs once.
	Loop *Loop
	// Once nodes have a side effect that a second call would repeat: they post, send or
	// like. An attempt with an unknown outcome is not repeated. See [Bound] for nodes where
	// that depends on the config.
	Once bool
	// OnceIf describes in words which nodes of the type are like that, if it depends on the
	// config. It is not part of the wire form.
	OnceIf string
	// Converts are the conversions that the node type offers. Hints about type mismatches
	// name it.
	Converts []Conversion
	// Derives means that the node computes values from others with a script; nil means that
	// it does not.
	Derives *Derives
	// Aliases are the common words that users search for.
	Aliases Aliases
	// Example is an example node of this type. [NewRegistry] completes it, so that every
	// registered spec has one.
	Example *Example
	// Unavailable says what this machine lacks to run nodes of the type; "" means nothing.
	Unavailable string
	// Shows describes the value that the node exists to display.
	Shows Shows
	Card  Card

	plugin string
}

// DefaultTimeout limits one attempt of a node whose spec has no timeout.
const DefaultTimeout = 30 * time.Second

// BodyTimeout limits one attempt of a node that mostly runs others or waits.
const BodyTimeout = 24 * time.Hour

// Plugin returns the name of the plugin that registered the spec.
func (s *Spec) Plugin() string { return s.plugin }

// Loop says how a container repeats its body.
type Loop struct {
	// Over is the list input whose items the body takes one by one.
	Over string `json:"over,omitempty"`
	// Item and Index are the inputs of the body that receive an item of Over and its index.
	Item  string `json:"item,omitempty"`
	Index string `json:"index,omitempty"`
	// While is the output of the body that decides whether it runs again.
	While string `json:"while,omitempty"`
}

// Aliases are additional search words for a node type, by language.
type Aliases struct {
	En []string `json:"en,omitempty"`
	De []string `json:"de,omitempty"`
}

// Words makes aliases from comma-separated lists.
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

package node

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/value"
)

// Example is an example node that shows what its type does.
type Example struct {
	// Config holds values of inputs.
	Config map[string]any
	// Body is the workflow inside a container, as a JSON value; nil means none.
	Body any
}

// completed returns s's example with a value for each required input.
func (s *Spec) completed() *Example {
	e := &Example{Config: map[string]any{}}
	if s.Example != nil {
		e.Body = s.Example.Body
	}
	for i := range s.Inputs {
		p := &s.Inputs[i]
		if p.Required() {
			e.Config[p.Name] = p.sample()
		}
	}
	if s.Example != nil {
		maps.Copy(e.Config, s.Example.Config)
	}
	return e
}

// sample returns an example value for the port.
func (p *Port) sample() any {
	if len(p.Networks) > 0 {
		return p.Networks[0] + ":main"
	}
	return sample(p.Type)
}

// sample returns a value of type t.
func sample(t value.Type) any {
	switch t.Kind() {
	case value.KindInt:
		return 3
	case value.KindFloat:
		return 1.5
	case value.KindBool:
		return true
	case value.KindCredential:
		return "example:main"
	case value.KindMedia:
		return sampleMedia(t.Members())
	case value.KindEnum:
		return t.Members()[0]
	case value.KindList:
		return sampleList(t.Elem())
	case value.KindRecord:
		return sampleRecord(t)
	default:
		return "Hello, Ada!"
	}
}

func sampleMedia(kinds []string) any {
	switch {
	case slices.Contains(kinds, "video"):
		return map[string]any{"kind": "video", "mime": "video/mp4", "path": "clip.mp4"}
	case slices.Contains(kinds, "audio"):
		return map[string]any{"kind": "audio", "mime": "audio/mpeg", "path": "sound.mp3"}
	default:
		return map[string]any{"kind": "image", "mime": "image/png", "path": "picture.png"}
	}
}

func sampleList(elem value.Type) any {
	switch elem.Kind() {
	case value.KindAny:
		return []any{3, 1, 2}
	case value.KindString:
		return []any{"one", "two"}
	default:
		return []any{sample(elem)}
	}
}

func sampleRecord(t value.Type) any {
	record := map[string]any{}
	for _, f := range t.Fields() {
		record[f.Name] = sample(f.Type)
	}
	if len(record) == 0 {
		record["name"] = "Ada"
	}
	return record
}

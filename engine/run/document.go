package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Document is a workflow with the stored workflows that it calls, as journals store it:
// once for all runs of them.
type Document struct {
	Digest Digest
	Text   []byte // JSON on one line
}

// NewDocument returns the document of a workflow.
func NewDocument(def *workflow.Definition, workflows map[string]*workflow.Definition) *Document {
	text := def.AppendJSON([]byte(`{"definition":`))
	text = append(text, `,"workflows":{`...)
	for i, id := range slices.Sorted(maps.Keys(workflows)) {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(value.AppendText(text, id), ':')
		text = workflows[id].AppendJSON(text)
	}
	text = append(text, "}}"...)
	return &Document{Digest: sha256.Sum256(text), Text: text}
}

// Decode returns the workflow in the text of a document. It applies no limits, so that a
// run that was started once can be started again.
func (d *Document) Decode() (def *workflow.Definition, workflows map[string]*workflow.Definition, err error) {
	var texts struct {
		Definition json.RawMessage            `json:"definition"`
		Workflows  map[string]json.RawMessage `json:"workflows"`
	}
	decoder := json.NewDecoder(bytes.NewReader(d.Text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&texts); err != nil {
		return nil, nil, err
	}
	if def, err = workflow.Decode(texts.Definition, workflow.Limits{}); err != nil {
		return nil, nil, err
	}
	workflows = make(map[string]*workflow.Definition, len(texts.Workflows))
	for id, text := range texts.Workflows {
		if workflows[id], err = workflow.Decode(text, workflow.Limits{}); err != nil {
			return nil, nil, err
		}
	}
	return def, workflows, nil
}

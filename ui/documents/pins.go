package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/value"
)

// pinsFolder is the folder of pins, in that of drafts.
const pinsFolder = "pins"

// Pins returns the pins of a workflow, by the path of the node. They are stored with the
// drafts, and stay when the workflow is saved. New workflows have none.
func (d *Drafts) Pins(of Origin) (map[string]engine.Pin, error) {
	pins := map[string]engine.Pin{}
	if of.IsNew() {
		return pins, nil
	}
	text, err := os.ReadFile(d.pinsOf(of))
	if errors.Is(err, fs.ErrNotExist) {
		return pins, nil
	}
	if err != nil {
		return pins, err
	}
	v, err := value.Decode(text)
	all, _ := v.(map[string]any)
	if err != nil {
		return pins, fmt.Errorf("the pins in %s cannot be read: %w", d.pinsOf(of), err)
	}
	for path, pin := range all {
		pins[path] = pinOf(pin)
	}
	return pins, nil
}

// SetPins stores the pins of a workflow, and returns once they are on the disk.
func (d *Drafts) SetPins(of Origin, pins map[string]engine.Pin) error {
	file := d.pinsOf(of)
	switch {
	case of.IsNew():
		return nil
	case len(pins) == 0:
		return remove(file)
	}
	all := make(map[string]any, len(pins))
	for path, pin := range pins {
		all[path] = recordOf(pin)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return durable.Replace(file, value.Append(nil, all), durable.Options{})
}

// pinsOf returns the name of the file with a workflow's pins.
func (d *Drafts) pinsOf(of Origin) string {
	sum := sha256.Sum256(value.Append(nil, []any{of.File, of.Server, of.ID}))
	return filepath.Join(d.dir, pinsFolder, hex.EncodeToString(sum[:])+textEnd)
}

func recordOf(p engine.Pin) map[string]any {
	if p.Error != nil {
		return map[string]any{"error": map[string]any{"code": p.Error.Code, "message": p.Error.Message}}
	}
	outputs := p.Outputs
	if outputs == nil {
		outputs = map[string]any{}
	}
	return map[string]any{"outputs": outputs}
}

func pinOf(v any) (p engine.Pin) {
	record, _ := v.(map[string]any)
	p.Outputs, _ = record["outputs"].(map[string]any)
	if failed, ok := record["error"].(map[string]any); ok {
		p.Error = &engine.Failure{}
		p.Error.Code, _ = failed["code"].(string)
		p.Error.Message, _ = failed["message"].(string)
	}
	return p
}

package app

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/workflow"
)

//go:embed templates/*.json
var templateFiles embed.FS

// ErrNoTemplate says that there is no template of that name.
var ErrNoTemplate = errors.New("no such template")

// Template is a workflow to start from.
type Template struct {
	Name       string // as in "template:greeting"
	Definition *workflow.Definition
}

// Templates returns all templates, sorted by name.
func Templates() ([]Template, error) {
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	var all []Template
	for _, e := range entries {
		text, err := templateFiles.ReadFile(path.Join("templates", e.Name()))
		if err != nil {
			return nil, err
		}
		def, err := workflow.Decode(text, workflow.DefaultLimits())
		if err != nil {
			return nil, fmt.Errorf("template %s: %w", e.Name(), err)
		}
		all = append(all, Template{strings.TrimSuffix(e.Name(), ".json"), def})
	}
	return all, nil
}

// FindTemplate returns the template of that name, or [ErrNoTemplate].
func FindTemplate(name string) (*workflow.Definition, error) {
	all, err := Templates()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(t Template) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: %q; `svc templates` lists them", ErrNoTemplate, name)
	}
	return all[i].Definition, nil
}

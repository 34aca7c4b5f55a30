package node

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// Accept checks v, which may be of any Go type, and converts it to the port's type.
func (p *Port) Accept(v any) (any, error) {
	if err := value.Check(v); err != nil {
		return nil, err
	}
	return p.Conform(p.Type, v)
}

// Conform converts the value v to type t, which is the port's type or that of its elements.
// A credential must belong to one of the port's networks.
func (p *Port) Conform(t value.Type, v any) (any, error) {
	v, err := value.Conform(v, t)
	if err == nil && len(p.Networks) > 0 {
		err = checkNetworks(p.Networks, v)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// checkNetworks never repeats a refused reference: it may be a secret in the wrong place.
func checkNetworks(networks []string, v any) error {
	switch v := v.(type) {
	case value.Credential:
		if !slices.Contains(networks, v.Network()) {
			return errors.New("the credential has to be of " + strings.Join(networks, " or "))
		}
	case []any:
		for _, e := range v {
			if err := checkNetworks(networks, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// ErrNotGiven means that a required literal input has no value.
var ErrNotGiven = errors.New("it is required and has no value")

// Literals returns the config of a node as [Bind] receives it: values of literal inputs are
// converted to their types, and missing ones get their default. It calls wrong for each
// value that cannot be converted, and with [ErrNotGiven] for each that is missing. It does
// not change config.
func (s *Spec) Literals(config map[string]any, wrong func(*Port, error)) map[string]any {
	out, cloned := config, false
	set := func(name string, v any) {
		if !cloned {
			out, cloned = make(map[string]any, len(config)+1), true
			maps.Copy(out, config)
		}
		out[name] = v
	}
	for i := range s.Inputs {
		port := &s.Inputs[i]
		if !port.Literal {
			continue
		}
		given, ok := config[port.Name]
		switch {
		case ok:
			v, err := port.Accept(given)
			if err != nil {
				wrong(port, err)
			}
			set(port.Name, v)
		case port.Default != nil:
			set(port.Name, port.Default)
		case port.Required():
			wrong(port, ErrNotGiven)
		}
	}
	return out
}

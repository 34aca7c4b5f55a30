package node

import (
	"errors"
	"slices"
)

// checkTrigger proves that a trigger is where a run begins: nothing runs before it, so
// no wire can lead to it, and all that it is told stands in its config.
func (s *Spec) checkTrigger() error {
	if s.Role != RoleTrigger {
		return nil
	}
	if slices.ContainsFunc(s.Inputs, func(p Port) bool { return !p.Literal }) {
		return errors.New("all inputs of a trigger are literal")
	}
	if len(s.Outputs) == 0 {
		return errors.New("a trigger has an output")
	}
	return nil
}

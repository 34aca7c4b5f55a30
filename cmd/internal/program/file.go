package program

import (
	"fmt"

	"github.com/svcflow/svc/engine/durable"
)

// ReplaceFile replaces the content of a user's file atomically. A link stays a link, and the
// permissions stay as they are.
func ReplaceFile(name string, text []byte) error {
	if err := durable.Rewrite(name, text); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

package credentialstest

import (
	"context"

	"github.com/svcflow/svc/credentials"
)

// NewMemory returns a source that holds these credentials.
func NewMemory(held Holding) *credentials.Memory {
	m := &credentials.Memory{}
	for ref, c := range held {
		// Nothing is held yet that a revision could conflict with.
		c.Revision = 0
		_ = m.SetCredential(context.Background(), ref, c)
	}
	return m
}

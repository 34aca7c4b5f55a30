package app

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/value"
)

// secretsWithin bounds finding all the secrets that a document names.
const secretsWithin = 10 * time.Second

// secrets returns the secrets behind references. It skips those that are missing or cannot be
// read now: no node gets them either.
func (c *Config) secrets(ctx context.Context, refs []value.Credential) (all []string) {
	if c.Env.Credentials == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, secretsWithin)
	defer cancel()
	for _, ref := range refs {
		found, err := c.Env.Credentials.Credential(ctx, ref)
		if err != nil {
			continue
		}
		for _, secret := range found.Secrets() {
			all = append(all, secret.Reveal())
		}
	}
	return all
}

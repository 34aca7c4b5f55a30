package app

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/value"
)

// secretsWithin bounds finding all the secrets that a document names.
const secretsWithin = 10 * time.Second

// secrets returns the secrets behind references. Where there is none, or nobody can be asked
// now, there is nothing to hide either: the node that wants it says so.
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

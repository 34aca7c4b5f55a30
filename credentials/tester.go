package credentials

import "context"

// Tester is an optional interface of plugins that can open what a credential is for, such as a
// database.
type Tester interface {
	// TestCredential opens what the credential is for, as a node would, and closes it. It returns
	// nil for the networks of other plugins. Its errors contain no secret.
	TestCredential(ctx context.Context, ref Ref) error
}

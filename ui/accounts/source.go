// Package accounts lists the accounts of networks, and connects, tests and disconnects them.
// It stores no secret and knows no keyring, browser or server: a [Source] does the work.
package accounts

import (
	"context"

	"github.com/svcflow/svc/credentials"
)

// Source stores accounts: on this computer, or on a server. It is safe for concurrent use.
// The texts of its errors are safe to show and say what to do.
type Source interface {
	// Accounts lists the connected accounts, sorted by reference.
	Accounts(ctx context.Context) ([]credentials.Status, error)
	// Networks returns the networks that accounts can belong to, sorted.
	Networks() []string
	// Logins reports whether accounts of a network are connected by a login; otherwise by
	// Set.
	Logins(network string) bool
	// Set stores a credential that the user has entered.
	Set(ctx context.Context, ref credentials.Ref, c credentials.Credential) error
	// Connect logs the account of ref in, or in again, in the user's browser. It calls show,
	// from another goroutine, with the address that the browser opens, for the user to copy.
	// It returns when the login has ended or ctx is done.
	Connect(ctx context.Context, ref credentials.Ref, show func(address string)) error
	// Test checks that the account can be used, and renews it if necessary.
	Test(ctx context.Context, ref credentials.Ref) error
	// Disconnect deletes the account and notifies its network.
	Disconnect(ctx context.Context, ref credentials.Ref) error
	// Storage describes in a sentence or two where accounts are stored; fine is false if the
	// keyring cannot be used.
	Storage() (text string, fine bool)
	// Retry tries again to open the keyring. It may take as long as the user needs to unlock
	// it.
	Retry(ctx context.Context)
}

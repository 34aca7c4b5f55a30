// Package accounts shows which accounts of networks are connected, and connects,
// tests and disconnects them. It holds no secret and knows no keyring, browser or
// server: a [Source] does what has to be done.
package accounts

import (
	"context"

	"github.com/svcflow/svc/credentials"
)

// Source stores accounts: on this computer, or on a server. It is safe for concurrent use.
// The texts of its errors are safe to show and say what to do.
type Source interface {
	// Accounts describes what is connected, sorted by reference.
	Accounts(ctx context.Context) ([]credentials.Status, error)
	// Networks returns the networks that accounts can be of, sorted.
	Networks() []string
	// Logins reports whether accounts of a network are connected by a login. If not, they
	// are set.
	Logins(network string) bool
	// Set keeps a credential that the user has entered.
	Set(ctx context.Context, ref credentials.Ref, c credentials.Credential) error
	// Connect logs the account of ref in, or in again, in the user's browser. It calls show,
	// from another goroutine, with the address that the browser opens, for the user to copy.
	// It returns when the login has ended or ctx is done.
	Connect(ctx context.Context, ref credentials.Ref, show func(address string)) error
	// Test reports whether the account can be used now, renewing it if need be.
	Test(ctx context.Context, ref credentials.Ref) error
	// Disconnect deletes the account and notifies its network.
	Disconnect(ctx context.Context, ref credentials.Ref) error
	// Storage says in a sentence or two where accounts are kept, and whether that is
	// where they should be: false if the keyring cannot be used.
	Storage() (text string, fine bool)
	// Retry looks again whether the keyring can be used. It may take as long as a user
	// needs to unlock it.
	Retry(ctx context.Context)
}

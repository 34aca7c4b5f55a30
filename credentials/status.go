package credentials

import "time"

// State says whether a credential works, as far as its source can tell. The
// network may know more: it can end a login at any time.
type State string

// The states of a credential.
const (
	StateValid       State = "valid"       // it works, and is renewed in time if it has to be
	StateExpiring    State = "expiring"    // it works, but ends within a week and cannot be renewed
	StateExpired     State = "expired"     // it has ended; its next use renews it
	StateReauthorize State = "reauthorize" // it has ended and cannot be renewed: connect the account again
	StateMalformed   State = "malformed"   // what is stored is not a credential
	StateUnavailable State = "unavailable" // its source names it and cannot give it
)

// Status describes a credential to people, as the API, the command line and windows
// show it. It holds no secret.
type Status struct {
	Ref       Ref       `json:"ref"`
	Network   string    `json:"network"`
	Account   string    `json:"account"`
	Source    string    `json:"source"`          // where it is kept: "environment", "file", "vault", "keyring", "memory" or "server"
	Kind      Kind      `json:"kind,omitempty"`  // what it is; empty for a token, or whatever its network takes
	Hosts     []string  `json:"hosts,omitempty"` // the only ones that it may be sent to; none: those of its network
	Scopes    []string  `json:"scopes,omitempty"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"` // zero if unknown or never
	State     State     `json:"state"`
	// Note is a hint for the operator, in a sentence; may be empty.
	Note string `json:"note,omitempty"`
}

// Network describes a network for users, before it has an account.
type Network struct {
	Name   string   `json:"name"`
	Label  string   `json:"label"`
	Hosts  []string `json:"hosts,omitempty"` // that its tokens may go to
	Logins bool     `json:"logins"`          // its accounts are connected by a login
	Ready  bool     `json:"ready"`           // logins are set up
	Note   string   `json:"note,omitempty"`  // what is to be set before they are
}

// Status returns the status of the credential, which is in this state.
func (i Info) Status(s State) Status {
	return Status{
		Ref: i.Ref, Network: i.Ref.Network(), Account: i.Ref.Account(), Source: i.Source,
		Scopes: i.Scopes, ExpiresAt: i.ExpiresAt, State: s,
	}
}

// Unusable returns why no node can use a credential in this state, or nil.
func (s State) Unusable() error {
	switch s {
	case StateReauthorize:
		return ErrReauthorize
	case StateMalformed:
		return ErrMalformed
	case StateUnavailable:
		return ErrUnavailable
	default:
		return nil
	}
}

// Login is a login that a server has begun and that waits for its user.
type Login struct {
	AuthorizeURL string    `json:"authorizeUrl"` // to open in a browser, by this user only; it comes back to the server
	LoginID      string    `json:"loginId"`
	ExpiresAt    time.Time `json:"expiresAt"`
}

// LoginState says how far a login has come.
type LoginState string

// The states of a login.
const (
	LoginPending  LoginState = "pending"
	LoginComplete LoginState = "complete" // the account is connected
	LoginFailed   LoginState = "failed"
)

// LoginOutcome is the result of a login.
type LoginOutcome struct {
	State LoginState `json:"state"`
	Ref   Ref        `json:"ref"`
	// Code and Detail say why it failed; see oauth.Code.
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`
}

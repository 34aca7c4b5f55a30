// Package oauth logs accounts in at networks that speak OAuth 2.0 and keeps their
// credentials valid: the authorization code flow with PKCE (RFC 6749, 7636, 9207,
// 9700), a login with the browser of this computer (RFC 8252), refresh, and
// revocation (RFC 7009).
//
// Which networks there are is the table of package network; how each is set up comes
// from the environment, through [NewClients]. A server and a desktop both log in with
// [Client.Begin] and [Login.Finish]; [Loopback] puts these together for a program
// that runs where its user sits. Nodes get their credentials from a [Refresher].
//
// The package stores nothing: that is the matter of a credentials.Provider.
package oauth

// Package oauth logs accounts in at networks that speak OAuth 2.0 and keeps their
// credentials valid: the authorization code flow with PKCE (RFC 6749, 7636, 9207,
// 9700), a login with the browser of this computer (RFC 8252), refresh, and
// revocation (RFC 7009).
//
// The networks are those of the table in package network; [NewClients] reads the settings
// of each from the environment. A server and a desktop both log in with [Client.Begin] and
// [Login.Finish]; [Loopback] combines these for a program on the user's computer. Nodes
// get their credentials from a [Refresher].
//
// The package stores nothing: that is the job of a credentials.Provider.
package oauth

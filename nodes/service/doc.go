// Package service has the code that the plugins of networks share: [Resolver] turns the
// reference of a credential into a secret, and [API] turns a node's call into a request.
// API enforces the rules that all networks have: tokens go to the network's own hosts
// only, the size of answers is bounded, rate limits are kept, a request that must not
// happen twice is not repeated, and failures have the same words everywhere.
//
// The plugins define the calls of a network and the shape of its answers.
package service

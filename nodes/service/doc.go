// Package service is what the plugins of networks share: how the reference of a
// credential becomes a secret ([Resolver]), and how a node's call becomes a request
// to the network's API ([API]). The second holds what is easy to get wrong and the
// same everywhere: tokens go to the network's own hosts only, answers are bounded,
// limits are kept, nothing is sent twice that must not be, and failures are worded
// alike.
//
// What a network is, its calls and the shape of its answers, is the matter of the
// plugins.
package service

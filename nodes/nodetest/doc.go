// Package nodetest helps authors of plugins to test their nodes without an
// engine:
//
//   - [Check] holds a plugin's specs against the rules for node types: names,
//     types, documentation.
//   - [New] makes a [Host], which binds and calls one node the way an engine
//     does, and sees to it that the node keeps its promises.
//   - [Quick] calls every node of a plugin with random values.
//
// It is for tests only and runs no workflows; package engine does.
package nodetest

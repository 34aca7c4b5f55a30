// Package enginetest supports tests of the engine and of everything that runs plans: node
// types that behave and misbehave on demand ([Kit]), a short way to write workflows
// ([Flow]), and [Runner], the conformance suite of engine.Runner.
//
// It is not for use in programs, and its node types are not examples of good nodes.
package enginetest

// Package enginetest is for tests of the engine and of whatever runs plans: node
// types that behave and misbehave on demand ([Kit]), a short way to write
// workflows ([Flow]), and [Runner], the conformance suite of engine.Runner.
//
// It is not for programs, and its node types are no examples of good nodes.
package enginetest

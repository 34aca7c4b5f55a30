// It is not for use in programs, and its node types are not examples of good nodes.
package enginetest

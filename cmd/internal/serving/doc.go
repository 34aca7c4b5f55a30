// Package serving is what the servers of Svc share: their flags, how they listen, find their
// key, drain and stop. What a server keeps its workflows and runs in, its program says.
package serving

package main

import (
	"fmt"
	"strings"
)

// unstated is printed in place of the licence of a module that names none.
const unstated = "none stated"

// exception is a module version without a licence that we link even so, and the reason. A new
// version needs a new exception.
type exception struct{ module, version, why string }

func exceptions() []exception {
	return []exception{
		{"github.com/nexus-rpc/nexus-proto-annotations", "v0.1.0", "Neither the module nor its repository, as of its commit e558d6e of March 2026, has a licence. " +
			"It is one generated file, which describes two options of protobuf. `go.temporal.io/api` (MIT) links it, and so does `svc-cluster` through Temporal's SDK; " +
			"`svc` and `svc-desktop` do not. Of the same makers, `github.com/nexus-rpc/sdk-go` is under MIT. " +
			"If you distribute `svc-cluster` and need a licence for every part, ask them."},
	}
}

// exceptionFor returns why a module without a licence may be linked.
func exceptionFor(module, version string) (why string, ok bool) {
	for _, e := range exceptions() {
		if e.module == module && e.version == version {
			return e.why, true
		}
	}
	return "", false
}

// exceptionsPage is the part of the page about modules that name no licence.
func exceptionsPage(versions map[string]string) string {
	var b strings.Builder
	for _, e := range exceptions() {
		if versions[e.module] == e.version {
			fmt.Fprintf(&b, "- `%s` %s: %s\n", e.module, e.version, e.why)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n## Modules that name no licence\n\n" + b.String()
}

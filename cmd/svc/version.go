package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by releases, with -ldflags "-X main.version=v1.2.3".
var version string

type versionCmd struct{}

// Help implements kong.HelpProvider.
func (c *versionCmd) Help() string {
	return `Prints the version of svc, the commit it was built from, and the Go version and platform it was built for.

Examples:

    svc version
    svc version | cut -d' ' -f2`
}

// Run prints the version.
func (c *versionCmd) Run(h *host) error {
	return h.print(fmt.Sprintf("svc %s %s %s/%s\n", currentVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
}

// currentVersion returns what the linker was told, else the module's version,
// else the commit.
func currentVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(version, "devel")
	}
	module, commit, changed := info.Main.Version, "", ""
	if module == "(devel)" {
		module = ""
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changed"
		}
	}
	if commit != "" {
		commit = "devel-" + commit + changed
	}
	return cmp.Or(version, module, commit, "devel")
}

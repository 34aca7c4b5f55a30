package main

import (
	"fmt"
	"runtime"

	"github.com/svcflow/svc/cmd/internal/program"
)

// version is set by releases, with -ldflags "-X main.version=v1.2.3".
var version string

type versionCmd struct {
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *versionCmd) Help() string {
	return `Prints the version of svc, the commit it was built from, and the Go version and platform it was built for.

Examples:

    svc version
    svc version --output json`
}

// Run prints the version.
func (c *versionCmd) Run(h *host) error {
	return c.answer(h, shownVersion{program.Version(version), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}, versionText()+"\n")
}

// shownVersion is what svc version answers.
type shownVersion struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionText() string {
	return fmt.Sprintf("svc %s %s %s/%s", program.Version(version), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

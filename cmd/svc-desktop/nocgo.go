//go:build !cgo && !ci

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, `svc-desktop: this one was built without cgo and can open no window.
Build it with a C compiler, and on Linux with the headers of X and OpenGL (on Debian:
gcc libgl1-mesa-dev xorg-dev):

    CGO_ENABLED=1 go build -tags migrated_fynedo ./cmd/svc-desktop`)
	os.Exit(2)
}

// Command typecheck type-checks packages and their tests together with everything that they import,
// all from source. It finds what does not compile on another system or with another version of Go
// in a tenth of the time of `go vet`, which compiles the imports first:
//
//	go run ./cmd/internal/typecheck -os windows ./cmd/svc
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	tags := flag.String("tags", "", "build tags, with commas between them")
	goos := flag.String("os", "", "the operating system to check for; this one if empty")
	flag.Parse()
	if err := run(*goos, *tags, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
}

func run(goos, tags string, patterns []string) error {
	env := append(os.Environ(), "CGO_ENABLED=0")
	if goos != "" {
		env = append(env, "GOOS="+goos)
	}
	found, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedModule,
		Env: env, BuildFlags: []string{"-tags", tags}, Tests: true,
	}, patterns...)
	if err != nil {
		return err
	}
	if packages.PrintErrors(found) > 0 {
		return errors.New("does not compile")
	}
	fmt.Println(len(found), "packages compile")
	return nil
}

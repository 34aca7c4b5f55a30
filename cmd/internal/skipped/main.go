// Command skipped reads the output of go test -json and prints what go test itself
// would: a line for each package, and whatever tests that failed have said. At the end it
// lists the tests that were skipped, by their reasons, which name the verb of make that
// runs them. `make test` uses it; the exit status stays that of go test.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := report(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output string
}

// test names a test; a package has the empty Test.
type test struct{ pkg, name string }

// report copies what people want to see from in to out.
func report(in io.Reader, out io.Writer) error {
	said := map[test]string{}
	skipped := map[string][]string{}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				_, _ = out.Write(line) // what the go command says itself
			} else {
				e.tell(out, said, skipped)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	list(out, skipped)
	return nil
}

// tell keeps what a test says until it is known how it ended.
func (e *event) tell(out io.Writer, said map[test]string, skipped map[string][]string) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		_, _ = fmt.Fprint(out, e.Output)
	case "output":
		said[t] += e.Output
	case "fail":
		if e.Test == "" { // and with it what tests have said that never ended
			for _, other := range slices.SortedFunc(maps.Keys(said), func(a, b test) int { return strings.Compare(a.name, b.name) }) {
				if other.pkg == e.Package && other.name != "" {
					_, _ = fmt.Fprint(out, said[other])
					delete(said, other)
				}
			}
		}
		_, _ = fmt.Fprint(out, said[t])
		delete(said, t)
	case "pass", "skip":
		if e.Test == "" {
			_, _ = fmt.Fprint(out, lastLine(said[t]))
		} else if e.Action == "skip" {
			why := reason(said[t])
			skipped[why] = append(skipped[why], strings.TrimPrefix(e.Package, "github.com/svcflow/svc/")+" "+e.Test)
		}
		delete(said, t)
	}
}

// lastLine returns the line that go test prints of a package that is well.
func lastLine(text string) string {
	all := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	return strings.TrimSuffix(all[len(all)-1], "\n") + "\n"
}

// reason returns why a test was skipped, from what it has said.
func reason(text string) string {
	for line := range strings.Lines(text) {
		if _, why, found := strings.Cut(line, ".go:"); found {
			_, why, _ = strings.Cut(why, ": ")
			return strings.TrimSpace(why)
		}
	}
	return "no reason given"
}

func list(out io.Writer, skipped map[string][]string) {
	if len(skipped) == 0 {
		return
	}
	_, _ = fmt.Fprintln(out, "\nSkipped:")
	for _, why := range slices.Sorted(maps.Keys(skipped)) {
		_, _ = fmt.Fprintf(out, "  %s\n", why)
		for _, name := range slices.Sorted(slices.Values(skipped[why])) {
			_, _ = fmt.Fprintf(out, "      %s\n", name)
		}
	}
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// page is the list of licences that people read.
const page = "docs/licences.md"

const preface = `# Licences

What the programs are made of besides Svc itself, which is under the licence in [LICENSE](../LICENSE), and the standard library of Go (BSD-3-Clause).
Made by ` + "`make audit UPDATE=-update`" + `; do not edit. ` + "`make audit`" + ` fails if the list is no longer true, and for a module whose licence is none of these,
unless that was looked into: what was found out stands at the end.

All of them that name a licence permit use in any program, open or closed, as long as their notices go along. MPL-2.0 asks for one thing more: whoever changes files that
are under it and passes the program on publishes these files. Svc changes none; the source of each version is at the address that the module names.
It says nothing about the rest of the program.

Parts of other languages are embedded: luxon (MIT) for dates in scripts, and marked (MIT) for Markdown on the page.

`

// licencePage returns the page: how many modules have a licence, and each module.
func licencePage(packages []pkg) (string, error) {
	versions, dirs := map[string]string{}, map[string]string{}
	for _, p := range packages {
		if !p.Module.Main {
			versions[p.Module.Path], dirs[p.Module.Path] = p.Module.Version, p.Module.Dir
		}
	}
	count := map[string]int{}
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		licence, err := licenceOf(name, versions[name], dirs[name])
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		count[licence]++
		fmt.Fprintf(&list, "| `%s` | %s | %s |\n", name, versions[name], licence)
	}
	var b strings.Builder
	b.WriteString(preface + "| licence | modules |\n|---|---:|\n")
	for _, licence := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&b, "| %s | %d |\n", licence, count[licence])
	}
	b.WriteString("\n| module | version | licence |\n|---|---|---|\n" + list.String())
	b.WriteString(exceptionsPage(versions))
	return b.String(), nil
}

// Command audit lists the modules that programs link, each with its licence and its dangerous
// imports. It compares the list with modules.txt beside it, so that the diff shows what a new
// version of a module adds. With -update it writes modules.txt and docs/licences.md.
//
// It fails if a licence is not permitted.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listing is the file with the reviewed modules.
const listing = "cmd/internal/audit/modules.txt"

func main() {
	update := flag.Bool("update", false, "write "+listing+" anew")
	flag.Parse()
	if err := run(*update, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

func run(update bool, programs []string) error {
	packages, err := list(programs)
	if err != nil {
		return err
	}
	now, err := table(packages)
	if err != nil {
		return err
	}
	licences, err := licencePage(packages)
	if err != nil {
		return err
	}
	if update {
		return errors.Join(os.WriteFile(listing, []byte(now), 0o644), os.WriteFile(page, []byte(licences), 0o644))
	}
	return errors.Join(compare(listing, now), compare(page, licences))
}

// pkg is a package as `go list` describes it.
type pkg struct {
	ImportPath string
	Imports    []string
	CgoFiles   []string
	SFiles     []string
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// list returns the packages that the programs link, without the standard library.
func list(programs []string) ([]pkg, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Imports,CgoFiles,SFiles,Module", "-tags", "migrated_fynedo"}, programs...)...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []pkg
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pkg
		err := d.Decode(&p)
		switch {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, err
		case p.Module != nil:
			packages = append(packages, p)
		}
	}
}

// powers are imports with which a package can do more than compute.
func powers() map[string]string {
	return map[string]string{
		"unsafe": "unsafe", "os/exec": "programs", "plugin": "plugins", "net": "network", "net/http": "network",
		"syscall": "system calls", "golang.org/x/sys/unix": "system calls", "golang.org/x/sys/windows": "system calls",
		"os": "files", "C": "C",
	}
}

// table returns a line for each module.
func table(packages []pkg) (string, error) {
	uses, dirs, versions := map[string]map[string]bool{}, map[string]string{}, map[string]string{}
	for _, p := range packages {
		name := p.Module.Path
		if uses[name] == nil {
			uses[name] = map[string]bool{}
		}
		if dirs[name] = p.Module.Dir; p.Module.Main {
			dirs[name] = "."
		}
		versions[name] = p.Module.Version
		for _, path := range p.Imports {
			if power, ok := powers()[path]; ok {
				uses[name][power] = true
			}
		}
		if len(p.CgoFiles) > 0 {
			uses[name]["C"] = true
		}
		if len(p.SFiles) > 0 {
			uses[name]["assembly"] = true
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		licence, err := licenceOf(name, versions[name], dirs[name])
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", name, licence, strings.Join(slices.Sorted(maps.Keys(uses[name])), ", "))
	}
	return b.String(), nil
}

// licenceOf returns the licence of a module. It recognises permitted licences by a sentence
// that no other licence has. A module without a licence needs an exception.
func licenceOf(module, version, dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		name := strings.ToUpper(filepath.Base(file))
		if !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "UNLICENSE") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		words := strings.Join(strings.Fields(string(text)), " ")
		for _, l := range licences() {
			if strings.Contains(words, l.words) {
				return l.name, nil
			}
		}
	}
	if _, excepted := exceptionFor(module, version); excepted {
		return unstated, nil
	}
	return "", errors.New("its licence is not a permitted one; read it")
}

type licence struct{ name, words string }

func licences() []licence {
	return []licence{
		{"Apache-2.0", "Apache License Version 2.0"},
		{"MPL-2.0", "Mozilla Public License"},
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
		{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
		{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
		{"BSD-3-Clause", "may be used to endorse or promote products derived from this software"},
		{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
		{"Unlicense", "This is free and unencumbered software released into the public domain"},
		{"CC0-1.0", "CC0 1.0 Universal"},
	}
}

// compare returns an error with the differences if the file does not have these lines.
func compare(file, now string) error {
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	was, is := strings.Split(string(before), "\n"), strings.Split(now, "\n")
	changed := false
	for _, line := range was {
		if !slices.Contains(is, line) {
			changed = true
			fmt.Println("-", line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			changed = true
			fmt.Println("+", line)
		}
	}
	if changed {
		return errors.New("the linked modules have changed; review the differences, then run: make audit UPDATE=-update")
	}
	return nil
}

package code_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"modernc.org/quickjs"

	"github.com/svcflow/svc/nodes/code"
	"github.com/svcflow/svc/nodes/nodetest/suites"
)

// claimed are the directories of test262 that scripts may rely on.
func claimed() []string {
	return strings.Fields(`language/expressions language/statements built-ins/Array built-ins/String built-ins/Number built-ins/Math
		built-ins/JSON built-ins/Object built-ins/Map built-ins/Set built-ins/RegExp built-ins/Promise`)
}

// unclaimed are features that the engine's authors list as missing.
func unclaimed() []string {
	return strings.Fields(`Temporal ShadowRealm decorators import-defer source-phase-imports explicit-resource-management Atomics.pause tail-call-optimization
		cross-realm caller IsHTMLDDA import-bytes import-text immutable-arraybuffer await-dictionary nonextensible-applies-to-private joint-iteration`)
}

// about is the metadata of a test.
type about struct {
	Flags, Includes, Features []string
	Negative                  *struct{ Phase, Type string }
}

// conformance is a copy of test262.
type conformance struct {
	folder  string
	harness map[string]string
}

// TestConformance runs the core of test262 against the engine: a tenth of it, or all of it
// with SVC_TEST262=all. Only the known failures may fail.
func TestConformance(t *testing.T) {
	if os.Getenv(suites.Variable) == "" {
		t.Skip("make test262")
	}
	c := conformance{filepath.Join(os.Getenv(suites.Variable), "test262"), map[string]string{}}
	if _, err := os.Stat(c.folder); errors.Is(err, fs.ErrNotExist) {
		t.Skip("make test262")
	}
	c.readHarness(t)
	whole := os.Getenv("SVC_TEST262") == "all"
	const list = "testdata/test262.txt"
	text, err := os.ReadFile(list)
	require.NoError(t, err)
	known := strings.Fields(string(text))
	var failed []string
	for _, dir := range claimed() {
		names := c.names(t, dir, whole)
		results := c.runAll(names)
		count := map[string]int{}
		for name, result := range results {
			count[cmp.Or(result, "passed")]++
			if result == "failed" {
				failed = append(failed, name)
			}
		}
		t.Logf("%-22s %5d passed %4d failed %4d skipped", dir, count["passed"], count["failed"], count["skipped"])
		if !whole {
			known = slices.DeleteFunc(known, func(name string) bool { return strings.HasPrefix(name, dir+"/") && !slices.Contains(names, name) })
		}
	}
	slices.Sort(failed)
	if flag.Lookup("update").Value.String() == "true" {
		require.True(t, whole, "with SVC_TEST262=all only")
		require.NoError(t, os.WriteFile(list, []byte(strings.Join(failed, "\n")+"\n"), 0o644)) //nolint:gosec // not secret
		return
	}
	require.Equal(t, known, failed, "the list is %s; make test262 UPDATE=-update writes it anew", list)
}

func (c conformance) readHarness(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(c.folder, "harness"))
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			text, err := os.ReadFile(filepath.Join(c.folder, "harness", e.Name()))
			require.NoError(t, err)
			c.harness[e.Name()] = string(text)
		}
	}
}

// names returns the tests of a directory, or a tenth of them.
func (c conformance) names(t *testing.T, dir string, whole bool) (names []string) {
	t.Helper()
	root := filepath.Join(c.folder, "test")
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".js") || strings.HasSuffix(path, "_FIXTURE.js") {
			return err
		}
		name, err := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(name)) // cannot fail
		if whole || hash.Sum32()%10 == 0 {
			names = append(names, name)
		}
		return err
	})
	require.NoError(t, err)
	return names
}

// runAll returns the results of tests by name: "", failed or skipped.
func (c conformance) runAll(names []string) map[string]string {
	results := map[string]string{}
	var mu sync.Mutex
	var all sync.WaitGroup
	next := make(chan string)
	for range runtime.NumCPU() {
		all.Go(func() {
			for name := range next {
				result := c.run(name)
				mu.Lock()
				results[name] = result
				mu.Unlock()
			}
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	all.Wait()
	return maps.Clone(results)
}

// run runs a test in a new engine.
func (c conformance) run(name string) string {
	text, err := os.ReadFile(filepath.Join(c.folder, "test", filepath.FromSlash(name)))
	if err != nil {
		return "failed"
	}
	code := string(text)
	_, head, _ := strings.Cut(code, "/*---")
	head, _, _ = strings.Cut(head, "---*/")
	var a about
	if yaml.Unmarshal([]byte(strings.ReplaceAll(head, "\r", "\n")), &a) != nil {
		return "failed"
	}
	if a.beyond(code) {
		return "skipped"
	}
	if err := c.obey(a, code); err != nil {
		return "failed"
	}
	return ""
}

// beyond reports whether a test needs a feature that scripts do not have: modules, realms
// or agents.
func (a about) beyond(code string) bool {
	for _, flag := range []string{"module", "CanBlockIsFalse", "CanBlockIsTrue"} {
		if slices.Contains(a.Flags, flag) {
			return true
		}
	}
	for _, word := range []string{"$262.createRealm", "$262.detachArrayBuffer", "$262.agent", "$262.IsHTMLDDA", "$262.AbstractModuleSource", "$DETACHBUFFER", "import("} {
		if strings.Contains(code, word) {
			return true
		}
	}
	return slices.ContainsFunc(a.Features, func(f string) bool { return slices.Contains(unclaimed(), f) })
}

func (c conformance) obey(a about, text string) error {
	vm, err := quickjs.NewVM()
	if err != nil {
		return err
	}
	defer vm.Close() //nolint:errcheck // only releases memory
	if err := vm.SetEvalTimeout(20 * time.Second); err != nil {
		return err
	}
	before := code.FromAsync() + "globalThis.printed = []; globalThis.print = s => { printed.push(String(s)) }; globalThis.$262 = {global: globalThis, gc() {}, evalScript: s => (0, eval)(s)};\n"
	if !slices.Contains(a.Flags, "raw") {
		for _, name := range append([]string{"assert.js", "sta.js", "doneprintHandle.js"}, a.Includes...) {
			before += c.harness[name] + "\n"
		}
	}
	if _, err := vm.Eval(before, quickjs.EvalGlobal); err != nil {
		return err
	}
	if slices.Contains(a.Flags, "onlyStrict") {
		text = "\"use strict\";\n" + text
	}
	_, err = vm.Eval(text, quickjs.EvalGlobal)
	if a.Negative != nil {
		thrown, ok := errors.AsType[*quickjs.Error](err)
		if !ok || thrown.Name != a.Negative.Type {
			return fmt.Errorf("%w instead of %s", err, a.Negative.Type)
		}
		return nil
	}
	for n := 1; err == nil && n > 0; {
		n, err = vm.ExecutePendingJobs()
	}
	if err != nil || !slices.Contains(a.Flags, "async") {
		return err
	}
	printed, err := vm.Eval("printed.join()", quickjs.EvalGlobal)
	if err == nil && printed != "Test262:AsyncTestComplete" {
		err = fmt.Errorf("%v", printed)
	}
	return err
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/flowtest"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store/memstore"
)

type testCmd struct {
	Paths []string `arg:"" optional:"" name:"path" complete:"file" help:"Files of tests, or directories with *.test.json at any depth. By default the working directory."`
	JUnit string   `name:"junit" placeholder:"FILE" help:"Write what came of it to this file, too, as JUnit has it."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *testCmd) Help() string {
	return `Runs each case of each file once, on this machine, and compares status and outputs with what is expected. Nothing real is reached: requests are answered from the recordings of the case, files are those of an empty directory, there are no variables, and credentials are stand-ins. A node that needs more is pinned.

The exit status is 0 if all cases passed, 1 if some failed, and 2 if a file or a workflow is invalid. ` + "`svc run FILE --record flow.test.json`" + ` writes a case.

Examples:

    svc test
    svc test flows --junit report.xml
    svc test flows/greeting.test.json --output json`
}

// tested is what svc test answers.
type tested struct {
	Passed int          `json:"passed"`
	Failed int          `json:"failed"`
	Cases  []testedCase `json:"cases"`
}

// testedCase is what came of a case.
type testedCase struct {
	File       string   `json:"file"`
	Case       string   `json:"case"`
	Passed     bool     `json:"passed"`
	DurationMs float64  `json:"durationMs"`
	Problems   []string `json:"problems,omitempty"` // what was not as expected

	invalid bool // the workflow, its inputs or its pins are
}

// Run runs the tests.
func (c *testCmd) Run(ctx context.Context, h *host) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	report, invalid := tested{Cases: []testedCase{}}, false
	for _, path := range files {
		cases, err := h.testFile(ctx, path)
		if err != nil {
			return err
		}
		for i := range cases {
			report.add(&cases[i])
			invalid = invalid || cases[i].invalid
			if c.asJSON() {
				continue
			}
			if err := h.print(caseText(&cases[i])); err != nil {
				return err
			}
		}
	}
	if c.JUnit != "" {
		if err := writeJUnit(c.JUnit, report.Cases); err != nil {
			return err
		}
	}
	if err := c.answer(h, report, fmt.Sprintf("%d passed, %d failed\n", report.Passed, report.Failed)); err != nil {
		return err
	}
	switch {
	case invalid:
		return status(exitInvalid)
	case report.Failed > 0:
		return status(exitFailed)
	}
	return nil
}

func (t *tested) add(c *testedCase) {
	t.Cases = append(t.Cases, *c)
	if c.Passed {
		t.Passed++
		return
	}
	t.Failed++
}

// caseText tells what came of a case: a line, and below it what was not as expected.
func caseText(c *testedCase) string {
	word := "ok  "
	if !c.Passed {
		word = "FAIL"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s: %s  %s\n", word, c.File, oneLine(c.Case), duration(time.Duration(c.DurationMs*float64(time.Millisecond))))
	for _, problem := range c.Problems {
		for line := range strings.Lines(problem) {
			b.WriteString("      " + program.Inert(strings.TrimRight(line, "\n")) + "\n")
		}
	}
	return b.String()
}

// files returns the files of tests that are meant.
func (c *testCmd) files() (files []string, err error) {
	paths := c.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, usagef("there is no file %s", path)
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && isTest(path) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, usagef("there is no file *%s in %s; `svc run FILE --record FILE%s` writes one", testSuffix, strings.Join(paths, ", "), testSuffix)
	}
	return files, nil
}

// testFile runs the cases of a file.
func (h *host) testFile(ctx context.Context, path string) ([]testedCase, error) {
	file, err := h.readTests(path)
	if err != nil {
		return nil, err
	}
	source := filepath.Join(filepath.Dir(path), filepath.FromSlash(file.Workflow))
	text, err := h.read(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	def, err := decode(source, text)
	if err != nil {
		return nil, err
	}
	cases := make([]testedCase, 0, len(file.Cases))
	for i := range file.Cases {
		done, err := testOne(ctx, filepath.Dir(source), def, &file.Cases[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, oneLine(file.Cases[i].Name), err)
		}
		done.File = path
		cases = append(cases, done)
	}
	return cases, nil
}

// readTests reads a file of tests. Its errors tell the line.
func (h *host) readTests(path string) (*flowtest.File, error) {
	text, err := h.read(path)
	if err != nil {
		return nil, err
	}
	file, err := flowtest.Decode(text)
	if syntax, ok := errors.AsType[*value.SyntaxError](err); ok {
		return nil, formError{misplaced(path, text, syntax)}
	}
	return file, err
}

// testOne runs one case.
func testOne(ctx context.Context, dir string, def *workflow.Definition, c *flowtest.Case) (testedCase, error) {
	done := testedCase{Case: c.Name}
	scratch, err := os.MkdirTemp("", "svc-test-")
	if err != nil {
		return done, err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // it is the system's to clean up
	replay := flowtest.NewReplay(c.HTTP)
	stage, err := openStage(ctx, dir, scratch, replay, hostsOf(c.HTTP))
	if err != nil {
		return done, err
	}
	begun := time.Now()
	ended, err := stage.Execute(ctx, def, run.Request{Inputs: c.Inputs, Pins: c.Pins, Trigger: c.Trigger, Payload: c.Payload}, nil)
	done.DurationMs = float64(time.Since(begun).Microseconds()) / 1000
	if problems, ok := errors.AsType[engine.ValidationErrors](err); ok {
		done.invalid = true
		for _, p := range problems {
			done.Problems = append(done.Problems, problemText(p))
		}
		return done, nil
	}
	if err == nil {
		err = ctx.Err() // an interrupted test says nothing
	}
	if err != nil {
		return done, err
	}
	done.Problems = c.Judge(ended.Result(), replay.Unused())
	done.Passed = len(done.Problems) == 0
	return done, nil
}

// writeJUnit writes what came of tests to a file, for those who collect such: a suite for
// each file of tests.
func writeJUnit(path string, cases []testedCase) error {
	var all junit.Testsuites
	var suite *junit.Testsuite
	for i := range cases {
		c := &cases[i]
		if suite == nil || suite.Name != c.File {
			if suite != nil {
				all.AddSuite(*suite)
			}
			suite = &junit.Testsuite{Name: c.File, ID: len(all.Suites)}
		}
		made := junit.Testcase{Name: c.Case, Classname: c.File, Time: fmt.Sprintf("%.3f", c.DurationMs/1000)}
		switch text := strings.Join(c.Problems, "\n"); {
		case c.invalid:
			made.Error = &junit.Result{Message: "the workflow, its inputs or its pins are invalid", Data: text}
		case !c.Passed:
			made.Failure = &junit.Result{Message: "not as expected", Data: text}
		}
		suite.AddTestcase(made)
	}
	if suite != nil {
		all.AddSuite(*suite)
	}
	var b bytes.Buffer
	if err := all.WriteXML(&b); err != nil {
		return err
	}
	return newFile(path, b.Bytes())
}

// standIn is a source of credentials in which every account has one, none of them real. A
// test makes no requests, and recordings hold no secrets.
type standIn struct {
	credentials.Memory

	networks network.Table
	hosts    []string
}

// Credential implements [credentials.Provider].
func (s *standIn) Credential(_ context.Context, ref credentials.Ref) (credentials.Credential, error) {
	c := credentials.Credential{Kind: credentials.KindBearer, Access: credentials.NewSecret("stand-in-for-a-secret"), Hosts: s.hosts}
	if n, _ := s.networks.Lookup(ref.Network()); n.Kind == network.KindSecret {
		c.Kind, c.Hosts = "", nil
	}
	return c, nil
}

// hostsOf returns the hosts of recorded requests, as credentials have them, and one that is
// nowhere: a credential names at least one.
func hostsOf(exchanges []flowtest.Exchange) []string {
	hosts := []string{"stand-in.invalid"}
	for i := range exchanges {
		u, err := url.Parse(exchanges[i].Request.URL)
		switch {
		case err != nil || u.Host == "":
		case u.Scheme == "http":
			hosts = append(hosts, "http://"+u.Host)
		default:
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// openStage returns an App whose workflows reach nothing real: requests go to web, files are
// those of scratch, and there are neither variables nor secrets. Sub-workflows are those
// whose files lie in dir.
func openStage(ctx context.Context, dir, scratch string, web http.RoundTripper, hosts []string) (*app.App, error) {
	networks := network.Shipped()
	nothing := func(string) (string, bool) { return "", false }
	env, err := nodes.Sandbox(nodes.Policy{
		FilesDir: scratch, Getenv: nothing, Networks: networks, Credentials: &standIn{networks: networks, hosts: hosts},
		Code: program.Child, // it reaches nothing either
	})
	if err != nil {
		return nil, err
	}
	env.HTTP = &http.Client{Transport: web}
	beside, err := filesBeside(ctx, dir)
	if err != nil {
		return nil, err
	}
	return app.New(app.Config{
		Env: env, ExtraPlugins: program.Plugins(env, func(string) string { return "" }, web), Store: beside,
	})
}

// filesBeside returns the workflows whose files lie in dir. What is none is passed over.
func filesBeside(ctx context.Context, dir string) (*memstore.Workflows, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	found := &memstore.Workflows{}
	for _, path := range paths {
		if isTest(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		def, err := decode(path, text)
		if err != nil {
			continue // whoever calls it hears that it is not there
		}
		if _, err := found.Save(ctx, def); err != nil {
			return nil, err
		}
	}
	return found, nil
}

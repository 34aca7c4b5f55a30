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
	JUnit string   `name:"junit" placeholder:"FILE" help:"Also write the results to this file, in JUnit format."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *testCmd) Help() string {
	return `Runs each case of each file once, on this machine, and compares status and outputs with what is expected. Nothing outside is called: the case has recorded answers for HTTP requests, the files folder is an empty directory, there are no variables, and credentials are placeholders. Pin nodes that need more.

The exit status is 0 if all cases passed, 1 if some failed, and 2 if a file or a workflow is invalid. ` + "`svc run FILE --record flow.test.json`" + ` writes a case.

Examples:

    svc test
    svc test flows --junit report.xml
    svc test flows/greeting.test.json --output json`
}

// tested is the answer of svc test.
type tested struct {
	Passed int          `json:"passed"`
	Failed int          `json:"failed"`
	Cases  []testedCase `json:"cases"`
}

// testedCase is the result of a case.
type testedCase struct {
	File       string   `json:"file"`
	Case       string   `json:"case"`
	Passed     bool     `json:"passed"`
	DurationMs float64  `json:"durationMs"`
	Problems   []string `json:"problems,omitempty"` // differences from the expected result

	invalid bool // whether the workflow, its inputs or its pins are invalid
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

// caseText formats the result of a case: a line, and below it the differences from the
// expected result.
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

// files returns the test files that the arguments name.
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

// testFile runs the cases in a file.
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

// readTests reads a test file. Its errors name the line.
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
	defer os.RemoveAll(scratch) //nolint:errcheck // the system cleans up temporary files
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
		err = ctx.Err() // an interrupted test has no result
	}
	if err != nil {
		return done, err
	}
	done.Problems = c.Judge(ended.Result(), replay.Unused())
	done.Passed = len(done.Problems) == 0
	return done, nil
}

// writeJUnit writes the results in JUnit format, with a suite for each test file.
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

// placeholders is a source of credentials that returns a placeholder for every account. Tests send
// no requests, and recordings contain no secrets.
type placeholders struct {
	credentials.Memory

	networks network.Table
	hosts    []string
}

// Credential implements [credentials.Provider].
func (s *placeholders) Credential(_ context.Context, ref credentials.Ref) (credentials.Credential, error) {
	c := credentials.Credential{Kind: credentials.KindBearer, Access: credentials.NewSecret("stand-in-for-a-secret"), Hosts: s.hosts}
	if n, _ := s.networks.Lookup(ref.Network()); n.Kind == network.KindSecret {
		c.Kind, c.Hosts = "", nil
	}
	return c, nil
}

// hostsOf returns the hosts of recorded requests, in the form that credentials use. It adds a
// host that does not exist, because a credential must name at least one.
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

// openStage returns an App for tests: its workflows send requests to web, see the files in
// scratch, and have neither variables nor secrets. Sub-workflows are the files in dir.
func openStage(ctx context.Context, dir, scratch string, web http.RoundTripper, hosts []string) (*app.App, error) {
	networks := network.Shipped()
	nothing := func(string) (string, bool) { return "", false }
	env, err := nodes.Sandbox(nodes.Policy{
		FilesDir: scratch, Getenv: nothing, Networks: networks, Credentials: &placeholders{networks: networks, hosts: hosts},
		Code: program.Child, // scripts cannot call anything outside
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

// filesBeside returns the workflows in the files of dir. It ignores other files.
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
			continue // a node that calls it fails with unknown_workflow
		}
		if _, err := found.Save(ctx, def); err != nil {
			return nil, err
		}
	}
	return found, nil
}

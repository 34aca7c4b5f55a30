package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

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

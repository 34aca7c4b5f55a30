// Package flowtest has what tests of workflows are made of: the files that say what to run
// and what to expect, HTTP that is answered from recordings, and the comparison of what was
// expected with what came. It runs nothing by itself.
package flowtest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
)

// File is a file of tests: a workflow, and cases of it.
type File struct {
	Workflow string `json:"workflow"` // its file, seen from the file of tests
	Cases    []Case `json:"cases"`
}

// Case is one run and what is expected of it.
type Case struct {
	Name   string         `json:"name"`
	Inputs map[string]any `json:"inputs,omitempty"`
	// Trigger is the node with which the run begins, and Payload what it puts out, where
	// that is not as in its sample; without one nothing fires.
	Trigger string         `json:"trigger,omitempty"`
	Payload map[string]any `json:"payload,omitempty"`
	// Pins answer for nodes (see engine.Options).
	Pins map[string]engine.Pin `json:"pins,omitempty"`
	// HTTP are the requests that the run makes, and their answers.
	HTTP []Exchange `json:"http,omitempty"`
	// Status is completed, failed or cancelled; empty means completed.
	Status  string         `json:"status,omitempty"`
	Outputs map[string]any `json:"outputs"`
}

// Exchange is a request that is expected, and its answer.
type Exchange struct {
	Request  Request  `json:"request"`
	Response Response `json:"response"`
	Times    int      `json:"times,omitempty"` // how often it is made; 0 means once
}

// Request says which request is meant.
type Request struct {
	Method string `json:"method,omitempty"` // empty means GET
	// URL is compared as a whole, but for the order of the query's parameters; a * in it
	// stands for any text.
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"` // that it has to have, besides others
	// Body is compared as text if it is a text, and else as JSON; nil takes any.
	Body any `json:"body,omitempty"`
}

// Response is what answers a request.
type Response struct {
	Status  int               `json:"status,omitempty"` // 0 means 200
	Headers map[string]string `json:"headers,omitempty"`
	// Body is sent as it is if it is a text, and else as JSON.
	Body   any    `json:"body,omitempty"`
	Base64 string `json:"base64,omitempty"` // of a body that is no text
}

// maxTimes bounds how often one request is expected.
const maxTimes = 1_000_000

// Decode reads a file of tests strictly: what it does not know is an error. Its errors are
// [*value.SyntaxError], which tells the place.
func Decode(text []byte) (*File, error) {
	f := &File{}
	err := value.Read(text, func(r *value.Reader) error {
		return r.Object(2, []string{"workflow", "cases"}, func(name string) (err error) {
			if name == "workflow" {
				f.Workflow, err = filled(r, "the workflow's file")
				return err
			}
			return f.cases(r)
		})
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Unused returns a name for a case that no other one has.
func (f *File) Unused(name string) string {
	made := name
	for n := 2; slices.ContainsFunc(f.Cases, func(c Case) bool { return c.Name == made }); n++ {
		made = name + " " + strconv.Itoa(n)
	}
	return made
}

// Encode writes f as Decode reads it.
func (f *File) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(b.Bytes())
	if wrapped, ok := value.WrapJSONMax(nil, text, 16*len(text)); ok {
		text = wrapped
	}
	return append(text, '\n'), nil
}

func (f *File) cases(r *value.Reader) error {
	known := map[string]bool{}
	f.Cases = []Case{}
	return r.List(func() error {
		var c Case
		err := c.read(r)
		switch {
		case err != nil:
			return err
		case known[c.Name]:
			return r.Errorf("two cases are called %q", c.Name)
		}
		known[c.Name] = true
		f.Cases = append(f.Cases, c)
		return nil
	})
}

func (c *Case) read(r *value.Reader) error {
	fields := []string{"name", "outputs", "inputs", "pins", "http", "status", "trigger", "payload"}
	return r.Object(2, fields, func(name string) (err error) {
		switch name {
		case "name":
			c.Name, err = filled(r, "the name of a case")
		case "inputs":
			c.Inputs, err = r.Record()
		case "pins":
			c.Pins, err = readPins(r)
		case "http":
			err = r.List(func() error {
				var x Exchange
				err := x.read(r)
				c.HTTP = append(c.HTTP, x)
				return err
			})
		case "status":
			c.Status, err = r.Text()
			if err == nil && c.Status != "completed" && c.Status != "failed" && c.Status != "cancelled" {
				err = r.Errorf("the status is completed, failed or cancelled")
			}
		case "outputs":
			c.Outputs, err = r.Record()
		case "trigger":
			c.Trigger, err = filled(r, "the trigger")
		case "payload":
			c.Payload, err = r.Record()
		}
		return err
	})
}

// filled reads a text that says something.
func filled(r *value.Reader, what string) (string, error) {
	text, err := r.Text()
	if err == nil && text == "" {
		err = r.Errorf("%s is empty", what)
	}
	return text, err
}

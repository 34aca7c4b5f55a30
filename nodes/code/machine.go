package code

import (
	_ "embed"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	_ "time/tzdata" // for the zones of DateTime

	"modernc.org/quickjs"
	"modernc.org/quickjs/intl"
)

//go:embed fromasync.js
var fromAsyncSource string

//go:embed prelude.js
var preludeSource string

//go:embed luxon/luxon.min.js
var luxonSource string

// machine is one engine, for one script.
type machine struct {
	vm    *quickjs.VM
	entry quickjs.Value // the function that prelude.js is
}

// newMachine makes a machine that is ready for a script.
func (w *worker) newMachine() (m *machine, err error) {
	m = &machine{}
	if m.vm, err = quickjs.NewVM(); err != nil {
		return nil, err
	}
	if w.prelude == nil {
		if w.prelude, err = m.vm.Compile(fromAsyncSource+preludeSource, quickjs.EvalGlobal); err != nil {
			return nil, errors.Join(err, m.vm.Close())
		}
	}
	if m.entry, err = m.vm.EvalBytecodeValue(w.prelude); err != nil {
		return nil, errors.Join(err, m.vm.Close())
	}
	return m, nil
}

func (m *machine) close() {
	m.entry.Free()
	_ = m.vm.Close() // its memory goes with the process at the latest
}

// run runs a script to its end. It has no timeout: the parent kills the process.
func (m *machine) run(w *worker, req *request, head []byte, values string) (result string, r *reply) {
	r = &reply{Logs: []string{}}
	if err := w.dates(m, req); err != nil {
		r.Failure = failureOf(err)
		return "", r
	}
	m.vm.SetMemoryLimit(uintptr(req.MemoryMB) << 20)
	m.vm.SetGCThreshold(uintptr(req.MemoryMB) << 20 / 8)
	answer, err := m.ask(string(head), values)
	for err == nil && answer == "" {
		var n int
		if n, err = m.vm.ExecutePendingJobs(); err == nil && n == 0 {
			break
		}
		if err == nil {
			answer, err = m.ask("answer", "")
		}
	}
	m.vm.SetMemoryLimit(uintptr(req.MemoryMB+8) << 20) // more memory, to report what happened
	if text, err := m.ask("logs", ""); err == nil {
		_ = json.Unmarshal([]byte(text), &r.Logs) // which prelude.js wrote
	}
	switch {
	case err != nil:
		r.Failure = failureOf(err)
	case answer == "":
		r.Failure = &failure{Kind: kindPending}
	case answer == "?":
		r.Failure = &failure{Kind: kindNotFinite}
	case answer[0] == '!':
		r.Failure = &failure{}
		_ = json.Unmarshal([]byte(answer[1:]), r.Failure)
		r.Failure.judge()
	default:
		return answer[1:], r
	}
	return "", r
}

func (m *machine) ask(what, text string) (string, error) {
	v, err := m.entry.Call(quickjs.UndefinedValue, what, text)
	if err != nil {
		return "", err
	}
	s, _ := v.(string)
	return s, nil
}

// asksForDates finds uses of luxon or Intl, which are loaded on demand.
var asksForDates = regexp.MustCompile(`DateTime|Duration|Interval|luxon|\$now|\$today|\bIntl\b|toLocale`)

// dates loads the date library that scripts of the other product use.
func (w *worker) dates(m *machine, req *request) error {
	if req.Flavour != flavourN8N || !asksForDates.MatchString(req.Code) {
		return nil
	}
	if err := intl.Register(m.vm, intl.TimeZone("UTC")); err != nil {
		return err
	}
	if w.luxon == nil {
		compiled, err := m.vm.Compile(luxonSource, quickjs.EvalGlobal)
		if err != nil {
			return err
		}
		w.luxon = compiled
	}
	v, err := m.vm.EvalBytecodeValue(w.luxon)
	if err == nil {
		v.Free()
	}
	return err
}

// failureOf makes a failure of an error of the engine.
func failureOf(err error) *failure {
	f := &failure{Name: "Error", Message: err.Error()}
	if e, ok := errors.AsType[*quickjs.Error](err); ok {
		f.Name, f.Message, f.Stack = e.Name, e.Message, e.Stack
	}
	if f.judge(); f.Message == "null" { // what an engine throws that has no memory for an error
		f.Kind = kindMemory
	}
	return f
}

// judge recognizes failures that are about limits.
func (f *failure) judge() {
	if f.Name == "InternalError" && strings.Contains(f.Message, "out of memory") {
		f.Kind = kindMemory
	}
}

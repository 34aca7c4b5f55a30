package code

import "time"

// request asks a child to run a script once. The values of its inputs are the body of the
// message, a JSON list.
type request struct {
	Code     string   `json:"code"`
	Names    []string `json:"names"`  // of the inputs
	Absent   []int    `json:"absent"` // the inputs that have no value
	Mode     string   `json:"mode"`
	Flavour  string   `json:"flavour"`
	Now      int64    `json:"now"`   // of the run, in milliseconds since 1970
	Exact    bool     `json:"exact"` // there are integers that a number of JavaScript does not hold
	MemoryMB int      `json:"memoryMB"`
}

// reply is the answer to a request. The result is the body of the message, as JSON.
type reply struct {
	Failure *failure `json:"failure,omitempty"`
	Logs    []string `json:"logs"`
}

// failure is the exception of a script, or why it was stopped.
type failure struct {
	Kind    string `json:"kind,omitempty"` // one of the kinds below; else the script threw
	Index   *int   `json:"index,omitempty"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
}

// The kinds of failures that are no exceptions of the script.
const (
	kindMemory    = "memory"
	kindNotFinite = "not_finite"
	kindPending   = "pending"
)

func (r *request) at(now time.Time) { r.Now = now.UnixMilli() }

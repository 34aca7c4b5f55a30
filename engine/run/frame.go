package run

import "github.com/svcflow/svc/engine"

// Frame is an event as journals keep it and streams send it.
type Frame struct {
	Seq  int // from 1, without gaps
	Name engine.EventName
	Data []byte // the JSON of the event, on one line; shared, so never written to
}

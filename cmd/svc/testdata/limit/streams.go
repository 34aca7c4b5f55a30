package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// streams has the frames of runs that nobody has followed yet, by id.
type streams struct {
	last atomic.Int64
	runs sync.Map
}

// mount adds the routes of asynchronous work, which keeps nothing:
//
//	POST /executions              a document, decoded; answers {"runId":…}
//	GET  /executions/{id}/events  the events of its nodes, one by one
func (s *streams) mount(mux *http.ServeMux) {
	mux.HandleFunc("POST /executions", s.start)
	mux.HandleFunc("GET /executions/{id}/events", s.events)
}

func (s *streams) start(w http.ResponseWriter, r *http.Request) {
	var doc document
	if !decode(w, r, &doc) {
		return
	}
	id := strconv.FormatInt(s.last.Add(1), 10)
	frames := make(chan []byte, len(doc.Nodes)+2)
	s.runs.Store(id, frames)
	go tellAll(&doc, frames)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_ = json.NewEncoder(w).Encode(map[string]string{"runId": id})
}

// tellAll does what the nodes do, and tells of each.
func tellAll(doc *document, frames chan<- []byte) {
	defer close(frames)
	seq := 0
	tell := func(name string, data map[string]any) {
		seq++
		text, _ := json.Marshal(data) // cannot fail
		frames <- fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", seq, name, text)
	}
	tell("started", map[string]any{"workflowId": doc.ID})
	text := "hello"
	for i := range doc.Nodes {
		text = strings.ToUpper(text)
		tell("event", map[string]any{"nodeId": doc.Nodes[i].ID, "status": "succeeded", "outputs": map[string]any{"text": text}})
	}
	tell("completed", map[string]any{"result": map[string]any{"outputs": map[string]any{"result": text}}})
}

func (s *streams) events(w http.ResponseWriter, r *http.Request) {
	frames, ok := s.runs.LoadAndDelete(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	for waiting := frames.(chan []byte); ; {
		frame, more := <-waiting
		if !more {
			return
		}
		if _, err := w.Write(frame); err != nil {
			return
		}
		if len(waiting) == 0 {
			_ = control.Flush()
		}
	}
}

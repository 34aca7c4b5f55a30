package httpapi

import (
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// firstRoom is how much memory a request gets on its word alone.
const firstRoom = 64 << 10

// body reads the body of r, which has to be JSON. It is good until r is
// answered.
func (s *Service) body(a *answer, r *http.Request) ([]byte, error) {
	limit := int64(s.app.Limits().Bytes)
	switch {
	case r.ContentLength == 0:
		return nil, nil
	case r.ContentLength > limit:
		return nil, bodyTooLarge(limit)
	case r.Header.Get("Content-Encoding") != "":
		return nil, unsupported("send the body without Content-Encoding").with("Accept-Encoding", "identity")
	}
	isJSON := isJSONType(r.Header.Get("Content-Type"))
	if !isJSON && r.ContentLength > 0 {
		return nil, notJSON()
	}
	if err := a.read(r, limit); err != nil {
		return nil, bodyProblem(err, a.in.Len())
	}
	if !isJSON && a.in.Len() > 0 {
		return nil, notJSON()
	}
	return a.in.Bytes(), nil
}

func (a *answer) read(r *http.Request, limit int64) error {
	a.in.Grow(int(min(max(r.ContentLength, 0), firstRoom)) + 512)
	_, err := a.in.ReadFrom(http.MaxBytesReader(a.ResponseWriter, r.Body, limit))
	if err == nil {
		a.readUntil(time.Time{})
	}
	return err
}

// isJSONType reports whether a Content-Type stands for JSON in UTF-8.
func isJSONType(contentType string) bool {
	if contentType == jsonType {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != jsonType && (!strings.HasPrefix(media, "application/") || !strings.HasSuffix(media, "+json")) {
		return false
	}
	charset, ok := params["charset"]
	return !ok || strings.EqualFold(charset, "utf-8")
}

func notJSON() *problem {
	return unsupported("send JSON in UTF-8, with Content-Type: "+jsonType).with("Accept", jsonType)
}

func unsupported(detail string) *problem {
	return newProblem(http.StatusUnsupportedMediaType, codeUnsupportedMedia, detail)
}

// definition reads the workflow in the body of r.
func (s *Service) definition(a *answer, r *http.Request) (*workflow.Definition, error) {
	text, err := s.body(a, r)
	if err != nil {
		return nil, err
	}
	return workflow.Decode(text, s.app.Limits())
}

// workflowID returns the id in the address of the request. One that no workflow
// can have is workflow.ErrNotFound, whatever the store would make of it.
func (a *answer) workflowID() (string, error) {
	id := a.wildcards[0]
	if err := workflow.CheckID(id); err != nil {
		return "", fmt.Errorf("%w: %w", workflow.ErrNotFound, err)
	}
	return id, nil
}

// flag returns the value of a boolean query parameter; false if it is not there.
func flag(r *http.Request, name string) (bool, error) {
	if r.URL.RawQuery == "" {
		return false, nil
	}
	query := r.URL.Query()
	if !query.Has(name) {
		return false, nil
	}
	on, err := strconv.ParseBool(query.Get(name))
	if err != nil {
		return false, invalidParameter("the query parameter " + name + " is true or false")
	}
	return on, nil
}

// overrides reads node id → input port → value.
func overrides(r *value.Reader) (map[string]map[string]any, error) {
	record, err := r.Record()
	if err != nil {
		return nil, err
	}
	byNode := make(map[string]map[string]any, len(record))
	for _, id := range slices.Sorted(maps.Keys(record)) {
		byPort, ok := record[id].(map[string]any)
		if !ok {
			return nil, r.Errorf("the overrides of node %.100q have to be an object, input port to value", id)
		}
		byNode[id] = byPort
	}
	return byNode, nil
}

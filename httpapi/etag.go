package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/internal/problem"
)

// etagOf returns the strong entity tag of def: its digest.
func etagOf(def *workflow.Definition) string { return `"` + def.Digest() + `"` }

// condition returns what the headers of r ask of the stored workflow before it
// is changed (RFC 9110 section 13.1).
func condition(r *http.Request) (workflow.Condition, error) {
	var c workflow.Condition
	for _, tag := range tags(r, "If-Match") {
		c.Match = append(c.Match, digestOf(tag))
	}
	absent := tags(r, "If-None-Match")
	if c.Absent = slices.Contains(absent, workflow.Any); !c.Absent && len(absent) > 0 {
		return c, problem.New(http.StatusBadRequest, problem.CodeInvalidParameter,
			"a change understands If-None-Match: * only; to change a certain state, name it in If-Match")
	}
	return c, nil
}

// digestOf returns the digest in a strong entity tag, workflow.Any for *, and for
// all else "", which is no workflow's digest.
func digestOf(tag string) string {
	inner, opened := strings.CutPrefix(unzipped(tag), `"`)
	inner, closed := strings.CutSuffix(inner, `"`)
	switch {
	case tag == workflow.Any:
		return tag
	case opened && closed && inner != workflow.Any:
		return inner
	}
	return ""
}

// known returns the tag by which the caller has the state with this strong tag already:
// it may have it compressed. It is "" for none.
func known(r *http.Request, etag string) string {
	for _, tag := range tags(r, "If-None-Match") {
		strong := strings.TrimPrefix(tag, "W/")
		switch {
		case tag == workflow.Any:
			return etag
		case unzipped(strong) == etag:
			return strong
		}
	}
	return ""
}

// tags returns the entity tags in a header, as they are written. A header that
// is there has at least one, if only an empty one.
func tags(r *http.Request, header string) []string {
	values := r.Header.Values(header)
	if len(values) == 0 {
		return nil
	}
	list := strings.Split(strings.Join(values, ","), ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

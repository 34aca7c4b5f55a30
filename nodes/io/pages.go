package ionode

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

type pagesIn struct {
	Next    string `port:"next" doc:"Expression that gives what comes next."`
	Items   string `port:"items" doc:"Expression that gives what a page adds."`
	Max     *int   `port:"max" doc:"How many pages at most."`
	DelayMs *int   `port:"delayMs" doc:"Pause between two pages."`
}

// The default and the largest number of pages.
const (
	defaultPages = 100
	highestPages = 10_000
)

// pager holds a node's paging settings; a nil pager means a single page.
type pager struct {
	next, items *expr.Formula
	json        bool // whether an expression uses the JSON body
	most        int
	delay       time.Duration
	endsEarly   bool // whether it is no failure if there are more pages than most
}

// newPager parses the setting of a node.
func newPager(b node.Binding) (*pager, []node.Problem) {
	record, ok := b.Config["pages"].(map[string]any)
	if !ok {
		return nil, nil
	}
	p := &pager{most: defaultPages}
	var problems []node.Problem
	compile := func(member string) *expr.Formula {
		source, _ := record[member].(string)
		p.json = p.json || strings.Contains(source, "json")
		f, wrong := expr.CompileFormula(source, "pages", "status", "headers", "json", "url", "page")
		for i := range wrong {
			wrong[i].Message = member + ": " + wrong[i].Message
		}
		problems = append(problems, wrong...)
		return f
	}
	p.next, p.items = compile("next"), compile("items")
	if n, given := record["max"].(int); given {
		p.most, p.endsEarly = n, true
	}
	ms, _ := record["delayMs"].(int)
	p.delay = time.Duration(ms) * time.Millisecond
	if p.most < 1 || p.most > highestPages {
		problems = append(problems, node.Invalid("pages", "max is a number from 1 to %d", highestPages))
	}
	if ms < 0 || ms > int(longestDelay.Milliseconds()) {
		problems = append(problems, node.Invalid("pages", "delayMs is a number from 0 to %d", longestDelay.Milliseconds()))
	}
	return p, problems
}

// longestDelay is the longest pause between two pages.
const longestDelay = time.Hour

func (p *pager) wantsJSON() bool { return p != nil && p.json }

// turn requests one page after the other, starting with m.
func (r *request) turn(ctx context.Context, m *message) (requestOut, error) {
	items, left, first := []any{}, highestMaxBytes, m.url
	for page := 1; ; page++ {
		a, err := r.patiently(ctx, m, min(left, r.in.MaxBytes))
		if err != nil {
			return requestOut{}, err
		}
		left -= len(a.body)
		out, err := r.finish(ctx, m, a)
		if err != nil {
			return requestOut{}, err
		}
		var next any
		if out.OK {
			more, err := r.pager.read(ctx, m, &out, page)
			if err != nil {
				return requestOut{}, err
			}
			items, next = append(items, more.items...), more.next
		}
		out.Items, out.Pages, out.Complete = items, page, out.OK && (next == nil || next == "")
		switch {
		case out.Complete, !out.OK:
			return out, nil
		case page == r.pager.most && !r.pager.endsEarly:
			return requestOut{}, permanent(node.CodeLimitExceeded, "%s: there are more than %d pages; set max in pages", m.where(), page)
		case page == r.pager.most:
			return out, nil
		}
		node.Progress(ctx, page, 0, "")
		if m, err = m.leadTo(next, first); err != nil {
			return requestOut{}, err
		}
		if err := sleep(ctx, r.pager.delay); err != nil {
			return requestOut{}, err
		}
	}
}

// page has the values of a node's expressions for one answer.
type page struct {
	items []any
	next  any
}

// read evaluates the expressions for page n.
func (p *pager) read(ctx context.Context, m *message, out *requestOut, n int) (read page, err error) {
	values := map[string]any{"status": out.StatusCode, "headers": out.Headers, "json": out.JSON, "url": m.url.String(), "page": n}
	items, err := p.items.Of(ctx, values)
	if err != nil {
		return page{}, err
	}
	var ok bool
	if read.items, ok = items.([]any); !ok && items != nil {
		return page{}, permanent(node.CodeTypeError, "%s: items of page %d is %s; it has to be a list", m.where(), n, value.KindOf(items))
	}
	read.next, err = p.next.Of(ctx, values)
	return read, err
}

// leadTo returns the request for the next page: next is a URL, or parameters for the query
// of the first one. The URL comes from a server, so it must not lead to another host: the
// headers and the body are meant for the host that the node names.
func (m *message) leadTo(next any, first *url.URL) (*message, error) {
	to := *first
	switch next := next.(type) {
	case string:
		u, err := m.url.Parse(next)
		if err != nil {
			return nil, permanent(service.CodeBadAnswer, "%s: next is no URL", m.where())
		}
		if u.Scheme != first.Scheme || !sameHost(first, u) {
			return nil, permanent(node.CodeForbidden, "%s: the next page would be at %s://%s; pages are asked for at one host only", m.where(), u.Scheme, u.Host)
		}
		u.User, u.Fragment = first.User, ""
		to = *u
	case map[string]any:
		set, err := valuesOf(next, "next: query parameter")
		if err != nil {
			return nil, err
		}
		query := first.Query()
		for name := range next {
			query[name] = set[name]
		}
		to.RawQuery = query.Encode()
	default:
		return nil, permanent(node.CodeTypeError, "%s: next is %s; it has to be a URL, a record of query parameters, or null", m.where(), value.KindOf(next))
	}
	if to.String() == m.url.String() {
		return nil, permanent(service.CodeBadAnswer, "%s: the next page is this page again", m.where())
	}
	another := *m
	another.url, another.header = &to, m.header.Clone()
	return &another, nil
}

// patiently sends m, and repeats it after the pauses that the server asks for, as long as
// the node's timeout allows.
func (r *request) patiently(ctx context.Context, m *message, limit int) (*answer, error) {
	for {
		a, err := r.send(ctx, m, r.in.FollowRedirects, limit)
		if err != nil || !r.in.RespectRetryAfter {
			return a, err
		}
		wait, asked := service.RetryAfter(a.status, a.header)
		wait = max(wait, time.Second)
		if deadline, ok := ctx.Deadline(); !asked || ok && time.Until(deadline) <= wait {
			return a, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

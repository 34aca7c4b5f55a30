package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// NodeTypes returns the specs of all node types of the server, sorted by type.
func (c *Client) NodeTypes(ctx context.Context) ([]*node.Spec, error) {
	var specs []*node.Spec
	err := c.get(ctx, "/nodes", &specs)
	return specs, err
}

// NodeType returns the spec of one node type.
func (c *Client) NodeType(ctx context.Context, typ string) (*node.Spec, error) {
	spec := new(node.Spec)
	if err := c.get(ctx, "/nodes/"+url.PathEscape(typ), spec); err != nil {
		return nil, err
	}
	return spec, nil
}

// Choices returns suggested values for an input of a node type, for a node with the given config.
func (c *Client) Choices(ctx context.Context, typ, port string, config map[string]any) ([]node.Choice, error) {
	body := append([]byte(`{"port":`), value.AppendText(nil, port)...)
	if config != nil {
		body = value.Append(append(body, `,"config":`...), config)
	}
	var choices []node.Choice
	err := c.post(ctx, "/nodes/"+url.PathEscape(typ)+"/choices", append(body, '}'), &choices)
	return choices, err
}

// Workflows describes a page of the workflows stored on the server; [workflow.All] returns all
// pages.
func (c *Client) Workflows(ctx context.Context, q workflow.Query) (workflow.Page, error) {
	query := url.Values{"limit": {strconv.Itoa(q.Size())}} // without a limit the server would send all
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	answer, err := c.send(ctx, http.MethodGet, "/workflows?"+query.Encode(), nil, nil)
	if err != nil {
		return workflow.Page{}, err
	}
	page := workflow.Page{NextCursor: nextCursor(answer.Header)}
	err = c.decode(ctx, answer, &page.Items)
	return page, err
}

// nextCursor returns the cursor of the next page from the Link header (RFC 8288); "" for the last
// page.
func nextCursor(h http.Header) string {
	_, link, _ := strings.Cut(h.Get("Link"), "<")
	target, relation, _ := strings.Cut(link, ">")
	u, err := url.Parse(target)
	if err != nil || !strings.Contains(relation, `rel="next"`) {
		return ""
	}
	return u.Query().Get("cursor")
}

// Workflow returns a stored workflow.
func (c *Client) Workflow(ctx context.Context, id string) (*workflow.Definition, error) {
	return c.definition(ctx, workflowPath(id))
}

func (c *Client) definition(ctx context.Context, path string) (*workflow.Definition, error) {
	def := new(workflow.Definition)
	if err := c.get(ctx, path, def); err != nil {
		return nil, err
	}
	return def, nil
}

// Save stores a workflow if cond holds; otherwise the error has the code precondition_failed.
func (c *Client) Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	body, err := def.MarshalJSON()
	if err != nil {
		return workflow.Meta{}, err
	}
	var meta workflow.Meta
	err = c.call(ctx, http.MethodPost, "/workflows", headerOf(cond), body, &meta)
	return meta, err
}

// Delete deletes a stored workflow if cond holds. It is no error if the workflow does not exist.
func (c *Client) Delete(ctx context.Context, id string, cond workflow.Condition) error {
	return c.call(ctx, http.MethodDelete, workflowPath(id), headerOf(cond), nil, nil)
}

// Revisions describes the stored revisions of a workflow, newest first.
func (c *Client) Revisions(ctx context.Context, id string) ([]workflow.Meta, error) {
	var metas []workflow.Meta
	err := c.get(ctx, workflowPath(id)+"/revisions", &metas)
	return metas, err
}

// Revision returns revision n, counted from 1, of a stored workflow.
func (c *Client) Revision(ctx context.Context, id string, n int) (*workflow.Definition, error) {
	return c.definition(ctx, workflowPath(id)+"/revisions/"+strconv.Itoa(n))
}

func workflowPath(id string) string { return "/workflows/" + url.PathEscape(id) }

// headerOf writes a condition as HTTP headers (RFC 9110 section 13.1).
func headerOf(cond workflow.Condition) http.Header {
	h := http.Header{}
	for _, digest := range cond.Match {
		if digest != workflow.Any {
			digest = `"` + digest + `"`
		}
		h.Add("If-Match", digest)
	}
	if cond.Absent {
		h.Set("If-None-Match", workflow.Any)
	}
	return h
}

package service

import (
	"context"
	"net/http"
	"net/url"

	"github.com/svcflow/svc/engine/node"
)

// Upload puts content where an answer of the network has asked for it, with the
// headers that it wants. The token goes along only if that is at one of the
// network's hosts; another host is reached as if a workflow had named it. c names
// the upload in failures. Errors are those of [API.Do].
func (a *API) Upload(ctx context.Context, c Call, address string, header map[string]string, content []byte) error {
	u, err := url.Parse(address)
	if a.problem != nil || err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return a.fail(CodeBadAnswer, c.Name, "the network did not say where to put the content")
	}
	m := &message{call: c, method: http.MethodPut, url: u, header: http.Header{}, body: content, client: a.client}
	for name, text := range header {
		m.header.Set(name, text)
	}
	if !a.mayHaveToken(u) {
		m.client = a.web
	}
	if m.client == nil {
		return a.fail(node.CodeForbidden, c.Name, "the network wants the content at another host, which is out of reach")
	}
	_, err = a.exchange(ctx, m)
	return err
}

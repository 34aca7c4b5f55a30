package service

import (
	"context"
	"net/http"
	"net/url"

	"github.com/svcflow/svc/engine/node"
)

// Upload uploads content to an address from an answer of the network, with the headers that
// it requires. The token is sent only to the network's own hosts; other hosts are reached
// under the rules for addresses from workflows. c names the upload in failures. Errors are
// those of [API.Do].
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

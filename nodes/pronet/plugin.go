// Package pronet is the plugin of the professional network: seven nodes that read and post
// with the network's API v2 (docs/design.md, Networks). Package service sends the requests,
// keeps the rate limits and words the errors. routes.json lists the requests of each node.
package pronet

import (
	_ "embed"
	"net/http"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

//go:embed routes.json
var routes []byte

// plugin is the state that the nodes share.
type plugin struct {
	api    *service.API
	getenv func(string) string
	web    *http.Client // downloads images; nil if workflows may not
}

// New returns the plugin. [service.NewAPI] describes the operator's settings; the network's
// name is pronet. In addition, <REFERENCE>_URN sets the URN that an account posts as, if
// that is not its user. PRONET_COMPANY_URN is required to use pronet:company.
func New(config service.Config) node.Plugin {
	p := &plugin{
		api: service.NewAPI(service.Network{
			Name:   "pronet",
			Routes: routes,
			Header: map[string]string{"X-Restli-Protocol-Version": "2.0.0"},
		}, config),
		getenv: config.Getenv,
		web:    config.Web,
	}
	if p.getenv == nil {
		p.getenv = func(string) string { return "" }
	}
	return node.Bundle{
		Name:     "pronet",
		Category: "Professional network",
		Card:     node.Card{Shape: "circle", Size: 64, Color: "#0A66C2", Icon: "briefcase"},
		Nodes: []node.Node{
			p.profileNode(), p.postNode(), p.feedNode(), p.connectionsNode(),
			p.messageNode(), p.likeNode(), p.searchNode(),
		},
	}
}

// limits is the part of each description that explains the rate limit.
const limits = "\n\nThe network limits requests per account and day and does not publish how many it takes. A node that is told to wait " +
	"does so if that ends before its timeout; else it fails at once with `rate_limited`."

// failures is the part of the reading nodes' descriptions that lists their error codes.
const failures = " Fails with `forbidden` (the message names the scope that may be missing), `not_found`, `quota_exceeded`, " +
	"`reauthorize`, `unavailable` and, if an answer makes no sense, `bad_answer`."

// rules is the part of the posting nodes' descriptions that sums up the network's rules.
const rules = "\n\nPost and write only what people asked for: no bulk messages, no automatic likes. The network closes accounts for these."

// Package pronet is the plugin of the professional network: seven nodes that read
// and post with the network's API v2 (docs/design.md, Networks). How requests are sent,
// limits kept and failures worded is the matter of package service; which requests
// stand for which node is in routes.json.
package pronet

import (
	_ "embed"
	"net/http"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

//go:embed routes.json
var routes []byte

// plugin is what the nodes share.
type plugin struct {
	api    *service.API
	getenv func(string) string
	web    *http.Client // fetches images; nil if workflows may not
}

// New returns the plugin. What the operator sets is described at
// [service.NewAPI]; the network's name is pronet. Besides, <REFERENCE>_URN names in
// whose name an account posts if that is not its user: PRONET_COMPANY_URN for
// pronet:company, which must be set to use that account.
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

// limits describes to users what all nodes keep to.
const limits = "\n\nThe network limits requests per account and day and does not publish how many it takes. A node that is told to wait " +
	"does so if that ends before its timeout; else it fails at once with `rate_limited`."

// failures describes to users how the nodes that read fail.
const failures = " Fails with `forbidden` (the message names the scope that may be missing), `not_found`, `quota_exceeded`, " +
	"`reauthorize`, `unavailable` and, if an answer makes no sense, `bad_answer`."

// rules are those of the network for whoever posts.
const rules = "\n\nPost and write only what people asked for: no bulk messages, no automatic likes. The network closes accounts for these."

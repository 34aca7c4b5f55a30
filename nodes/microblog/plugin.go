// Package microblog is the plugin of the microblogging network: eight nodes that
// read and post with the network's API v2 (docs/design.md, Networks). How requests are
// sent, limits kept and failures worded is the matter of package service; which
// requests stand for which node is in routes.json.
package microblog

import (
	_ "embed"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

//go:embed routes.json
var routes []byte

// plugin is what the nodes share.
type plugin struct{ api *service.API }

// New returns the plugin. What the operator sets is described at
// [service.NewAPI]; the network's name is microblog.
func New(config service.Config) node.Plugin {
	m := &plugin{service.NewAPI(service.Network{
		Name:   "microblog",
		Routes: routes,
		Window: service.Window{Requests: 450, Per: 15 * time.Minute}, // docs/design.md, Networks
	}, config)}
	return node.Bundle{
		Name:     "microblog",
		Category: "Microblog",
		Card:     node.Card{Shape: "circle", Size: 64, Color: "#000000", Icon: "chat"},
		Nodes: []node.Node{
			m.postNode(), m.timelineNode(), m.trendingNode(), m.searchNode(),
			m.likeNode(), m.retweetNode(), m.messageNode(), m.userNode(),
		},
	}
}

// limits describes to users what all nodes keep to.
const limits = "\n\nAll microblog nodes together make at most 450 requests in 15 minutes per account. A node waits for its turn " +
	"if that comes before its timeout; else it fails at once with `rate_limited` and says when it can be run again."

// failures describes to users how the nodes that read fail.
const failures = " Fails with `forbidden` (the message names the scope that may be missing), `not_found`, `quota_exceeded`, " +
	"`reauthorize`, `unavailable` and, if an answer makes no sense, `bad_answer`."

// rules are those of the network for whoever posts.
const rules = "\n\nPost only what its readers asked for: no bulk messages, no identical posts from several accounts, no automatic " +
	"likes or reposts. The network closes accounts for these."

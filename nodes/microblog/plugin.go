// Package microblog is the plugin of the microblogging network: eight nodes that read and
// post with the network's API v2 (docs/design.md, Networks). Package service sends the
// requests, keeps the rate limits and words the errors. routes.json lists the requests of
// each node.
package microblog

import (
	_ "embed"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

//go:embed routes.json
var routes []byte

// plugin is the state that the nodes share.
type plugin struct{ api *service.API }

// New returns the plugin. [service.NewAPI] describes the operator's settings; the network's
// name is microblog.
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

// limits is the part of each description that explains the rate limit.
const limits = "\n\nAll microblog nodes together make at most 450 requests in 15 minutes per account. A node waits for its turn " +
	"if that comes before its timeout; else it fails at once with `rate_limited` and says when it can be run again."

// failures is the part of the reading nodes' descriptions that lists their error codes.
const failures = " Fails with `forbidden` (the message names the scope that may be missing), `not_found`, `quota_exceeded`, " +
	"`reauthorize`, `unavailable` and, if an answer makes no sense, `bad_answer`."

// rules is the part of the posting nodes' descriptions that sums up the network's rules.
const rules = "\n\nPost only what its readers asked for: no bulk messages, no identical posts from several accounts, no automatic " +
	"likes or reposts. The network closes accounts for these."

package pronet

import (
	"context"
	"regexp"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// company is the account that posts for an organisation (docs/design.md, Credentials).
const company = credentials.Ref("pronet:company")

var (
	urnPattern    = regexp.MustCompile(`^urn:[a-z]+:[A-Za-z]+:[A-Za-z0-9_-]{1,100}$`)
	idPattern     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)
	numberPattern = regexp.MustCompile(`^[0-9]{1,30}$`)
)

// author returns the URN that an account posts as, and the additional scope that this
// needs, if any. The account pronet:company fails if its URN is not configured: it must not
// post as its user.
func (p *plugin) author(ctx context.Context, ref credentials.Ref) (urn, scope string, err error) {
	variable := network.AccountVariable(ref, "URN")
	switch urn = strings.TrimSpace(p.getenv(variable)); {
	case urn != "" && !urnPattern.MatchString(urn):
		return "", "", notSet(variable + " has to be a URN like urn:li:organization:123")
	case urn != "":
		return urn, "w_organization_social", nil
	case ref == company:
		return "", "", notSet("set " + variable + " to the organisation's URN, like urn:li:organization:123")
	}
	id, err := p.api.Self(ctx, ref)
	return "urn:li:person:" + id, "", err
}

func notSet(message string) error {
	return &node.Error{Code: service.CodeNotConfigured, Message: "pronet: " + message, Permanent: true}
}

// postURN returns the URN of a post. A number is read as the id of a share.
func postURN(id string) (string, error) {
	switch {
	case numberPattern.MatchString(id):
		return "urn:li:share:" + id, nil
	case urnPattern.MatchString(id):
		return id, nil
	}
	return "", node.Errorf(node.CodeInvalidInput, "post_id is no id of a post; give a URN like urn:li:share:123, as pronet.post_feed gives it")
}

// personURN returns the URN of a member.
func personURN(id string) (string, error) {
	switch {
	case idPattern.MatchString(id):
		return "urn:li:person:" + id, nil
	case urnPattern.MatchString(id):
		return id, nil
	}
	return "", node.Errorf(node.CodeInvalidInput, "recipient_id is no id of a member; give one as pronet.get_connections gives it")
}

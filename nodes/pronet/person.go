package pronet

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// profileNode returns the node pronet.fetch_profile.
func (p *plugin) profileNode() node.Node {
	return node.Func("pronet.fetch_profile", "My profile", p.profile).
		Aliases("me, account, who am i", "eigenes profil, konto").Doc(
		"Fetches the profile of the account's user. Calls `GET /me`; the account needs the scope `r_basicprofile`." + failures + limits + "\n\n" +
			"Example: `credential` = `pronet:main`.")
}

type profileIn struct {
	Credential value.Credential `port:"credential" network:"pronet" doc:"The account, such as pronet:main."`
}

type profileOut struct {
	ID         string `port:"id" doc:"The member's id."`
	Name       string `port:"name" doc:"First and last name."`
	Headline   string `port:"headline" doc:"What stands below the name; empty if nothing does."`
	PictureURL string `port:"picture_url" doc:"The largest picture of the member; empty if there is none."`
}

func (p *plugin) profile(ctx context.Context, in profileIn) (profileOut, error) {
	var me struct {
		person
		Picture picture `json:"profilePicture"`
		URL     string  `json:"picture"`
	}
	_, err := p.api.Do(ctx, service.Call{Name: "fetch_profile", Ref: in.Credential}, &me)
	if err == nil && me.ID == "" {
		err = node.Permanent(node.Errorf(service.CodeBadAnswer, "pronet fetch_profile: the answer holds no member"))
	}
	return profileOut{me.ID, me.name(), me.headline(), cmp.Or(me.Picture.widest(), me.URL)}, err
}

// connectionsNode returns the node pronet.get_connections.
func (p *plugin) connectionsNode() node.Node {
	return node.Func("pronet.get_connections", "My connections", p.connections).
		Aliases("contacts, network, people", "kontakte, netzwerk").Doc(
		"Lists the members that the account's user is connected with. Calls `GET /relationships/connections`, or `GET /v2/connections` " +
			"of the live API, once per 50 of them; the account needs the scope `r_1st_connections`, which the network gives to its partners." +
			failures + limits + "\n\nExample: `credential` = `pronet:main`, `limit` = `50`.")
}

type connectionsIn struct {
	Credential value.Credential `port:"credential" network:"pronet" doc:"The account, such as pronet:main."`
	Limit      int              `port:"limit" default:"10" doc:"How many connections at most, 1 to 500."`
}

type connection struct {
	ID       string `port:"id"`
	Name     string `port:"name"`
	Headline string `port:"headline"`
}

type connectionsOut struct {
	Connections []connection `port:"connections" doc:"The members: headline is what stands below the name; name and headline are empty where the network keeps them back."`
	Count       int          `port:"count" doc:"How many there are."`
}

// link is a connection in the network's JSON: the member itself, or a URN, with the member
// if the network has resolved it.
type link struct {
	person
	To     string `json:"to"`
	Member person `json:"to~"`
}

func (p *plugin) connections(ctx context.Context, in connectionsIn) (connectionsOut, error) {
	links, err := elements[link](ctx, p, service.Call{Name: "get_connections", Ref: in.Credential}, in.Limit)
	out := connectionsOut{Connections: make([]connection, len(links)), Count: len(links)}
	for i, l := range links {
		member := l.Member
		if l.To == "" {
			member = l.person
		}
		if member.ID == "" {
			member.ID = l.To[strings.LastIndex(l.To, ":")+1:]
		}
		out.Connections[i] = connection{member.ID, member.name(), member.headline()}
	}
	return out, err
}

// person is a member in the network's JSON, which has several names for some fields.
type person struct {
	ID                string    `json:"id"`
	Name              string    `json:"name"`
	FirstName         localized `json:"firstName"`
	LastName          localized `json:"lastName"`
	LocalizedFirst    string    `json:"localizedFirstName"`
	LocalizedLast     string    `json:"localizedLastName"`
	Headline          localized `json:"headline"`
	LocalizedHeadline string    `json:"localizedHeadline"`
}

func (p person) name() string {
	return cmp.Or(
		strings.TrimSpace(p.LocalizedFirst+" "+p.LocalizedLast),
		strings.TrimSpace(string(p.FirstName)+" "+string(p.LastName)),
		p.Name,
	)
}

func (p person) headline() string { return cmp.Or(p.LocalizedHeadline, string(p.Headline)) }

// picture is a picture of a member in several sizes.
type picture struct {
	Image struct {
		Elements []struct {
			Data map[string]struct {
				Size struct {
					Width float64 `json:"width"`
				} `json:"storageSize"`
			} `json:"data"`
			Identifiers []struct {
				URL string `json:"identifier"`
			} `json:"identifiers"`
		} `json:"elements"`
	} `json:"displayImage~"`
}

// widest returns the URL of the widest picture.
func (p picture) widest() string {
	width, url := -1.0, ""
	for _, e := range p.Image.Elements {
		for _, name := range slices.Sorted(maps.Keys(e.Data)) {
			if w := e.Data[name].Size.Width; w > width && len(e.Identifiers) > 0 {
				width, url = w, e.Identifiers[0].URL
			}
		}
	}
	return url
}

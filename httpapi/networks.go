package httpapi

import (
	"net/http"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
)

// listNetworks answers GET /credentials/networks.
func (s *Service) listNetworks(a *answer, _ *http.Request) error {
	known := []credentials.Network{}
	for _, n := range s.secrets.networks.All() {
		known = append(known, shownNetwork(n, s.secrets.clients, s.publicURL != ""))
	}
	return a.json(http.StatusOK, known)
}

// shownNetwork says of a network what there is to know before an account is connected.
// addressed says that the service knows where browsers come back to.
func shownNetwork(n network.Network, clients oauth.Clients, addressed bool) credentials.Network {
	shown := credentials.Network{Name: n.Name, Label: n.Label, Hosts: n.Hosts, Logins: n.Logins()}
	if !shown.Logins {
		return shown
	}
	switch _, err := clients.Client(n.Name); {
	case err != nil:
		shown.Note = "set " + n.Variable(network.SettingClientID) + " and what else logins there need, in the server's environment"
	case !addressed:
		shown.Note = "set SVC_PUBLIC_URL to the server's own address, to which the network sends browsers back"
	default:
		shown.Ready = true
	}
	return shown
}

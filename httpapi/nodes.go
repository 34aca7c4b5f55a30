package httpapi

import (
	"errors"
	"net/http"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi/internal/problem"
)

// listNodes answers GET /nodes. The node types of a service never change.
func (s *Service) listNodes(a *answer, _ *http.Request) error {
	a.fixed(jsonType, s.nodes)
	return nil
}

// getNode answers GET /nodes/{type}.
func (s *Service) getNode(a *answer, _ *http.Request) error {
	spec, ok := s.app.NodeType(a.wildcards[0])
	if !ok {
		return problem.New(http.StatusNotFound, problem.CodeNotFound, "there is no such node type; GET "+s.prefix+"/nodes lists them")
	}
	return a.json(http.StatusOK, spec)
}

// choicesPath is the path for asking a network for choices, which changes nothing.
const choicesPath = "/nodes/{type}/choices"

// tellChoices answers POST /nodes/{type}/choices with suggested values for an input. It may call
// the network.
func (s *Service) tellChoices(a *answer, r *http.Request) error {
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	port, config, err := decodeQuestion(text)
	if err != nil {
		return err
	}
	choices, err := s.app.Choices(r.Context(), a.wildcards[0], port, config)
	var failed *node.Error
	if r.Context().Err() == nil && errors.As(err, &failed) {
		return problem.New(http.StatusUnprocessableEntity, problem.CodeNoAnswer, failed.Error())
	}
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, choices)
}

// decodeQuestion reads {"port":"mailbox","config":{…}}.
func decodeQuestion(text []byte) (port string, config map[string]any, err error) {
	err = value.Read(text, func(r *value.Reader) error {
		return r.Object(1, []string{"port", "config"}, func(field string) (err error) {
			switch field {
			case "port":
				port, err = r.Text()
			case "config":
				config, err = r.Record()
			}
			return err
		})
	})
	return port, config, err
}

// listNetworks answers GET /credentials/networks.
func (s *Service) listNetworks(a *answer, _ *http.Request) error {
	known := []credentials.Network{}
	for _, n := range s.secrets.networks.All() {
		known = append(known, shownNetwork(n, s.secrets.clients, s.publicURL != ""))
	}
	return a.json(http.StatusOK, known)
}

// shownNetwork describes a network for users who want to connect an account. addressed says that
// the service has a public URL, which logins need.
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

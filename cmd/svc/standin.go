package main

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/flowtest"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store"
)

// standIn is a source of credentials in which every account has one, none of them real. A
// test makes no requests, and recordings hold no secrets.
type standIn struct {
	credentials.Memory

	networks network.Table
	hosts    []string
}

// Credential implements [credentials.Provider].
func (s *standIn) Credential(_ context.Context, ref credentials.Ref) (credentials.Credential, error) {
	c := credentials.Credential{Kind: credentials.KindBearer, Access: credentials.NewSecret("stand-in-for-a-secret"), Hosts: s.hosts}
	if n, _ := s.networks.Lookup(ref.Network()); n.Kind == network.KindSecret {
		c.Kind, c.Hosts = "", nil
	}
	return c, nil
}

// hostsOf returns the hosts of recorded requests, as credentials have them, and one that is
// nowhere: a credential names at least one.
func hostsOf(exchanges []flowtest.Exchange) []string {
	hosts := []string{"stand-in.invalid"}
	for i := range exchanges {
		u, err := url.Parse(exchanges[i].Request.URL)
		switch {
		case err != nil || u.Host == "":
		case u.Scheme == "http":
			hosts = append(hosts, "http://"+u.Host)
		default:
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// openStage returns an App whose workflows reach nothing real: requests go to web, files are
// those of scratch, and there are neither variables nor secrets. Sub-workflows are those
// whose files lie in dir.
func openStage(ctx context.Context, dir, scratch string, web http.RoundTripper, hosts []string) (*app.App, error) {
	networks := network.Shipped()
	nothing := func(string) (string, bool) { return "", false }
	env, err := nodes.Sandbox(nodes.Policy{
		FilesDir: scratch, Getenv: nothing, Networks: networks, Credentials: &standIn{networks: networks, hosts: hosts},
		Code: program.Child, // it reaches nothing either
	})
	if err != nil {
		return nil, err
	}
	env.HTTP = &http.Client{Transport: web}
	beside, err := filesBeside(ctx, dir)
	if err != nil {
		return nil, err
	}
	return app.New(app.Config{
		Env: env, ExtraPlugins: program.Plugins(env, func(string) string { return "" }, web), Store: beside,
	})
}

// filesBeside returns the workflows whose files lie in dir. What is none is passed over.
func filesBeside(ctx context.Context, dir string) (*store.Memory, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	found := &store.Memory{}
	for _, path := range paths {
		if isTest(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		def, err := decode(path, text)
		if err != nil {
			continue // whoever calls it hears that it is not there
		}
		if _, err := found.Save(ctx, def); err != nil {
			return nil, err
		}
	}
	return found, nil
}

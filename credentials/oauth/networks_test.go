package oauth_test

import "github.com/svcflow/svc/credentials/network"

// networks are those that come with Svc.
func networks() network.Table { return network.Shipped() }

package machine_test

import "github.com/svcflow/svc/credentials/network"

// shippedNetworks are those that accounts can be logged in at.
func shippedNetworks() []string { return network.Shipped().WithLogins() }

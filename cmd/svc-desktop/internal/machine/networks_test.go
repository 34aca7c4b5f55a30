package machine_test

import "github.com/svcflow/svc/credentials/network"

// shippedNetworks are those that accounts can be of.
func shippedNetworks() []string { return network.Shipped().Names() }

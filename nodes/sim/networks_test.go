package sim_test

import "github.com/svcflow/svc/credentials/network"

// networks returns the table that comes with Svc.
func networks() network.Table { return network.Shipped() }

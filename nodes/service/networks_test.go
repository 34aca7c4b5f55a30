package service_test

import networktable "github.com/svcflow/svc/credentials/network"

// networks returns the table that comes with Svc, with one more network for tests.
func networks() networktable.Table {
	t, err := networktable.Shipped().With(networktable.Network{Name: "net", Hosts: []string{"real.example"}})
	if err != nil {
		panic(err)
	}
	return t
}

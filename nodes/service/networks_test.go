package service_test

import networktable "github.com/svcflow/svc/credentials/network"

// networks are those that come with Svc, and the one of the tests.
func networks() networktable.Table {
	t, err := networktable.Shipped().With(networktable.Network{Name: "net", Hosts: []string{"real.example"}})
	if err != nil {
		panic(err)
	}
	return t
}

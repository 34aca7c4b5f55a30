package network_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/network"
)

func TestCheckHost(t *testing.T) {
	for _, host := range []string{
		"api.example.com", "example.com:8443", "*.example.com", "*.example.com:8443", "http://example.com", "http://127.0.0.1:8080", "localhost", "intranet",
		"http://localhost:1", "xn--bcher-kva.example", "a_b.example.com", "[::1]:8080", "http://[::1]:8080", "192.0.2.1",
	} {
		require.NoError(t, network.CheckHost(host), host)
	}
	for _, host := range []string{
		"", "*", "*.com", "**.example.com", "a.*.example.com", "https://example.com", "example.com/", "example.com/path", "Example.com", "bücher.example",
		"user@example.com", "example.com:", "example.com:0", "example.com:99999999", "example..com", ".example.com", "example.com.", " example.com", "ftp://x", "a b",
		"-example.com", "http://", "http://*", "http://*.com", "example.com?x", "example.com#x", "example.com\n",
	} {
		require.Error(t, network.CheckHost(host), host)
	}
}

func TestMayGet(t *testing.T) {
	hosts := []string{"api.example.com", "other.example.com:8443", "*.deep.example", "http://127.0.0.1:8080", "http://plain.example", "[::1]:443", "xn--bcher-kva.example"}
	for _, address := range []string{
		"https://api.example.com/x?y", "https://API.example.com", "https://api.example.com:443/", "https://other.example.com:8443/", "https://a.deep.example",
		"https://a.b.c.deep.example/", "http://127.0.0.1:8080/x", "http://plain.example/", "http://plain.example:80/", "https://[::1]/", "https://bücher.example/", "https://BÜCHER.example/",
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.True(t, network.MayGet(hosts, u), address)
	}
	for _, address := range []string{
		"http://api.example.com/", "https://api.example.com:8443/", "https://example.com/", "https://x.api.example.com/", "https://other.example.com/",
		"https://deep.example/", "https://adeep.example/", "https://.deep.example/", "http://a.deep.example/", "https://127.0.0.1:8080/", "http://127.0.0.1/",
		"https://plain.example/", "https://api.example.com.evil.example/", "https://api.example.com@evil.example/", "https://user@api.example.com/",
		"https://api.example.com./", "https:///x", "ftp://api.example.com/", "https://api.example.com\uff0eevil.example/", "https://api%2eexample%2ecom/",
	} {
		u, err := url.Parse(address)
		if err == nil {
			require.False(t, network.MayGet(hosts, u), address)
		}
	}
	require.False(t, network.MayGet(nil, &url.URL{Scheme: "https", Host: "api.example.com"}))
}

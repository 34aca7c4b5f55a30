package nodes

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/engine/node"
	ionode "github.com/svcflow/svc/nodes/io"
	"github.com/svcflow/svc/nodes/nodetest"
)

// loopbackResolver returns a resolver that resolves every name to this machine, with its
// own DNS server.
func loopbackResolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() { _ = conn.Close(); <-done })
	go func() {
		defer close(done)
		buf := make([]byte, 2048)
		for {
			n, peer, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer, err := loopbackAnswer(buf[:n]); err == nil {
				_, _ = conn.WriteTo(answer, peer)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp4", conn.LocalAddr().String())
	}}
}

// loopbackAnswer answers a query for A or AAAA.
func loopbackAnswer(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return nil, err
	}
	m.Response, m.Additionals = true, nil
	q := m.Questions[0]
	h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	switch q.Type {
	case dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
	case dnsmessage.TypeAAAA:
		m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AAAAResource{AAAA: netip.IPv6Loopback().As16()}}}
	}
	return m.Pack()
}

// countingServer listens on all addresses and counts connections.
func countingServer(t *testing.T) (port int, connections *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	connections = new(atomic.Int64)
	server := &http.Server{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				connections.Add(1)
			}
		},
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return l.Addr().(*net.TCPAddr).Port, connections
}

// startingAt answers requests for the host "start.example" with a redirect, and passes on
// all others.
type startingAt struct {
	next     http.RoundTripper
	location string
}

func (s startingAt) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != "start.example" {
		return s.next.RoundTrip(req)
	}
	return &http.Response{
		StatusCode: http.StatusFound, Header: http.Header{"Location": {s.location}}, Body: http.NoBody, Request: req,
	}, nil
}

func request(t *testing.T, client *http.Client, url string) error {
	t.Helper()
	_, err := nodetest.New(t, ionode.Plugin(ionode.Env{HTTP: client})).Exec("io.http_request", nil, map[string]any{"url": url})
	return err
}

// spellings returns notations of the addresses of this machine, its network, and cloud
// metadata services. Names resolve to loopback.
func spellings() []string {
	return strings.Fields(`
		127.0.0.1 127.1 127.0.1 127.255.255.254 0.0.0.0 0 00 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 0177.0.0.1 017700000001
		127.000.000.001 ①②⑦.⓪.⓪.① 127。0。0。1 １２７.0.0.1
		[::1] [0:0:0:0:0:0:0:1] [0000::0001] [::1%25lo] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1]
		[::127.0.0.1] [::ffff:0:127.0.0.1] [::ffff:0.0.0.0] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe]
		[64:ff9b:1::127.0.0.1] [2002:7f00:1::] [2002:7f00:1::1] [2001:0:7f00:1::1]
		localhost LOCALHOST localhost. localhost.localdomain ip6-localhost loopback.example 127.0.0.1.nip.example xn--80ak6aa92e.example
		public.example@127.0.0.1 public.example:80@[::1] 127.0.0.1%2f.example
		169.254.169.254 [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] 2852039166 0xa9fea9fe 0251.0376.0251.0376 metadata.google.internal
		[fd00:ec2::254] [fd20:ce::254] [fd00:42::42] 100.100.100.200 168.63.129.16 192.0.0.192 169.254.170.2
		10.0.0.1 172.16.0.1 172.31.255.254 192.168.0.1 100.64.0.1 198.18.0.1 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1
		224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
		[fe80::1] [fe80::1%25eth0] [fc00::1] [fd12:3456:789a::1] [fec0::1] [ff02::1] [100::1] [2001:db8::1] [3fff::1] [5f00::1] [4000::1]
	`)
}

func TestSandboxReachesNoSpellingOfAPrivateAddress(t *testing.T) {
	port, connections := countingServer(t)
	resolver := loopbackResolver(t)
	require.Greater(t, len(spellings()), 80)
	for _, spelling := range spellings() {
		url := fmt.Sprintf("http://%s:%d/?token=s3cret", spelling, port)
		for _, way := range []string{"directly", "by redirect"} {
			t.Run(spelling+" "+way, func(t *testing.T) {
				client := newClient(guard{refuse: notPublic()}, resolver)
				defer client.CloseIdleConnections()
				start := url
				if way == "by redirect" {
					client.Transport = startingAt{client.Transport, url}
					start = "http://start.example"
				}
				err := request(t, client, start)
				require.Error(t, err)
				require.Contains(t, []string{node.CodeForbidden, node.CodeInvalidInput, node.CodeUnavailable}, node.CodeOf(err))
				require.NotContains(t, err.Error(), "s3cret")
				if !strings.Contains(spelling, "127") {
					require.NotContains(t, err.Error(), "127.0.0.1", "the address that a name means stays secret")
				}
			})
		}
	}
	require.Zero(t, connections.Load())
}

func TestSandboxReachesWhatIsAllowed(t *testing.T) {
	port, connections := countingServer(t)
	resolver := loopbackResolver(t)
	g := guard{refuse: notPublic(), allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "loopback.example", "localhost"} {
		client := newClient(g, resolver)
		require.NoError(t, request(t, client, fmt.Sprintf("http://%s:%d/", host, port)))
		client.CloseIdleConnections()
	}
	require.EqualValues(t, 4, connections.Load())
}

func TestRefusalIsForbiddenAndTellsTheWayOut(t *testing.T) {
	env, err := Sandbox(Policy{FilesDir: t.TempDir()})
	require.NoError(t, err)
	err = request(t, env.HTTP, "http://10.1.2.3/secret")
	require.Equal(t, node.CodeForbidden, node.CodeOf(err))
	require.True(t, node.IsPermanent(err))
	require.EqualError(t, err, `workflows may not reach the address of host "10.1.2.3" unless the operator allows it with --http-allow`)
}

func TestLocalReachesTheOwnMachineButNoMetadata(t *testing.T) {
	port, connections := countingServer(t)
	env, err := Local(Policy{FilesDir: t.TempDir()})
	require.NoError(t, err)
	defer env.HTTP.CloseIdleConnections()
	require.NoError(t, request(t, env.HTTP, fmt.Sprintf("http://127.0.0.1:%d/", port)))
	require.EqualValues(t, 1, connections.Load())
	for _, host := range []string{"169.254.169.254", "[fe80::1%25lo]", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "[64:ff9b::a9fe:a9fe]"} {
		require.Equal(t, node.CodeForbidden, node.CodeOf(request(t, env.HTTP, "http://"+host+"/")), host)
	}
}

func TestClientUsesNoProxy(t *testing.T) {
	require.Nil(t, newClient(guard{}, nil).Transport.(egress).Proxy)
}

func TestPermits(t *testing.T) {
	tests := []struct {
		addr           string
		sandbox, local bool
	}{
		{"1.1.1.1", true, true},
		{"8.8.8.8", true, true},
		{"9.255.255.255", true, true},
		{"11.0.0.0", true, true},
		{"100.63.255.255", true, true},
		{"100.128.0.0", true, true},
		{"172.15.255.255", true, true},
		{"172.32.0.0", true, true},
		{"192.167.255.255", true, true},
		{"192.169.0.0", true, true},
		{"198.17.255.255", true, true},
		{"198.20.0.0", true, true},
		{"223.255.255.255", true, true},
		{"2606:4700::1111", true, true},
		{"2a00:1450::1", true, true},
		{"::ffff:8.8.8.8", true, true},
		{"64:ff9b::8.8.8.8", true, true},
		{"2001:200::1", true, true},
		{"10.0.0.1", false, true},
		{"127.0.0.1", false, true},
		{"192.168.1.1", false, true},
		{"100.64.0.1", false, true},
		{"::1", false, true},
		{"fd12::1", false, true},
		{"64:ff9b::10.0.0.1", false, true},
		{"2001:db8::1", false, true},
		{"169.254.0.1", false, false},
		{"::ffff:169.254.169.254", false, false},
		{"64:ff9b::169.254.169.254", false, false},
		{"100.100.100.200", false, false},
		{"168.63.129.16", false, false},
		{"192.0.0.192", false, false},
		{"fe80::1", false, false},
		{"fe80::1%eth0", false, false},
		{"fd00:ec2::254", false, false},
		{"2002:a9fe:a9fe::", false, false},
		{"2001:0:a9fe:a9fe::", false, false},
		{"::ffff:0:169.254.169.254", false, false},
	}
	sandbox, local := guard{refuse: notPublic()}, guard{refuse: neverLocal()}
	for _, tt := range tests {
		a := netip.MustParseAddr(tt.addr)
		require.Equal(t, tt.sandbox, sandbox.permits(a), "sandbox %s", tt.addr)
		require.Equal(t, tt.local, local.permits(a), "local %s", tt.addr)
	}
	opened := guard{refuse: notPublic(), allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12::/64")}}
	require.True(t, opened.permits(netip.MustParseAddr("10.1.2.3")))
	require.True(t, opened.permits(netip.MustParseAddr("64:ff9b::10.1.2.3")))
	require.True(t, opened.permits(netip.MustParseAddr("fd12::9%eth0")))
	require.False(t, opened.permits(netip.MustParseAddr("10.2.0.1")))
}

// TestFanOutsKeepTheirConnections sends more requests to one host than one run may send at
// once, and repeats this.
func TestFanOutsKeepTheirConnections(t *testing.T) {
	const callers = 1100
	var connections atomic.Int64
	var together sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		together.Done()
		together.Wait()
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := newClient(guard{}, nil)
	defer client.CloseIdleConnections()
	for range 2 {
		together.Add(callers)
		var asking errgroup.Group
		for range callers {
			asking.Go(func() error {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
				if err != nil {
					return err
				}
				answer, err := client.Do(req)
				if err != nil {
					return err
				}
				return answer.Body.Close()
			})
		}
		require.NoError(t, asking.Wait())
		require.EqualValues(t, callers, connections.Load())
	}
}

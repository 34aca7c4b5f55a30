package serving

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/program"
)

// protocol answers with the protocol of the request.
func protocol(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }

// serveFlags serves protocol as the flags say, and returns its address.
func serveFlags(t *testing.T, f Listen, log *slog.Logger) string {
	t.Helper()
	f.Addr = "127.0.0.1:0"
	door, err := f.open(log)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	s := closer{http.HandlerFunc(protocol), func(context.Context) error { return nil }}
	go func() { stopped <- serve(ctx, door, s, time.Second, log) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-stopped)
	})
	return door.url()
}

// makeCertificate writes a certificate of 127.0.0.1 with its key.
func makeCertificate(t *testing.T, dir, name string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for file, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		// Replaced as at a renewal; the key may come a moment later.
		temp := filepath.Join(dir, file+".new")
		require.NoError(t, os.WriteFile(temp, pem.EncodeToMemory(block), 0o600))
		require.NoError(t, os.Rename(temp, filepath.Join(dir, file)))
	}
}

// greeted connects anew and returns the name in the certificate, and the protocol.
func greeted(t *testing.T, url string) (name, proto string) {
	t.Helper()
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.TLS.PeerCertificates[0].DNSNames[0], string(text)
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	makeCertificate(t, dir, "first")
	var log bytes.Buffer
	url := serveFlags(t, Listen{TLSCert: filepath.Join(dir, "cert.pem"), TLSKey: filepath.Join(dir, "key.pem")}, slog.New(slog.NewTextHandler(&log, nil)))
	name, proto := greeted(t, url)
	require.Equal(t, "first", name)
	require.Equal(t, "HTTP/2.0", proto)

	makeCertificate(t, dir, "second")
	name, _ = greeted(t, url)
	require.Equal(t, "second", name, "without a restart")
	require.Contains(t, log.String(), "the certificate is renewed")

	// A certificate that cannot be used is logged once, and the old one stays.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "key.pem"), []byte("half"), 0o600))
	for range 3 {
		name, _ = greeted(t, url)
		require.Equal(t, "second", name)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "key.pem")))
	for range 3 {
		name, _ = greeted(t, url)
		require.Equal(t, "second", name)
	}
	require.Equal(t, 2, bytes.Count(log.Bytes(), []byte("cannot be renewed")), log.String())
	makeCertificate(t, dir, "third")
	name, _ = greeted(t, url)
	require.Equal(t, "third", name)

	_, err := tls.Dial("tcp", url[len("https://"):], &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	require.ErrorContains(t, err, "protocol version")
}

func TestTLSNeedsFilesThatFit(t *testing.T) {
	dir := t.TempDir()
	makeCertificate(t, dir, "one")
	require.NoError(t, os.Rename(filepath.Join(dir, "key.pem"), filepath.Join(dir, "other.pem")))
	makeCertificate(t, dir, "two")
	f := Listen{Addr: "127.0.0.1:0", TLSCert: filepath.Join(dir, "cert.pem"), TLSKey: filepath.Join(dir, "other.pem")}
	_, err := f.open(slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "other.pem cannot be used")
	require.ErrorAs(t, err, new(program.UsageError))
}

func TestH2C(t *testing.T) {
	for with, want := range map[bool]string{true: "HTTP/2.0", false: "malformed HTTP response"} {
		url := serveFlags(t, Listen{H2C: with}, slog.New(slog.DiscardHandler))
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetUnencryptedHTTP2(true)
		answer, err := (&http.Client{Transport: transport}).Get(url)
		if !with {
			require.Error(t, err, want)
			continue
		}
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, want, string(text))
		transport.CloseIdleConnections()
		plain, err := http.Get(url)
		require.NoError(t, err)
		require.NoError(t, plain.Body.Close())
		require.Equal(t, "HTTP/1.1", plain.Proto, "others come as before")
	}
}

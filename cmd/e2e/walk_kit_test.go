//go:build e2e && linux

package e2e_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// machine is a computer with nothing of Svc on it: a home, and what it runs there.
type machine struct {
	t    *testing.T
	home string
	env  []string // in addition to the usual environment
}

// newMachine returns one with svc on its PATH.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, home: t.TempDir()}
	bin := filepath.Join(m.home, "bin")
	require.NoError(t, os.Mkdir(bin, 0o700))
	program, err := os.ReadFile(program(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "svc"), program, 0o700)) //nolint:gosec // it is run
	m.env = []string{"HOME=" + m.home, "PATH=" + bin + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color"}
	return m
}

// run runs a line of a shell and returns what it prints.
func (m *machine) run(line string) string {
	m.t.Helper()
	out, err := m.try(line, "")
	require.NoError(m.t, err, "%s\n%s", line, out)
	return out
}

// try runs a line that may fail.
func (m *machine) try(line, input string) (string, error) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stdin = m.home, m.env, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// escapesOfTerminals are what colours a line, and what moves in it.
const escapesOfTerminals = "\x1b\\[[0-9;?]*[A-Za-z]|\r"

// terminal runs a line in a terminal, types what it asks for, and returns what stands on
// the screen.
func (m *machine) terminal(line, typed string) string {
	m.t.Helper()
	var screen bytes.Buffer
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "script", "--quiet", "--return", "--echo", "never", "--command", "stty cols 100 rows 40; "+line, "/dev/null")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = m.home, m.env, &screen, &screen
	keys, err := cmd.StdinPipe()
	require.NoError(m.t, err)
	require.NoError(m.t, cmd.Start())
	_, err = io.WriteString(keys, typed)
	require.NoError(m.t, err)
	err = cmd.Wait()
	require.NoError(m.t, err, "%s\n%s", line, screen.String())
	return regexp.MustCompile(escapesOfTerminals).ReplaceAllString(screen.String(), "")
}

// write puts a file into the home.
func (m *machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.home, name)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(m.t, os.WriteFile(path, []byte(text), 0o600))
}

// certify makes a certificate authority that every program of the machine trusts, and a
// certificate of it for 127.0.0.1 in dir. It returns the fingerprint of its key.
func (m *machine) certify(dir string) (pin string) {
	m.t.Helper()
	make := func(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(m.t, err)
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
		if parent == nil {
			parent, signer = template, key
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		require.NoError(m.t, err)
		made, err := x509.ParseCertificate(der)
		require.NoError(m.t, err)
		return made, key
	}
	authority, signer := make(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Of a test"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
	leaf, key := make(&x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, signer)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(m.t, err)
	for name, block := range map[string]*pem.Block{
		"ca.pem": {Type: "CERTIFICATE", Bytes: authority.Raw}, "fullchain.pem": {Type: "CERTIFICATE", Bytes: leaf.Raw}, "privkey.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		require.NoError(m.t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	ca := filepath.Join(dir, "ca.pem")
	m.env = append(m.env, "SSL_CERT_FILE="+ca, "NODE_EXTRA_CA_CERTS="+ca, "CURL_CA_BUNDLE="+ca)
	digest := sha256.Sum256(leaf.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(digest[:])
}

// browse opens a tab that trusts the key of the machine's certificate.
func (m *machine) browse(pin string, width, height int64) *browser {
	m.t.Helper()
	return browse(m.t, width, height, chromedp.Flag("ignore-certificate-errors-spki-list", pin), chromedp.UserDataDir(m.t.TempDir()))
}

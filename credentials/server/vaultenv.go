package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openbao/openbao/api/v2"

	"github.com/svcflow/svc/credentials"
)

const (
	vaultPathVariable = "SVC_VAULT_PATH"
	defaultVaultPath  = "secret/svc"

	// A node has 30 s in total, and waits for its token first.
	vaultTimeout    = 5 * time.Second // of a request, including retries
	vaultRetries    = 1               // after a failed connection or a server error
	vaultRetryAfter = 100 * time.Millisecond
	vaultRetryAtMax = 500 * time.Millisecond
)

// vaultEnv reads the settings of a vault: BAO_ADDR, or else VAULT_ADDR, and so on, as the
// programs of both vaults do.
type vaultEnv func(name string) (string, bool)

func (env vaultEnv) get(name string) string {
	if v, ok := env(api.OpenBaoEnvPrefix + name); ok {
		return v
	}
	v, _ := env(api.UpstreamEnvPrefix + name)
	return v
}

// vault returns the source that the environment configures, or nil.
func (env vaultEnv) vault(log *slog.Logger) (*Vault, error) {
	path, wanted := env(vaultPathVariable)
	if path == "" {
		path, wanted = defaultVaultPath, false
	}
	login, err := env.login()
	switch {
	case err != nil:
		return nil, err
	case env.get("ADDR") != "" && login != nil:
		client, err := env.client()
		if err != nil {
			return nil, fmt.Errorf("vault: %w", err)
		}
		return NewVault(client, path, login, log), nil
	case wanted:
		return nil, fmt.Errorf("%s is set, but the vault's address or the login is not; set VAULT_ADDR and VAULT_TOKEN or VAULT_ROLE_ID, or unset it", vaultPathVariable)
	case env.get("ADDR") != "": // it may be set for other programs
		log.Warn("no vault is used: VAULT_ADDR is set, but neither VAULT_TOKEN nor VAULT_ROLE_ID")
	}
	return nil, nil
}

// login returns the login method, or nil if none is configured.
func (env vaultEnv) login() (api.AuthMethod, error) {
	role := env.get("ROLE_ID")
	token, tokenErr := env.secret("TOKEN")
	secretID, secretErr := env.secret("SECRET_ID")
	if err := errors.Join(tokenErr, secretErr); err != nil {
		return nil, err
	}
	switch {
	case role != "" && token != nil:
		return nil, errors.New("VAULT_TOKEN and VAULT_ROLE_ID are both set; unset one")
	case role != "" && secretID == nil:
		return nil, errors.New("VAULT_ROLE_ID is set, but neither VAULT_SECRET_ID nor VAULT_SECRET_ID_FILE")
	case role != "":
		mount := env.get("APPROLE_PATH")
		if mount == "" {
			mount = "approle"
		}
		return AppRole(mount, role, secretID), nil
	case token != nil:
		return Token(token), nil
	}
	return nil, nil
}

// fileSuffix is the suffix of variables with the name of a file that contains the secret.
const fileSuffix = "_FILE"

// secret returns a function that reads the secret from a variable, or from the file that
// the variable with the suffix _FILE names; nil if neither is set.
func (env vaultEnv) secret(name string) (SecretFunc, error) {
	text, path := env.get(name), env.get(name+fileSuffix)
	switch {
	case text != "" && path != "":
		return nil, fmt.Errorf("VAULT_%s and VAULT_%s are both set; unset one", name, name+fileSuffix)
	case text != "":
		return func() (credentials.Secret, error) { return credentials.NewSecret(text), nil }, nil
	case path == "":
		return nil, nil
	}
	return func() (credentials.Secret, error) {
		text, err := readSecretFile(path)
		text = strings.TrimSpace(text)
		if err == nil && text == "" {
			err = errors.New("it is empty")
		}
		if err != nil {
			return credentials.Secret{}, fmt.Errorf("%w: the file that VAULT_%s names: %w", credentials.ErrUnavailable, name+fileSuffix, err)
		}
		return credentials.NewSecret(text), nil
	}, nil
}

// client returns a client with the settings. The library would read them from the process's
// environment instead of env.
func (env vaultEnv) client() (*api.Client, error) {
	config := api.NewConfig()
	config.Address = env.get("ADDR")
	config.MinRetryWait, config.MaxRetryWait = vaultRetryAfter, vaultRetryAtMax
	var err error
	if config.Timeout, err = env.duration("CLIENT_TIMEOUT", vaultTimeout); err != nil {
		return nil, err
	}
	if config.MaxRetries, err = env.number("MAX_RETRIES", vaultRetries); err != nil {
		return nil, err
	}
	if err := errors.Join(config.Error, env.proxy(config), env.tls(config)); err != nil {
		return nil, err
	}
	client, err := api.NewClient(config)
	if err != nil {
		return nil, errors.New("VAULT_ADDR is no address; it is like https://vault.example.com:8200")
	}
	if namespace := env.get("NAMESPACE"); namespace != "" {
		client.SetNamespace(namespace)
	}
	return client, nil
}

func (env vaultEnv) tls(config *api.Config) error {
	insecure := false
	if text := env.get("SKIP_VERIFY"); text != "" {
		var err error
		if insecure, err = strconv.ParseBool(text); err != nil {
			return errors.New("VAULT_SKIP_VERIFY is neither true nor false")
		}
	}
	return config.ConfigureTLS(&api.TLSConfig{
		CACert: env.get("CACERT"), CACertBytes: []byte(env.get("CACERT_BYTES")), CAPath: env.get("CAPATH"),
		ClientCert: env.get("CLIENT_CERT"), ClientKey: env.get("CLIENT_KEY"),
		TLSServerName: env.get("TLS_SERVER_NAME"), Insecure: insecure,
	})
}

func (env vaultEnv) proxy(config *api.Config) error {
	address := env.get("PROXY_ADDR")
	transport, ok := config.HttpClient.Transport.(*http.Transport)
	if address == "" || !ok {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("VAULT_PROXY_ADDR is no URL")
	}
	transport.Proxy = http.ProxyURL(u)
	return nil
}

// duration parses a duration such as "10s", or a number of seconds.
func (env vaultEnv) duration(name string, otherwise time.Duration) (time.Duration, error) {
	text := env.get(name)
	if text == "" {
		return otherwise, nil
	}
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("VAULT_%s is no time such as 10s", name)
	}
	return d, nil
}

func (env vaultEnv) number(name string, otherwise int) (int, error) {
	text := env.get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("VAULT_%s is no number", name)
	}
	return n, nil
}

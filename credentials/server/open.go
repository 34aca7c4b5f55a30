package server

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

const (
	fileVariable = "SVC_CREDENTIALS_FILE"
	// defaultFile is where the environment file is, in the data directory.
	defaultFile = "credentials.env"
)

// Config says where [Open] looks. The zero Config is the process's environment
// and the working directory, without networks: only the vault holds anything then.
type Config struct {
	// DataDir holds the environment file, credentials.env, unless the variable
	// SVC_CREDENTIALS_FILE names another one.
	DataDir string
	// Networks are those that credentials may be of.
	Networks network.Table
	// Getenv looks up environment variables; nil means os.LookupEnv.
	Getenv func(name string) (value string, found bool)
	// Environ lists them as NAME=value; nil means os.Environ.
	Environ func() []string
	// Log takes what operators should know of a vault that fails; nil discards it.
	Log *slog.Logger
}

// Open returns the provider of a server: its environment, then its environment
// file, then the vault that the environment names, if it names one.
//
// It fails if the file cannot be used as it is, or settings of the vault make no
// sense. It does not talk to the vault.
func Open(c Config) (*Provider, error) {
	if c.Getenv == nil {
		c.Getenv = os.LookupEnv
	}
	if c.Environ == nil {
		c.Environ = os.Environ
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	file, err := c.file()
	if err != nil {
		return nil, err
	}
	sources := []credentials.Provider{&Environment{Networks: c.Networks, Lookup: c.Getenv, Environ: c.Environ}, file}
	vault, err := vaultEnv(c.Getenv).vault(c.Log)
	if err != nil {
		return nil, err
	}
	if vault != nil {
		sources = append(sources, vault)
	}
	return New(sources...), nil
}

func (c Config) file() (*File, error) {
	path, _ := c.Getenv(fileVariable)
	if path == "" {
		path = filepath.Join(c.DataDir, defaultFile)
	}
	path, err := filepath.Abs(path) // so that a later change of the working directory moves nothing
	if err != nil {
		return nil, fmt.Errorf("credentials file: %w", err)
	}
	file := NewFile(path, c.Networks)
	if _, err := file.load(); err != nil {
		return nil, fmt.Errorf("credentials file %s: %w", path, err)
	}
	return file, nil
}

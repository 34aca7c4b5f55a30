package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/zalando/go-keyring"

	"github.com/svcflow/svc/credentials/internal/disk"
)

// fileRing is a file that several processes use as their keyring.
type fileRing string

// Get implements the driver's keyring.
func (f fileRing) Get(service, user string) (secret string, err error) {
	err = f.change(func(held map[string]string) error {
		var ok bool
		if secret, ok = held[service+" "+user]; !ok {
			return keyring.ErrNotFound
		}
		return nil
	})
	return secret, err
}

// Set implements the driver's keyring.
func (f fileRing) Set(service, user, secret string) error {
	return f.change(func(held map[string]string) error {
		held[service+" "+user] = secret
		return nil
	})
}

// Delete implements the driver's keyring.
func (f fileRing) Delete(service, user string) error {
	return f.change(func(held map[string]string) error {
		if _, ok := held[service+" "+user]; !ok {
			return keyring.ErrNotFound
		}
		delete(held, service+" "+user)
		return nil
	})
}

func (f fileRing) change(with func(held map[string]string) error) error {
	unlock, err := disk.Lock(context.Background(), string(f)+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	held := map[string]string{}
	text, err := os.ReadFile(string(f))
	if err == nil {
		err = json.Unmarshal(text, &held)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := with(held); err != nil {
		return err
	}
	text, err = json.Marshal(held)
	if err != nil {
		return err
	}
	return disk.Replace(string(f), text)
}

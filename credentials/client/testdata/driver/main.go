// Command driver does what a desktop does with credentials, for tests and for
// trying it by hand:
//
//	driver status
//	driver list
//	driver login  pronet:main      with a browser, as set up by PRONET_CLIENT_ID and so on
//	driver put    pronet:main      an expired credential: access and refresh token on standard input
//	driver expire pronet:main      makes what there is look expired
//	driver get    pronet:main 10   valid ones, in ten goroutines at once
//	driver renew  pronet:main      as after an answer 401
//	driver logout pronet:main
//
// It prints fingerprints of tokens, never tokens. DRIVER_DIR is its folder.
// DRIVER_KEYRING names a file that stands for the keyring; without it, that of the
// operating system is used.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", oauth.Code(err), err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	options := client.Options{Dir: os.Getenv("DRIVER_DIR"), Service: "com.example.svc-driver"}
	if file := os.Getenv("DRIVER_KEYRING"); file != "" {
		options.Keyring = fileRing(file)
	}
	provider := client.Open(ctx, options)
	clients := oauth.NewClients(network.Shipped(), os.Getenv, nil)
	refresher := oauth.NewRefresher(provider, clients, slog.Default())
	defer refresher.Wait()
	args = append(args, "", "", "")
	ref := credentials.Ref(args[1])
	switch args[0] {
	case "status":
		fmt.Println(provider.Status().Storage, provider.Status())
		return nil
	case "list":
		return list(ctx, provider)
	case "login":
		return provider.Login(ctx, ref, clients, oauth.Loopback{
			Open:    oauth.SystemBrowser(os.Stderr),
			ShowURL: func(address string) { fmt.Fprintln(os.Stderr, "open", address) },
		})
	case "put":
		return put(ctx, provider, ref)
	case "expire":
		c, err := provider.Credential(ctx, ref)
		if err != nil {
			return err
		}
		c.ExpiresAt = time.Now().Add(-time.Minute)
		return provider.SetCredential(ctx, ref, c)
	case "get":
		return get(ctx, refresher, ref, args[2])
	case "renew":
		return renew(ctx, refresher, ref)
	case "logout":
		return refresher.Logout(ctx, ref)
	}
	return errors.New("see the top of main.go")
}

func list(ctx context.Context, provider credentials.Provider) error {
	infos, err := provider.List(ctx)
	for _, info := range infos {
		fmt.Println(info.Ref, info.Source, info.Scopes)
	}
	return err
}

func put(ctx context.Context, provider credentials.Provider, ref credentials.Ref) error {
	var access, refresh string
	if _, err := fmt.Scan(&access, &refresh); err != nil {
		return err
	}
	return provider.SetCredential(ctx, ref, credentials.Credential{
		Access: credentials.NewSecret(access), Refresh: credentials.NewSecret(refresh), ExpiresAt: time.Now().Add(-time.Minute),
	})
}

func get(ctx context.Context, refresher *oauth.Refresher, ref credentials.Ref, times string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		n = 1
	}
	got := make([]string, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			c, err := refresher.Credential(ctx, ref)
			got[i], errs[i] = fingerprint(c), err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, print := range got {
		fmt.Println(print)
	}
	return nil
}

func renew(ctx context.Context, refresher *oauth.Refresher, ref credentials.Ref) error {
	old, err := refresher.Credential(ctx, ref)
	if err != nil {
		return err
	}
	c, err := refresher.Refresh(ctx, ref, old.Access)
	fmt.Println(fingerprint(c))
	return err
}

func fingerprint(c credentials.Credential) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(c.Access.Reveal())))[:16]
}

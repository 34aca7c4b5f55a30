package client_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
)

// Example shows how a desktop program uses accounts.
func Example() {
	ctx := context.Background()
	config, err := os.UserConfigDir()
	if err != nil {
		fmt.Println(err)
		return
	}
	provider := client.Open(ctx, client.Options{Dir: filepath.Join(config, "svc", "accounts"), Service: "com.example.svc"})
	fmt.Println(provider.Status()) // for the user to see

	clients := oauth.NewClients(network.Shipped(), os.Getenv, nil)
	accounts := oauth.NewRefresher(provider, clients, slog.Default()) // what nodes get
	defer accounts.Wait()

	err = provider.Login(ctx, "pronet:main", clients, oauth.Loopback{
		Open:    oauth.SystemBrowser(os.Stderr),
		ShowURL: func(address string) { fmt.Fprintln(os.Stderr, "If no browser comes up, open", address) },
	})
	if err != nil {
		fmt.Println(oauth.Code(err), err)
	}
	if err := accounts.Logout(ctx, "pronet:main"); err != nil {
		fmt.Println(oauth.Code(err), err)
	}
}

package servers

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
)

// patience is how long a server may take to answer.
const patience = time.Minute

// answers waits until the server at an address serves the namespace.
func answers(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: address})
	if err != nil {
		return fmt.Errorf("reach Temporal's server: %w", err)
	}
	defer namespaces.Close()
	for {
		_, err := namespaces.Describe(ctx, Namespace)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("Temporal's server does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

package credentials_test

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/credentials"
)

// A workflow holds a reference; the program that runs it has a provider with the secret.
func Example() {
	ctx := context.Background()
	var provider credentials.Provider = &credentials.Memory{}
	ref, err := credentials.ParseRef("pronet:main")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = provider.SetCredential(ctx, ref, credentials.Credential{Access: credentials.NewSecret("correct-horse")})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := provider.Credential(ctx, ref)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v %s %+v\n", c.Access, c.Access, c.Access) // printing is safe
	fmt.Println(c.Access.Reveal())                          // for the request
	// Output:
	// [redacted] [redacted] [redacted]
	// correct-horse
}

package credentialstest_test

import (
	"testing"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
)

func TestMemory(t *testing.T) {
	credentialstest.Run(t, func(_ *testing.T, held credentialstest.Holding) credentials.Provider {
		return credentialstest.NewMemory(held)
	}, credentialstest.Options{})
}

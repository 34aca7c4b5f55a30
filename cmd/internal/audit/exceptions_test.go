package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A module without a licence is refused, unless there is an exception for exactly this version.
func TestExceptionsAreForOneVersion(t *testing.T) {
	for _, e := range exceptions() {
		require.NotEmpty(t, e.why)
		licence, err := licenceOf(e.module, e.version, t.TempDir())
		require.NoError(t, err)
		require.Equal(t, unstated, licence)
		_, err = licenceOf(e.module, e.version+"1", t.TempDir())
		require.ErrorContains(t, err, "not a permitted one")
		require.Contains(t, exceptionsPage(map[string]string{e.module: e.version}), e.why)
	}
	require.Empty(t, exceptionsPage(nil))
}

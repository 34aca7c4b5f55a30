package ionode

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The example in the tests of the Standard Webhooks libraries.
func TestSignStandard(t *testing.T) {
	got, err := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	require.NoError(t, err)
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", got)
	_, err = sign("whsec_s3cret!", "msg", "1", nil)
	require.ErrorContains(t, err, "base64")
	require.NotContains(t, err.Error(), "s3cret")
}

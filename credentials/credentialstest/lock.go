package credentialstest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
)

func testLock(t *testing.T, p credentials.Provider) {
	locker := p.(credentials.Locker)
	unlock, err := locker.Lock(t.Context(), full)
	require.NoError(t, err)

	c, err := p.Credential(t.Context(), full)
	require.NoError(t, err, "reading does not wait for the lock")
	require.NoError(t, p.SetCredential(t.Context(), full, c), "nor does writing")
	other, err := locker.Lock(t.Context(), bare)
	require.NoError(t, err, "nor another reference")
	other()

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = locker.Lock(ctx, full)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	unlock()
	unlock, err = locker.Lock(t.Context(), full)
	require.NoError(t, err)
	unlock()

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = locker.Lock(ctx, full)
	require.ErrorIs(t, err, context.Canceled)
}

func testLockExcludes(t *testing.T, p credentials.Provider) {
	var wg sync.WaitGroup
	inside := make(chan struct{}, 1)
	for range 8 {
		wg.Go(func() {
			unlock, err := p.(credentials.Locker).Lock(t.Context(), full)
			if !assert.NoError(t, err) {
				return
			}
			defer unlock()
			select {
			case inside <- struct{}{}:
				_, err = p.Credential(t.Context(), full) // gives the others time
				assert.NoError(t, err)
				<-inside
			default:
				assert.Fail(t, "two hold the lock")
			}
		})
	}
	wg.Wait()
}

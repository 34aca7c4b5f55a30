package postgres_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/svcflow/svc/store"
)

// state returns a function that opens the state of a database. All stores share connections. These
// are made in advance, because tests with fake time cannot open any.
func (s server) state(t *testing.T) func() store.StateStore {
	t.Helper()
	const connections = 8
	opened := s.open(t, strings.Replace(s.migrated(t), "?", "?pool_max_conns=8&", 1))
	var all, wg sync.WaitGroup
	all.Add(connections)
	for n := range connections {
		wg.Go(func() {
			_, err := opened.State().ChangeState(t.Context(), store.StateKey{Key: fmt.Sprint("none ", n)}, func(now store.StateValue) (store.StateValue, error) {
				all.Done()
				all.Wait()
				return now, nil
			})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	return func() store.StateStore { return opened.State() }
}

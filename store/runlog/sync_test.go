package runlog

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
)

// TestFailedFinish checks that runs whose final sync failed are still unfinished, whatever a power
// loss destroys, and can be ended again, together or alone.
func TestFailedFinish(t *testing.T) {
	for _, fails := range []int{1, 3} {
		d := vfstest.NewPower()
		s, err := openRuns(t.TempDir(), Options{segment: 24 << 10}, d)
		require.NoError(t, err)
		promises := map[int]*promise{}
		var lasts []store.Last
		for n := range 4 {
			j, err := s.Create(t.Context(), run.Start{RunID: powerID(n), Definition: &workflow.Definition{ID: "w", Name: fmt.Sprint(1)}, Inputs: map[string]any{"a": "b c"}})
			require.NoError(t, err)
			frames := powerFrames(n)
			for _, f := range frames[:3] {
				require.NoError(t, j.Append(f))
			}
			promises[n] = &promise{created: true, written: 4}
			lasts = append(lasts, store.Last{RunID: powerID(n), Frame: frames[3]})
			j.(*journal).abandon() // as if another process had left it
		}
		found := t.TempDir()
		d.Still(func() { d.Fails = fails })
		for _, err := range s.Finish(t.Context(), lasts) {
			require.ErrorIs(t, err, syscall.EIO)
		}
		d.Still(func() { d.Outage(t, found, func(n int) int { return n - 1 }) }) // everything that was written survives
		checkOutage(t, found, promises)
		for refused := 0; ; refused++ { // until the disk works again
			require.Less(t, refused, 10)
			if s.Finish(t.Context(), lasts[1:]) == nil {
				break
			}
		}
		j, err := s.Reopen(t.Context(), lasts[0].RunID)
		require.NoError(t, err)
		require.NoError(t, j.Append(lasts[0].Frame))
		for _, p := range promises {
			p.ended = true
		}
		d.Still(func() { d.Outage(t, found, func(int) int { return 0 }) }) // only synced data survives
		checkOutage(t, found, promises)
		require.NoError(t, s.Close())
	}
}

// TestFailedSync makes syncs fail, once or several times. The operating system then forgets the
// unwritten data, and a later sync reports success. Everything that is acknowledged afterwards must
// be on the disk, with all lines before it, whether the next operation writes, waits or fills a
// segment.
func TestFailedSync(t *testing.T) {
	for _, fails := range []int{1, 2, 5} {
		for _, segment := range []int64{24 << 10, 9 << 10} {
			d := vfstest.NewPower()
			s, err := openRuns(t.TempDir(), Options{segment: segment}, d)
			require.NoError(t, err)
			promises := map[int]*promise{0: {}, 1: {}, 2: {}}
			create := func(n int) (store.Journal, error) {
				return s.Create(t.Context(), run.Start{RunID: powerID(n), Definition: &workflow.Definition{ID: "w", Name: fmt.Sprint(1)}, Inputs: map[string]any{"a": "b c"}})
			}
			j, err := create(0)
			require.NoError(t, err)
			promises[0].created = true
			append0 := func() error {
				f := powerFrames(0)[promises[0].written]
				err := j.Append(f)
				if err == nil {
					promises[0].written++
				}
				return err
			}
			require.NoError(t, append0())
			d.Still(func() { d.Fails = fails })
			_, err = create(1)
			require.ErrorIs(t, err, syscall.EIO)
			for refused := 1; ; refused++ { // until the disk works again
				if _, err = create(2); err == nil {
					break
				}
				require.ErrorIs(t, err, syscall.EIO)
				require.Less(t, refused, 10)
			}
			promises[2].created = true
			for range 3 {
				require.NoError(t, append0())
			}
			promises[0].ended = true
			found := t.TempDir()
			d.Still(func() { d.Outage(t, found, func(int) int { return 0 }) }) // only synced data survives
			checkOutage(t, found, promises)
			require.NoError(t, s.Close())
		}
	}
}

package job_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLateResultsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(t)
		r := v.jobs()
		begun, applied := 0, 0
		one := func(context.Context) func() {
			begun++
			return func() { applied++ }
		}
		v.do(func() {
			r.Go(one)
			synctest.Wait() // it is done, and its outcome waits for the window
			r.Close()
			r.Go(one)
		})
		r.Wait()
		v.do(func() {})
		require.Equal(t, 1, begun)
		require.Zero(t, applied)
	})
}

func TestARunnerEndsAndWaitsForItsChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(t)
		r := v.jobs()
		ended := 0
		wait := func(ctx context.Context) func() {
			<-ctx.Done()
			ended++
			return nil
		}
		child := r.Child()
		child.Child().Go(wait)
		child.Close()
		r.Wait()
		require.Equal(t, 1, ended, "the children of what is closed are closed too")
		other := r.Child()
		other.Go(wait)
		r.Close()
		other.Wait()
		require.Equal(t, 2, ended)
		child.Go(wait)
		r.Wait()
		require.Equal(t, 2, ended, "nothing begins after the end")
	})
}

func TestEveryFollowsTheClockUntilItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(t)
		r := v.jobs()
		ticks := 0
		stop := r.Every(time.Second, func() { ticks++ })
		time.Sleep(3500 * time.Millisecond) //nolint:forbidigo // of the bubble
		v.do(stop)
		time.Sleep(time.Minute) //nolint:forbidigo // of the bubble
		r.Wait()
		v.do(func() { require.Equal(t, 3, ticks) })
	})
}

func TestNewsComeInOrderAndNotAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(t)
		r := v.jobs()
		var news []int
		r.Follow(func(ctx context.Context, tell func(func())) {
			for n := range 3 {
				tell(func() { news = append(news, n) })
			}
			<-ctx.Done()
			tell(func() { news = append(news, 4) })
		})
		synctest.Wait()
		v.do(func() {
			require.Equal(t, []int{0, 1, 2}, news)
			r.Close()
		})
		r.Wait()
		v.do(func() { require.Len(t, news, 3) })
	})
}

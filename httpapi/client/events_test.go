package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/httpapi/client"
)

// script answers the connections of a stream in order, and records from which event each continues.
type script struct {
	answers []func(*http.Request) (*http.Response, error)
	asked   []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r.Header.Get("Last-Event-ID"))
	if len(s.answers) == 0 {
		return nil, errors.New("connection refused")
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer(r)
}

// sends answers with a stream and then breaks the connection.
func sends(text string) func(*http.Request) (*http.Response, error) {
	return answers(http.StatusOK, io.MultiReader(strings.NewReader(text), failing{}))
}

func answers(status int, body io.Reader) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(body)}, nil
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// silent sends nothing until the request is cancelled.
func silent(r *http.Request) (*http.Response, error) {
	body, end := io.Pipe()
	context.AfterFunc(r.Context(), func() { end.CloseWithError(r.Context().Err()) })
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body}, nil
}

func frame(seq int, name engine.EventName) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: {\"seq\":%d,\"runId\":\"r\"}\n\n", seq, name, seq)
}

const (
	node = engine.EventNode
	done = engine.EventCompleted
)

// follow reads a scripted stream to its end.
func follow(t *testing.T, s *script, after int) (seen []int, err error) {
	c, e := client.New(client.Config{URL: "http://svc.test/flow/", APIKey: "k", Transport: s})
	require.NoError(t, e)
	for e, failure := range c.Events(t.Context(), "r", after) {
		if failure != nil {
			return seen, failure
		}
		seen = append(seen, e.Seq)
	}
	return seen, nil
}

func TestEventsGoOnWhereTheStreamWasCut(t *testing.T) {
	for name, s := range map[string]*script{
		"between events":  {answers: cuts(frame(1, node)+frame(2, node), frame(3, done))},
		"inside an event": {answers: cuts(frame(1, node)+frame(2, node)+"id: 3\nevent: completed\ndata: {\"se", frame(3, done))},
		"inside the name": {answers: cuts(frame(1, node)+frame(2, node)+"id: 3\nev", frame(3, done))},
		"with a comment":  {answers: cuts(":\n\n"+frame(1, node)+frame(2, node)+":\n\n", ":\n\n"+frame(3, done))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				seen, err := follow(t, s, 0)
				require.NoError(t, err)
				require.Equal(t, []int{1, 2, 3}, seen)
				require.Equal(t, []string{"", "2"}, s.asked)
			})
		})
	}
}

func cuts(texts ...string) (list []func(*http.Request) (*http.Response, error)) {
	for _, text := range texts {
		list = append(list, sends(text))
	}
	return list
}

func TestEventsAskTwiceWhatTheyHaveNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: append(cuts(frame(5, node)+frame(7, done)), // event 6 is missing
			answers(http.StatusServiceUnavailable, strings.NewReader(`{"code":"stopping"}`)),
			silent,
			sends(frame(6, node)+frame(7, done)))}
		began := time.Now()
		seen, err := follow(t, s, 4)
		require.NoError(t, err)
		require.Equal(t, []int{5, 6, 7}, seen)
		require.Equal(t, []string{"4", "5", "5", "5"}, s.asked)
		require.Greater(t, time.Since(began), 45*time.Second, "a silent stream is given up after that")
	})
}

func TestEventsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen, err := follow(t, &script{answers: []func(*http.Request) (*http.Response, error){answers(http.StatusNoContent, strings.NewReader(""))}}, 9)
		require.NoError(t, err, "there is nothing behind the terminal event")
		require.Empty(t, seen)

		_, err = follow(t, &script{answers: []func(*http.Request) (*http.Response, error){answers(http.StatusNotFound, strings.NewReader(`{"code":"not_found","detail":"no such run"}`))}}, 0)
		require.ErrorIs(t, err, &client.Error{Code: client.CodeNotFound})
		require.EqualError(t, err, "no such run (not_found)")

		began := time.Now()
		_, err = follow(t, &script{}, 0)
		require.ErrorIs(t, err, client.ErrUnreachable)
		require.Zero(t, time.Since(began), "who never was there is not waited for")

		_, err = follow(t, &script{answers: cuts(frame(1, node))}, 0)
		require.ErrorIs(t, err, client.ErrUnreachable)
		require.ErrorContains(t, err, "behind event 1")
		require.InDelta(t, 2*time.Minute, time.Since(began), float64(15*time.Second))
	})
}

func TestEventsStopWhenNobodyWantsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := client.New(client.Config{URL: "http://svc.test", Transport: &script{answers: append(cuts(frame(1, node)), silent)}})
		require.NoError(t, err)
		time.AfterFunc(10*time.Second, cancel)
		var last error
		for _, err := range c.Events(ctx, "r", 0) {
			last = err
		}
		require.ErrorIs(t, last, context.Canceled)

		c, err = client.New(client.Config{URL: "http://svc.test", Transport: &script{answers: cuts(frame(1, node) + frame(2, done))}})
		require.NoError(t, err)
		for e, err := range c.Events(t.Context(), "r", 0) {
			require.NoError(t, err)
			require.Equal(t, 1, e.Seq)
			break
		}
	})
}

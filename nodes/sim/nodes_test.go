package sim_test

import (
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/pronet"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/sim"
)

// stage is a network with the nodes that use it.
type stage struct {
	*bench
	*nodetest.Host
}

// newStage returns a network and its nodes. held provides their credentials; nil means
// those of the seed. web downloads images.
func newStage(t *testing.T, network string, config sim.Config, held credentials.Provider, web *http.Client) stage {
	t.Helper()
	b := newBench(t, network, config)
	settings := b.Settings("http://127.0.0.1")
	getenv := func(name string) string { return settings[name] }
	if held == nil {
		all := credentialstest.Holding{}
		for _, account := range []string{"main", "company", "bot"} {
			all[credentials.Ref(network+":"+account)] = credentials.Credential{Access: credentials.NewSecret("sim-" + network + "-" + account)}
		}
		held = credentialstest.NewMemory(all)
	}
	plugin := map[string]func(service.Config) node.Plugin{"pronet": pronet.New, "microblog": microblog.New}[network]
	return stage{b, nodetest.New(t, plugin(service.Config{
		Getenv: getenv, Transport: b, Web: web,
		Credentials: oauth.NewRefresher(held, oauth.NewClients(networks(), getenv, b), slog.New(slog.DiscardHandler)),
	}))}
}

// exec runs a node with an account and requires success.
func (s stage) exec(account, typ string, inputs record) record {
	s.t.Helper()
	inputs["credential"] = account
	out, err := s.Exec(typ, nil, inputs)
	require.NoError(s.t, err)
	if success, acts := out["success"]; acts {
		require.Equal(s.t, true, success, "%v", out["error"])
	}
	return out
}

func TestNodesOfTheMicroblog(t *testing.T) {
	for _, profile := range []sim.Profile{sim.Spec, sim.Live} {
		t.Run(string(profile), func(t *testing.T) {
			s := newStage(t, "microblog", sim.Config{Profile: profile}, nil, nil)
			const main = "microblog:main"
			id := s.exec(main, "microblog.post_tweet", record{"text": "One of ours", "media_ids": []any{"1146654567674912769"}})["tweet_id"].(string)
			s.exec(main, "microblog.like_tweet", record{"tweet_id": id})
			s.exec(main, "microblog.retweet", record{"tweet_id": id})
			out := s.exec(main, "microblog.search_tweets", record{"query": "ours"})
			require.Equal(t, []any{record{"id": id, "author": "ada", "text": "One of ours", "engagement": 2}}, out["tweets"])
			out = s.exec(main, "microblog.get_timeline", record{"limit": 3})
			require.Equal(t, 3, out["count"])
			require.Equal(t, 1, out["tweets"].([]any)[0].(record)["likes"])
			out = s.exec(main, "microblog.get_trending", record{"limit": 50})
			require.Equal(t, record{"name": "#monday", "tweet_count": nil}, out["trends"].([]any)[2])
			out = s.exec(main, "microblog.get_user_info", record{"username": "@Grace"})
			require.Equal(t, record{"id": grace, "name": "Grace Hopper", "followers_count": 90210, "verified": true, "bio": "Compilers 🚢"}, out)
			out = s.exec("microblog:bot", "microblog.send_dm", record{"recipient_id": grace, "text": "Hello"})
			require.Equal(t, []sim.Message{{ID: out["message_id"].(string), From: "1100000000000000002", To: grace, Text: "Hello"}}, s.Messages())
			require.Len(t, s.Posts()[6].LikedBy, 1)
		})
	}
}

func TestNodesOfTheProfessionalNetwork(t *testing.T) {
	for _, profile := range []sim.Profile{sim.Spec, sim.Live} {
		t.Run(string(profile), func(t *testing.T) {
			pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 2, 2))) // into a connection of the test
			}))
			defer pictures.Close()
			s := newStage(t, "pronet", sim.Config{Profile: profile}, nil, pictures.Client())
			const main = "pronet:main"
			require.Equal(t, record{
				"id": "yrZCpj2Z12", "name": "Ada Lovelace", "headline": "Engineer of analytical engines",
				"picture_url": "https://media.example/ada.jpg?w=400",
			}, s.exec(main, "pronet.fetch_profile", record{}))
			out := s.exec(main, "pronet.get_connections", record{"limit": 2})
			require.Equal(t, record{"id": "9HfGrace", "name": "Grace Hopper", "headline": "Compilers 🚢"}, out["connections"].([]any)[0])
			s.exec(main, "pronet.post_feed", record{"text": "Look (at this)", "image_url": pictures.URL})
			id := s.exec("pronet:company", "pronet.post_feed", record{"text": "We are hiring"})["post_id"].(string)
			s.exec(main, "pronet.like_post", record{"post_id": id})
			s.exec(main, "pronet.send_message", record{"recipient_id": "9HfGrace", "message": "Hello"})
			posts := s.Posts()
			require.Equal(t, "Look (at this)", posts[5].Text)
			require.Len(t, posts[5].Media, 1)
			require.Equal(t, "5005", posts[6].Author)
			require.Equal(t, []string{"yrZCpj2Z12"}, posts[6].LikedBy)
			require.Equal(t, "9HfGrace", s.Messages()[0].To)
			if profile == sim.Live {
				return // the profile has no feed and no search
			}
			out = s.exec(main, "pronet.get_feed", record{"limit": 1})
			require.Equal(t, "We are hiring", out["posts"].([]any)[0].(record)["text"])
			out = s.exec(main, "pronet.search_posts", record{"query": "moth"})
			require.Equal(t, 154, out["posts"].([]any)[0].(record)["engagement_count"])
		})
	}
}

// A token that the network rejects is renewed, once.
func TestNodesRenewTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := credentialstest.NewMemory(nil)
		s := newStage(t, "microblog", sim.Config{TokenLifetime: time.Minute}, held, nil)
		access, refresh := s.Login()
		old := credentials.Credential{Access: credentials.NewSecret(access), Refresh: credentials.NewSecret(refresh)}
		require.NoError(t, held.SetCredential(t.Context(), "microblog:main", old))
		time.Sleep(time.Minute) //nolint:forbidigo // virtual time
		s.exec("microblog:main", "microblog.post_tweet", record{"text": "A minute later"})
		require.Len(t, s.Requests("token"), 1)
		posts := s.Requests("post_tweet")
		require.Equal(t, []int{401, 201}, []int{posts[0].Status, posts[1].Status})
		stored, err := held.Credential(t.Context(), "microblog:main")
		require.NoError(t, err)
		require.Equal(t, "Bearer "+stored.Access.Reveal(), posts[1].Header.Get("Authorization"))
	})
}

// A redirect to another host gets no token.
func TestNodesKeepTokensAtHome(t *testing.T) {
	var visits []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		visits = append(visits, r.Header.Get("Authorization")+string(body))
	}))
	defer other.Close()
	s := newStage(t, "microblog", sim.Config{Faults: []sim.Fault{{Route: "*", Break: sim.Redirect, To: other.URL}}}, nil, nil)
	out, err := s.Exec("microblog.post_tweet", nil, record{"credential": "microblog:main", "text": "Hello"})
	require.NoError(t, err)
	require.Equal(t, false, out["success"])
	require.NotContains(t, out["error"], "sim-microblog-main")
	require.Empty(t, visits)
}

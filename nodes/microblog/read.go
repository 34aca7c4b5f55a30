package microblog

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// trendingNode returns the node microblog.get_trending.
func (m *plugin) trendingNode() node.Node {
	return node.Func("microblog.get_trending", "Trending topics", m.trending).
		Aliases("trends, hashtags, popular", "trends, beliebte themen").Doc(
		"Fetches what the world talks about now. Calls `GET /2/trends/search`, or `GET /2/trends/by/woeid/1` of the live API, " +
			"which gives 50 topics at most." + failures + limits + "\n\n" +
			"Example: `credential` = `microblog:main`, `limit` = `5`.")
}

type trendingIn struct {
	Credential value.Credential `port:"credential" network:"microblog" doc:"The account that asks, such as microblog:main."`
	Limit      int              `port:"limit" default:"10" doc:"How many topics at most, 1 to 500; the network has about 50."`
}

type trend struct {
	Name       string `port:"name"`
	TweetCount *int   `port:"tweet_count"`
}

type trendingOut struct {
	Trends []trend `port:"trends" doc:"The topics: tweet_count is how many posts there are, null where the network does not tell."`
	Count  int     `port:"count" doc:"How many there are."`
}

func (m *plugin) trending(ctx context.Context, in trendingIn) (trendingOut, error) {
	c := service.Call{Name: "get_trending", Ref: in.Credential}
	trends, err := service.List(ctx, m.api, c, in.Limit, func(c service.Call) ([]trend, string, error) {
		var page struct {
			Data []struct {
				Name       string `json:"name"`
				TrendName  string `json:"trend_name"`
				TweetCount *int   `json:"tweet_count"`
			} `json:"data"`
		}
		_, err := m.api.Do(ctx, c, &page)
		trends := make([]trend, len(page.Data))
		for i, t := range page.Data {
			trends[i] = trend{t.TrendName + t.Name, t.TweetCount} // one of the names is empty
		}
		return trends, "", err
	})
	return trendingOut{trends, len(trends)}, err
}

// userNode returns the node microblog.get_user_info.
func (m *plugin) userNode() node.Node {
	return node.Func("microblog.get_user_info", "User profile", m.user).
		Aliases("profile, account, followers", "profil, nutzer, konto").
		Example(map[string]any{"username": "grace"}).Doc(
		"Fetches the profile of a user. Calls `GET /2/users/by/username/{username}`; the account needs the scope `users.read`. " +
			"A user that does not exist is `not_found`." + failures + limits + "\n\n" +
			"Example: `credential` = `microblog:main`, `username` = `@gopher`.")
}

type userIn struct {
	Credential value.Credential `port:"credential" network:"microblog" doc:"The account that asks, such as microblog:main."`
	Username   string           `port:"username" doc:"The name of the user, with or without the @ before it."`
}

type userOut struct {
	ID             string `port:"id" doc:"The user's id."`
	Name           string `port:"name" doc:"The name that the user shows."`
	FollowersCount int    `port:"followers_count" doc:"How many follow the user."`
	Verified       bool   `port:"verified" doc:"Whether the network has verified the user."`
	Bio            string `port:"bio" doc:"What the user writes about themselves."`
}

func (m *plugin) user(ctx context.Context, in userIn) (userOut, error) {
	name, err := userName(in.Username)
	if err != nil {
		return userOut{}, err
	}
	var answer struct {
		Data struct {
			ID          string `json:"id"`
			Name        string `json:"name"`
			Description string `json:"description"`
			Verified    bool   `json:"verified"`
			Metrics     struct {
				Followers int `json:"followers_count"`
			} `json:"public_metrics"`
		} `json:"data"`
	}
	_, err = m.api.Do(ctx, service.Call{
		Name: "get_user_info", Ref: in.Credential,
		Path: map[string]string{"username": name}, Missing: "there is no user @" + name,
	}, &answer)
	d := answer.Data
	if err == nil && d.ID == "" {
		err = node.Permanent(node.Errorf(service.CodeBadAnswer, "microblog get_user_info: the answer holds no user"))
	}
	return userOut{d.ID, d.Name, d.Metrics.Followers, d.Verified, d.Description}, err
}

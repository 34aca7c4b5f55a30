package program_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
)

func TestPlugins(t *testing.T) {
	env := nodes.Env{}
	none := func(string) string { return "" }
	registry, err := node.NewRegistry(append(nodes.Builtin(env), program.Plugins(env, none, nil)...)...)
	require.NoError(t, err)
	for _, typ := range []string{"email.send_email", "pronet.fetch_profile", "microblog.post_tweet", "time.now", "io.input", "media.video_import"} {
		_, ok := registry.Lookup(typ)
		require.True(t, ok, typ)
	}
}

func TestMediaCanBeLeftOut(t *testing.T) {
	without := func(name string) string { return map[string]string{program.NoMedia: "1"}[name] }
	registry, err := node.NewRegistry(program.Plugins(nodes.Env{}, without, nil)...)
	require.NoError(t, err)
	_, ok := registry.Lookup("media.video_import")
	require.False(t, ok)
}

func TestVersion(t *testing.T) {
	require.Equal(t, "v1.2.3", program.Version("v1.2.3"), "releases say it themselves")
	require.NotEmpty(t, program.Version(""))
}

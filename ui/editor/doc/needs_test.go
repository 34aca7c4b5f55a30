package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/email"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest"
)

func TestNeeds(t *testing.T) {
	def := uitest.Definition(t, `{"id":"w","nodes":[{"id":"region","type":"io.env_read","config":{"name":"SVC_VAR_REGION"}},`+
		`{"id":"any","type":"io.env_read"},{"id":"given","type":"io.env_read"},{"id":"ask","type":"io.http_request","config":{"url":"http://x"}},`+
		`{"id":"loop","type":"control.foreach","body":{"nodes":[{"id":"send","type":"email.send_email","config":{"credential":"email:main"}}],"connections":[]}}],`+
		`"connections":[{"fromNodeId":"region","fromPort":"value","toNodeId":"given","toPort":"name"}]}`)
	needs := doc.New(def, uitest.Specs(uitest.Registry(t, email.New(email.Config{})))).Needs()
	require.Len(t, needs, 3)
	require.Equal(t, doc.Need{Variable: true, Name: "SVC_VAR_REGION", Type: "io.env_read", Path: "region", Port: "name"}, needs[0])
	require.Equal(t, doc.Need{Variable: true, Type: "io.env_read", Path: "any", Port: "name"}, needs[1], "none is chosen yet; by a wire anything may come")
	require.Equal(t, "loop/send", needs[2].Path)
	require.Equal(t, "email:main", needs[2].Name)
	require.Equal(t, []string{"email"}, needs[2].Networks)
}

package pronet_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

func picture(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 4, 3))))
	return b.String()
}

// registered is the network's response to the registration of an upload, with the upload
// address.
func registered(t *testing.T, address string) string {
	t.Helper()
	answer, err := json.Marshal(values{"value": values{
		"asset": "urn:li:digitalmediaAsset:A1",
		"uploadMechanism": values{"com.linkedin.digitalmedia.uploading.MediaUploadHttpRequest": values{
			"uploadUrl": address, "headers": values{"media-type-family": "STILLIMAGE"},
		}},
	}})
	require.NoError(t, err)
	return string(answer)
}

func TestAnImageIsUploadedBeforeThePost(t *testing.T) {
	stub := &servicetest.Stub{Answers: map[string]string{
		"GET /me": me, "POST /assets": registered(t, "https://pronet.example/upload/1?sig=a"),
		"PUT /upload/1": "", "POST /ugcPosts": `{"id":"urn:li:share:9"}`,
	}}
	web := &servicetest.Stub{Script: []servicetest.Answer{servicetest.Reply(200, picture(t), "Content-Type", "text/plain")}}
	inputs := values{"credential": ref, "text": "hi", "image_url": "https://images.example/a"}
	out, err := host(t, stub, web, nil).Exec("pronet.post_feed", nil, inputs)
	require.NoError(t, err)
	require.Equal(t, values{"post_id": "urn:li:share:9", "success": true, "error": nil}, out)

	requests := stub.Requests()
	require.Len(t, requests, 4)
	require.Equal(t, "POST /assets?action=registerUpload", requests[1].Line)
	require.JSONEq(t, `{"registerUploadRequest":{"recipes":["urn:li:digitalmediaRecipe:feedshare-image"],"owner":"urn:li:person:yrZ",
		"serviceRelationships":[{"relationshipType":"OWNER","identifier":"urn:li:userGeneratedContent"}]}}`, requests[1].Body)
	require.Equal(t, "PUT /upload/1?sig=a", requests[2].Line)
	require.Equal(t, picture(t), requests[2].Body)
	require.Equal(t, "image/png", requests[2].Header.Get("Content-Type"))
	require.Equal(t, "STILLIMAGE", requests[2].Header.Get("Media-Type-Family"))
	require.Equal(t, "Bearer "+servicetest.Token, requests[2].Header.Get("Authorization"))
	require.Contains(t, requests[3].Body, `"shareMediaCategory":"IMAGE","media":[{"status":"READY","media":"urn:li:digitalmediaAsset:A1"}]`)
	require.Empty(t, web.Requests()[0].Header.Get("Authorization"))
}

// An upload to a host of another domain is sent without the token, and under the rules for
// addresses from workflows.
func TestUploadsElsewhereDoNotGetTheToken(t *testing.T) {
	stub := &servicetest.Stub{Answers: map[string]string{
		"GET /me": me, "POST /assets": registered(t, "https://elsewhere.example/up"), "POST /ugcPosts": `{"id":"p"}`,
	}}
	web := &servicetest.Stub{
		Script: []servicetest.Answer{servicetest.Reply(200, picture(t)), servicetest.Reply(201, "")},
	}
	out, err := host(t, stub, web, nil).Exec("pronet.post_feed", nil, values{"credential": ref, "text": "hi", "image_url": "https://images.example/a"})
	require.NoError(t, err)
	require.Equal(t, true, out["success"], out["error"])
	require.Equal(t, "PUT /up", web.Requests()[1].Line)
	require.NotContains(t, web.Requests()[1].Header, "Authorization")
}

func TestImagesThatAreRefused(t *testing.T) {
	var huge bytes.Buffer
	require.NoError(t, gif.Encode(&huge, image.NewPaletted(image.Rect(0, 0, 9000, 9000), color.Palette{color.Black}), nil))
	guarded := func(*http.Request) (*http.Response, error) {
		return nil, node.Errorf(node.CodeForbidden, "workflows may not reach that address")
	}
	tests := []struct {
		name, address, message string
		answer                 servicetest.Answer
	}{
		{"no address", "ftp://images.example/a", "image_url is no address", nil},
		{"not there", "https://images.example/a", "answered 404", servicetest.Reply(404, "")},
		{"no image", "https://images.example/a", "no PNG, JPEG or GIF", servicetest.Reply(200, "<svg/>", "Content-Type", "image/png")},
		{"too many bytes", "https://images.example/a", "larger than 10 MB", servicetest.Reply(200, strings.Repeat("x", 11<<20))},
		{"too many pixels", "https://images.example/a", "9000 × 9000 pixels", servicetest.Reply(200, huge.String())},
		{"private address", "http://10.0.0.1/a", "workflows may not reach that address", guarded},
		{"no answer", "https://images.example/a", "images.example does not answer", servicetest.Cut},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stub := &servicetest.Stub{Answers: map[string]string{"GET /me": me}}
			web := &servicetest.Stub{Script: []servicetest.Answer{tt.answer}}
			out, err := host(t, stub, web, nil).Exec("pronet.post_feed", nil, values{"credential": ref, "text": "hi", "image_url": tt.address})
			require.NoError(t, err)
			require.Equal(t, false, out["success"])
			require.Contains(t, out["error"], tt.message)
			require.Zero(t, stub.Count("POST"))
		})
	}
}

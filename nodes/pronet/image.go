package pronet

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/gif" // so that their sizes can be read
	_ "image/jpeg"
	_ "image/png"
	"io"
	"maps"
	"net/http"
	"net/url"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// What the network takes as an image.
const (
	maxImage  = 10 << 20
	maxPixels = 36_152_320
)

// upload brings an image to the network and returns its URN there.
func (p *plugin) upload(ctx context.Context, ref credentials.Ref, author, scope, address string) (string, error) {
	content, mime, err := p.fetch(ctx, address)
	if err != nil {
		return "", err
	}
	c := service.Call{Name: "register_upload", Ref: ref, Scope: scope, Body: map[string]any{"registerUploadRequest": map[string]any{
		"recipes": []string{"urn:li:digitalmediaRecipe:feedshare-image"},
		"owner":   author,
		"serviceRelationships": []map[string]string{
			{"relationshipType": "OWNER", "identifier": "urn:li:userGeneratedContent"},
		},
	}}}
	var answer registered
	if _, err := p.api.Do(ctx, c, &answer); err != nil {
		return "", err
	}
	where := answer.Value.Mechanism["com.linkedin.digitalmedia.uploading.MediaUploadHttpRequest"]
	header := map[string]string{"Content-Type": mime}
	maps.Copy(header, where.Headers)
	if answer.Value.Asset == "" {
		return "", node.Permanent(node.Errorf(service.CodeBadAnswer, "pronet post_feed: the network did not name the image"))
	}
	put := service.Call{Name: "upload_image", Ref: ref, Scope: scope}
	return answer.Value.Asset, p.api.Upload(ctx, put, where.URL, header, content)
}

// registered is where the network wants an image, and what it will be called.
type registered struct {
	Value struct {
		Asset     string `json:"asset"`
		Mechanism map[string]struct {
			URL     string            `json:"uploadUrl"`
			Headers map[string]string `json:"headers"`
		} `json:"uploadMechanism"`
	} `json:"value"`
}

// fetch gets an image from where a workflow says it is, under the rules for that.
func (p *plugin) fetch(ctx context.Context, address string) (content []byte, mime string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, "", node.Errorf(node.CodeInvalidInput, "image_url is no address; write it like https://example.com/image.png")
	}
	if p.web == nil {
		return nil, "", node.Errorf(node.CodeForbidden, "workflows may not fetch images here")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, "", node.Errorf(node.CodeInvalidInput, "image_url cannot be requested")
	}
	resp, err := p.web.Do(req)
	if err != nil {
		return nil, "", unreachable(ctx, u, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, "", node.Errorf(node.CodeInvalidInput, "image_url: %s answered %d; give the address of an image that anybody can see", u.Hostname(), resp.StatusCode)
	}
	if content, err = io.ReadAll(io.LimitReader(resp.Body, maxImage+1)); err != nil {
		return nil, "", unreachable(ctx, u, err)
	}
	mime, err = checkImage(content)
	return content, mime, err
}

// unreachable is the failure of an address that does not answer. The guard's own
// words are kept; others may tell addresses.
func unreachable(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := errors.AsType[*node.Error](err); ok {
		return refused
	}
	return node.Errorf(node.CodeUnavailable, "image_url: %s does not answer", u.Hostname())
}

// checkImage returns the type of an image that the network takes. It goes by what
// the content is, whatever its server calls it.
func checkImage(content []byte) (mime string, err error) {
	if len(content) > maxImage {
		return "", node.Errorf(node.CodeInvalidInput, "image_url: the image is larger than 10 MB; use a smaller one")
	}
	config, kind, err := image.DecodeConfig(bytes.NewReader(content))
	switch {
	case err != nil:
		return "", node.Errorf(node.CodeInvalidInput, "image_url: that is no PNG, JPEG or GIF")
	case int64(config.Width)*int64(config.Height) > maxPixels:
		return "", node.Errorf(node.CodeInvalidInput, "image_url: the image has %d × %d pixels; use a smaller one", config.Width, config.Height)
	}
	return "image/" + kind, nil
}

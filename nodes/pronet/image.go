package pronet

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/gif" // registers the decoder for DecodeConfig
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

// The network's limits for images: bytes and pixels.
const (
	maxImage  = 10 << 20
	maxPixels = 36_152_320
)

// upload uploads the image at address to the network and returns its URN.
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

// registered is the response to the registration of an upload: where to send the image, and
// its URN.
type registered struct {
	Value struct {
		Asset     string `json:"asset"`
		Mechanism map[string]struct {
			URL     string            `json:"uploadUrl"`
			Headers map[string]string `json:"headers"`
		} `json:"uploadMechanism"`
	} `json:"value"`
}

// fetch downloads an image with the client that checks addresses ([service.Config.Web]).
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

// unreachable returns the error for a failed download. Refusals by the address check are
// returned as they are. Other errors are replaced, because they may contain IP addresses.
func unreachable(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := errors.AsType[*node.Error](err); ok {
		return refused
	}
	return node.Errorf(node.CodeUnavailable, "image_url: %s does not answer", u.Hostname())
}

// checkImage returns the media type of an image, or an error if the network does not accept
// it. The type is found from the content: the Content-Type header is not trusted.
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

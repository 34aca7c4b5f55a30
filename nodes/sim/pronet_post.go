package sim

import (
	"net/http"
	"slices"
	"strings"
)

// share is the part of a post's body that the simulator reads.
type share struct {
	Author          string `json:"author"`
	SpecificContent struct {
		Content struct {
			Commentary struct {
				Text string `json:"text"`
			} `json:"shareCommentary"`
			Category string `json:"shareMediaCategory"`
			Media    []struct {
				Media string `json:"media"`
			} `json:"media"`
		} `json:"com.linkedin.ugc.ShareContent"`
	} `json:"specificContent"`
}

func (p pronet) post(c *call) answer {
	var sent share
	c.decode(&sent)
	content := sent.SpecificContent.Content
	author := sent.Author[strings.LastIndex(sent.Author, ":")+1:]
	if !p.mayActAs(c, sent.Author) {
		return p.refuse(http.StatusForbidden, "The token may not post as "+sent.Author)
	}
	if (content.Category == "IMAGE") != (len(content.Media) == 1) {
		return p.refuse(http.StatusBadRequest, "A post of the category IMAGE has one image, and others have none")
	}
	if strings.TrimSpace(content.Commentary.Text) == "" && content.Media == nil {
		return p.refuse(http.StatusBadRequest, "A post needs a text or an image")
	}
	var media []string
	for _, m := range content.Media {
		image := p.world.images[m.Media]
		if image == nil || image.owner != sent.Author || image.bytes == nil {
			return p.refuse(http.StatusBadRequest, "The asset "+m.Media+" is not an image of the author that was uploaded")
		}
		media = append(media, m.Media)
	}
	if twin := p.world.twin(author, content.Commentary.Text); twin != nil {
		return duplicate(shareURN + twin.ID)
	}
	return created(shareURN + p.world.publish(author, content.Commentary.Text, media).ID)
}

// duplicate is the error response for a post that exists already; it names that post.
func duplicate(urn string) answer {
	return answer{status: http.StatusUnprocessableEntity, body: map[string]any{
		"status": http.StatusUnprocessableEntity, "errorDetailType": "com.linkedin.common.error.BadRequest",
		"message":      "Content is a duplicate of " + urn,
		"errorDetails": map[string]any{"inputErrors": []any{map[string]string{"code": "DUPLICATE_POST"}}},
	}}
}

func (p pronet) registerUpload(c *call) answer {
	var sent struct {
		Request struct {
			Owner string `json:"owner"`
		} `json:"registerUploadRequest"`
	}
	c.decode(&sent)
	if !p.mayActAs(c, sent.Request.Owner) {
		return p.refuse(http.StatusForbidden, "The token may not upload for "+sent.Request.Owner)
	}
	id := "C5D" + p.world.nextID()
	p.world.images[assetURN+id] = &image{owner: sent.Request.Owner}
	return answer{status: http.StatusOK, body: map[string]any{"value": map[string]any{
		"asset": assetURN + id, "mediaArtifact": "urn:li:digitalmediaMediaArtifact:(" + assetURN + id + ")",
		"uploadMechanism": map[string]any{"com.linkedin.digitalmedia.uploading.MediaUploadHttpRequest": map[string]any{
			"uploadUrl": c.base + "/uploads/" + id, "headers": map[string]string{},
		}},
	}}}
}

// upload stores the bytes of an image. Their content must match the Content-Type header.
func (p pronet) upload(c *call) answer {
	image := p.world.images[assetURN+c.request.PathValue("asset")]
	media := c.request.Header.Get("Content-Type")
	switch {
	case image == nil || !p.mayActAs(c, image.owner):
		return p.refuse(http.StatusNotFound, "There is no such upload")
	case !slices.Contains([]string{"image/png", "image/jpeg", "image/gif"}, media):
		return p.refuse(http.StatusUnsupportedMediaType, "The Content-Type is not that of an image")
	case http.DetectContentType(c.body) != media:
		return p.refuse(http.StatusBadRequest, "The bytes are not "+media)
	}
	image.bytes = c.body
	return answer{status: http.StatusCreated}
}

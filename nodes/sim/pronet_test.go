package sim_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/sim"
)

func TestProfileComesAsProjected(t *testing.T) {
	b := newBench(t, "pronet", sim.Config{})
	a := b.call("GET", "/me", nil)
	require.Equal(t, "yrZCpj2Z12", a.value(t, "id"))
	require.Equal(t, "Engineer of analytical engines", a.value(t, "localizedHeadline"))
	require.Nil(t, a.value(t, "profilePicture/displayImage~"), "a picture's address takes a projection")

	a = b.call("GET", "/me?projection=(id,localizedFirstName,localizedLastName,profilePicture(displayImage~:playableStreams))", nil)
	require.Nil(t, a.value(t, "localizedHeadline"))
	sizes := a.value(t, "profilePicture").(record)["displayImage~"].(record)["elements"].([]any)
	require.Len(t, sizes, 2)
	require.Contains(t, sizes[1].(record)["identifiers"].([]any)[0].(record)["identifier"], "https://media.example/ada.jpg")
}

func TestListsOfParts(t *testing.T) {
	b := newBench(t, "pronet", sim.Config{})
	part := func(target string) (elements []any, paging record) {
		a := b.call("GET", target, nil)
		require.Equal(t, 200, a.status, a.text)
		return a.value(t, "elements").([]any), a.value(t, "paging").(record)
	}
	elements, paging := part("/feed?start=0&count=2")
	require.Len(t, elements, 2)
	require.Equal(t, 5.0, paging["total"])
	require.Equal(t, "/feed?count=2&start=2", paging["links"].([]any)[0].(record)["href"])
	require.Equal(t, "urn:li:share:1800000000000000005", elements[0].(record)["id"])
	require.Nil(t, elements[0].(record)["author~"])
	elements, paging = part("/feed?start=4&count=2&projection=(elements*(author~))")
	require.Len(t, elements, 1)
	require.Empty(t, paging["links"])
	require.Equal(t, "Alan", elements[0].(record)["author~"].(record)["localizedFirstName"])
	_, paging = part("/feed?start=3&count=2")
	require.Empty(t, paging["links"], "these are the last")
	elements, _ = part("/feed?start=9")
	require.Empty(t, elements)

	elements, _ = part("/search/queries?q=keywords&keywords=WORKFLOWS")
	require.Len(t, elements, 2)
	require.Equal(t, record{
		"likesSummary": record{"totalLikes": 21.0}, "commentsSummary": record{"totalFirstLevelComments": 4.0},
	}, elements[0].(record)["socialSummary"])
	require.Equal(t, 2.0, elements[0].(record)["shareCount"])

	elements, _ = part("/v2/connections?q=viewer")
	require.Equal(t, record{"to": "urn:li:person:9HfGrace"}, elements[0])
	elements, _ = part("/v2/connections?q=viewer&projection=(elements*(to~(id,localizedFirstName)),paging)")
	require.Equal(t, "Grace", elements[0].(record)["to~"].(record)["localizedFirstName"])
}

func TestSharesAreKept(t *testing.T) {
	b := newBench(t, "pronet", sim.Config{})
	a := b.call("POST", "/ugcPosts", shareOf(adaURN, "Text with (brackets)"))
	require.Equal(t, 201, a.status)
	urn := a.header.Get("X-Restli-Id")
	require.Equal(t, urn, a.value(t, "id"))
	posts := b.Posts()
	last := posts[len(posts)-1]
	require.Equal(t, "urn:li:share:"+last.ID, urn)
	require.Equal(t, "Text with (brackets)", last.Text)
	require.Equal(t, "yrZCpj2Z12", last.Author)

	a = b.call("POST", "/ugcPosts", shareOf(adaURN, "Text with (brackets)"))
	require.Equal(t, 422, a.status)
	require.Contains(t, a.text, "duplicate of "+urn)

	like := record{"actor": adaURN, "object": urn}
	require.Equal(t, 201, b.call("POST", "/likes", like).status)
	require.Equal(t, 409, b.call("POST", "/likes", like).status)
	require.Equal(t, 409, b.call("POST", "/v2/socialActions/"+strings.ReplaceAll(urn, ":", "%3A")+"/likes", like).status)
	require.Equal(t, 400, b.call("POST", "/v2/socialActions/"+escaped+"/likes", like).status, "the path names another post")
	require.Equal(t, []string{"yrZCpj2Z12"}, b.Posts()[len(posts)-1].LikedBy)
	require.Equal(t, 404, b.call("POST", "/likes", record{"actor": adaURN, "object": "urn:li:share:1"}).status)
}

func TestWhoMayPost(t *testing.T) {
	b := newBench(t, "pronet", sim.Config{})
	require.Equal(t, 403, b.call("POST", "/ugcPosts", shareOf(companyURN, "a")).status)
	require.Equal(t, 403, b.call("POST", "/likes", record{"actor": companyURN, "object": knownShare}).status)
	require.Equal(t, 403, b.call("POST", "/assets?action=registerUpload", uploadOf(companyURN)).status)
	b.token = "sim-pronet-company"
	require.Equal(t, 201, b.call("POST", "/ugcPosts", shareOf(companyURN, "a")).status)
	require.Equal(t, "5005", b.Posts()[5].Author)
	a := b.call("GET", "/feed?count=1", nil)
	require.Equal(t, companyURN, a.value(t, "elements").([]any)[0].(record)["author"])

	b.token, _ = b.Login("w_organization_social", "r_basicprofile")
	require.Equal(t, 201, b.call("POST", "/ugcPosts", shareOf(adaURN, "b")).status, "the scopes of the specification")
	a = b.call("POST", "/v2/ugcPosts", shareOf(adaURN, "c"))
	require.Equal(t, 403, a.status, "members need their own scope")
}

func TestWhoMayBeWrittenTo(t *testing.T) {
	b := newBench(t, "pronet", sim.Config{})
	send := func(to string) reply {
		return b.call("POST", "/messaging/conversations/"+to+"/events", record{"recipients": []string{to}, "body": "Hello"})
	}
	a := send("urn:li:person:9HfGrace")
	require.Equal(t, 201, a.status)
	require.NotEmpty(t, a.header.Get("X-Restli-Id"))
	require.Equal(t, 403, send("0XxKurt").status, "he is no connection")
	require.Equal(t, 404, send("nobody").status)
	require.Len(t, b.Messages(), 1)
	require.Equal(t, "9HfGrace", b.Messages()[0].To)
}

func TestImage(t *testing.T) {
	b := newBench(t, "pronet", sim.Config{})
	a := b.call("POST", "/assets?action=registerUpload", uploadOf(adaURN))
	asset := a.value(t, "value/asset").(string)
	mechanism := a.value(t, "value/uploadMechanism").(record)["com.linkedin.digitalmedia.uploading.MediaUploadHttpRequest"].(record)
	target, found := strings.CutPrefix(mechanism["uploadUrl"].(string), "http://network.example")
	require.True(t, found)
	require.Equal(t, 400, b.call("POST", "/ugcPosts", shareOf(adaURN, "early", asset)).status, "the bytes are not there yet")

	require.Equal(t, 400, b.call("PUT", target, picture, "Content-Type", "").status)
	require.Equal(t, 415, b.call("PUT", target, picture, "Content-Type", "image/tiff").status)
	require.Equal(t, 400, b.call("PUT", target, picture, "Content-Type", "image/jpeg").status)
	require.Equal(t, 404, b.call("PUT", "/uploads/none", picture, "Content-Type", "image/png").status)
	require.Equal(t, 401, b.call("PUT", target, picture, "Content-Type", "image/png", "Authorization", "").status)
	a = b.call("PUT", target, picture, "Content-Type", "image/png")
	require.Equal(t, http.StatusCreated, a.status)
	require.Empty(t, a.text)

	none := shareOf(adaURN, "a", asset)
	none["specificContent"].(record)["com.linkedin.ugc.ShareContent"].(record)["shareMediaCategory"] = "NONE"
	require.Equal(t, 400, b.call("POST", "/ugcPosts", none).status)
	require.Equal(t, 201, b.call("POST", "/ugcPosts", shareOf(adaURN, "Look", asset)).status)
	require.Equal(t, []string{asset}, b.Posts()[5].Media)

	b.token = "sim-pronet-company"
	require.Equal(t, 400, b.call("POST", "/ugcPosts", shareOf(companyURN, "Look", asset)).status, "it is another's image")
	require.Equal(t, 404, b.call("PUT", target, picture, "Content-Type", "image/png").status)
}

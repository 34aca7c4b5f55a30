package mediacore_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/media"
)

const canary = "TOP-SECRET-CANARY"

// hostile are files that make ffmpeg read or request others unless it is prevented.
func hostile(address, outside, neighbour string) map[string]string {
	return map[string]string{
		"hls to the web":      "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\n" + address + "/hls.ts\n#EXT-X-ENDLIST\n",
		"hls to a file":       "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nfile://" + outside + "\n#EXT-X-ENDLIST\n",
		"hls to a neighbour":  "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\n" + neighbour + "\n#EXT-X-ENDLIST\n",
		"hls to a canary":     "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nconcat:header.m3u8|file://" + outside + ".txt\n#EXT-X-ENDLIST\n",
		"concat":              "ffconcat version 1.0\nfile '" + outside + "'\n",
		"concat of neighbour": "ffconcat version 1.0\nfile " + neighbour + "\n",
		"dash":                `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>` + address + `/dash</BaseURL><SegmentBase indexRange="0-1"/></Representation></AdaptationSet></Period></MPD>`,
		"sdp":                 "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
		"svg":                 `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="64"><image xlink:href="` + address + `/svg" width="64" height="64"/></svg>`,
		"text":                canary + "\n",
		"image list":          "%d.png",
		"nothing":             "",
	}
}

func TestHostileFilesReadAndAskForNothing(t *testing.T) {
	s := newStudio(t)
	var asked atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer web.Close()
	outside := filepath.Join(t.TempDir(), "outside.mp4")
	s.clip("real.mp4", "64x64", "25", 1, false)
	require.NoError(t, os.Link(s.file("real.mp4"), outside))
	write(t, outside+".txt", canary)
	for name, text := range hostile(web.URL, outside, "real.mp4") {
		endings := []string{".mp4"}
		if name == "hls to a file" {
			endings = append(endings, ".png", ".m3u8")
		}
		for _, ending := range endings {
			file := strings.ReplaceAll(name, " ", "-") + ending
			write(t, s.file(file), text)
			f := s.refused(chain(step{id: "load", typ: "media.video_import", config: record{"path": file}}, encoded("out.mp4")))
			require.Equal(t, "unreadable", f.Code, "%s: %s", file, f.Message)
			require.NotContains(t, f.Message, canary)
			require.NotContains(t, f.Message, s.dir)
			// A posted recipe can name a file that was not probed.
			f = s.refused(posted(t, s, file))
			require.Contains(t, []string{"unreadable", "converter_failed"}, f.Code, "%s: %s", file, f.Message)
			require.NotContains(t, f.Message, canary)
			require.NotContains(t, f.Message, s.dir)
			require.NoFileExists(t, s.file("out.mp4"), file)
		}
	}
	require.Zero(t, asked.Load(), "something was asked for")
	require.Empty(t, s.left())
}

// posted is a workflow whose input is a forged recipe for a file.
func posted(t *testing.T, s *studio, file string) *workflow.Definition {
	t.Helper()
	info, err := os.Stat(s.file(file))
	require.NoError(t, err)
	recipe := record{"facts": record{"kind": "video"}, "sources": []any{record{
		"path": file, "size": info.Size(), "time": info.ModTime().UnixMicro(),
		"facts": record{"kind": "video", "width": 64, "height": 64, "rate": record{"num": 25, "den": 1}, "duration": 1},
	}}}
	text, err := json.Marshal(recipe)
	require.NoError(t, err)
	def := chain(encoded("out.mp4"))
	def.Nodes[0].Config["video"] = record{"kind": "video", "mime": "", "recipe": decoded(t, text)}
	return def
}

func TestNamesOfFilesAreNoArguments(t *testing.T) {
	s := newStudio(t)
	s.clip("real.mp4", "64x64", "25", 1, true)
	for _, name := range []string{"-i", "-y.mp4", "concat:real.mp4|real.mp4", "http:__example.com.mp4", "a%d.mp4", "a'b;c,d[e]=f.mp4", "pipe:0", "ä ö\n.mp4", "$(id).mp4"} {
		require.NoError(t, os.Link(s.file("real.mp4"), s.file(name)))
		out := "made/" + strings.ReplaceAll(name, ".mp4", "") + ".mp4"
		s.made(chain(step{id: "load", typ: "media.video_import", config: record{"path": name}}, encoded(out)))
		require.FileExists(t, s.file(out))
	}
	for _, name := range []string{"http://127.0.0.1:1/x.mp4", "../x.mp4", "/etc/passwd", "data:video/mp4;base64,AAAA"} {
		f := s.refused(chain(step{id: "load", typ: "media.video_import", config: record{"path": name}}, encoded("out.mp4")))
		require.Contains(t, []string{"forbidden", "not_found"}, f.Code, f.Message)
	}
}

// A picture with many pixels in few bytes is refused before it is decoded.
func TestHugePicturesCostLittle(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=16000x16000:r=1:d=1", "-frames:v", "1", "-pix_fmt", "gray", "bomb.png")
	_, err := s.tools().Probe(t.Context(), "bomb.png", "image")
	require.Error(t, err)
}

func TestLinksAndOtherThingsAreNotRead(t *testing.T) {
	s := newStudio(t)
	outside := filepath.Join(t.TempDir(), "a.mp4")
	s.clip("real.mp4", "64x64", "25", 1, false)
	require.NoError(t, os.Link(s.file("real.mp4"), outside))
	require.NoError(t, os.Symlink(outside, s.file("link.mp4")))
	require.NoError(t, os.Mkdir(s.file("folder.mp4"), 0o755))
	for name, code := range map[string]string{"link.mp4": "forbidden", "folder.mp4": "invalid_input"} {
		f := s.refused(chain(step{id: "load", typ: "media.video_import", config: record{"path": name}}, encoded("out.mp4")))
		require.Equal(t, code, f.Code, f.Message)
	}
	// Links cannot be used for writing, either.
	require.NoError(t, os.Symlink(filepath.Dir(outside), s.file("out")))
	f := s.refused(chain(step{id: "load", typ: "media.video_import", config: record{"path": "real.mp4"}}, encoded("out/b.mp4")))
	require.Equal(t, "forbidden", f.Code, f.Message)
	require.NoFileExists(t, filepath.Join(filepath.Dir(outside), "b.mp4"))
}

func TestASourceThatHasChangedIsNotRead(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "64x64", "25", 1, false)
	src, err := s.tools().Probe(t.Context(), "in.mp4", "video")
	require.NoError(t, err)
	r := media.Of(src)
	s.clip("in.mp4", "64x64", "25", 2, false)
	_, err = s.tools().Render(t.Context(), &r, media.Interim(r.Facts), "out.mp4")
	require.EqualError(t, err, `"in.mp4" has changed since the run looked at it; run the workflow again from the node that imports it`)
}

func TestFailuresNameTheNodeWhoseStepItWas(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "25", 1, false)
	// ffmpeg fails because the picture is smaller than the posted recipe says.
	def := posted(t, s, "in.mp4")
	m := def.Nodes[0].Config["video"].(record)["recipe"].(record)
	source := m["sources"].([]any)[0].(record)
	source["facts"].(record)["width"] = 1280
	source["facts"].(record)["height"] = 720
	m["steps"] = []any{record{"op": "crop", "node": "loop/3/crop", "in": []any{-1}, "numbers": record{"x": 0, "y": 0, "width": 1000, "height": 700}}}
	f := s.refused(def)
	require.Equal(t, "converter_failed", f.Code)
	require.Contains(t, f.Message, `ffmpeg failed at the node "loop/3/crop": `)
	require.NotContains(t, f.Message, "0x")
	require.NotContains(t, f.Message, s.scratch)
	// Errors that can be detected in advance are reported at once.
	began := s.run(t.Context(), chain(step{id: "load", typ: "media.video_import", config: record{"path": "in.mp4"}}, cropped(0, 0, 640, 480), encoded("a.mp4")), engine.Options{})
	require.Equal(t, "invalid_input", began.Error.Code)
	require.Equal(t, "the video has 320 × 240 pixels; the part to keep has to lie inside", began.Error.Message)
	require.Equal(t, "crop", began.Error.NodeID)
}

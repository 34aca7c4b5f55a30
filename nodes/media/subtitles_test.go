package media_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/media"
)

func TestSubtitlesAreReadInEveryFormat(t *testing.T) {
	want := []media.Caption{{Text: "Q & A\nHello", StartMs: 1000, EndMs: 2500}, {Text: "Bye", StartMs: 3_600_000, EndMs: 3_600_040}}
	for name, text := range map[string]string{
		"srt":             "\uFEFF1\r\n00:00:01,000 --> 00:00:02,500\r\nQ & A\r\n<i>Hel</i>lo\r\n\r\n2\r\n01:00:00,000 --> 01:00:00,040\r\n<font color=\"red\">Bye</font>\r\n",
		"vtt":             "WEBVTT\n\nSTYLE\n::cue {}\n\n00:01.000 --> 00:02.500 line:0\nQ &amp; A\n<v Bob>Hel<b>lo</b>\n\n01:00:00.000 --> 01:00:00.040\nBye\n",
		"ass":             "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Text\nDialogue: 0,0:00:01.00,0:00:02.50,Default,{\\i1}Q & A\\NHello\nDialogue: 0,1:00:00.00,1:00:00.04,Default,Bye\n",
		"no empty text":   "1\n00:00:00,000 --> 00:00:00,500\n\n2\n00:00:01,000 --> 00:00:02,500\nQ & A\nHello\n\n3\n01:00:00,000 --> 01:00:00,040\nBye",
		"ends before":     "1\n00:00:01,000 --> 00:00:02,500\nQ & A\nHello\n\n2\n00:00:09,000 --> 00:00:08,000\nx\n\n3\n01:00:00,000 --> 01:00:00,040\nBye",
		"without numbers": "00:00:01,000 --> 00:00:02,500\nQ & A\nHello\n\n01:00:00,000 --> 01:00:00,040\nBye",
	} {
		got, err := media.ReadSubtitles(text, nil)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	for _, text := range []string{"hello", "[Script Info]\nx", "{}"} {
		_, err := media.ReadSubtitles(text, nil)
		require.EqualError(t, err, "the subtitles cannot be read; they have to be of the format SRT, WebVTT or ASS")
		require.Equal(t, "unreadable", node.CodeOf(err))
	}
	none, err := media.ReadSubtitles("WEBVTT\n", nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

// Captions that are formatted and parsed are the same.
func TestSubtitlesAreReadAsTheyWereWritten(t *testing.T) {
	captions := []media.Caption{{Text: "Q & A\n5 > 4", StartMs: 1000, EndMs: 2500}, {Text: "Bye", StartMs: 3_600_000, EndMs: 3_600_040}}
	spans, err := media.SpansOf(captions, 0)
	require.NoError(t, err)
	for _, format := range []string{"srt", "vtt", "ass"} {
		text, err := media.WriteSubtitles(spans, format, media.DefaultStyle())
		require.NoError(t, err)
		got, err := media.ReadSubtitles(text, nil)
		require.NoError(t, err)
		require.Equal(t, captions, got, format)
	}
	text, err := media.WriteSubtitles(spans[:1], "srt", media.Style{})
	require.NoError(t, err)
	require.Equal(t, "1\n00:00:01,000 --> 00:00:02,500\nQ & A\n5 > 4\n\n", text)
	bad := media.DefaultStyle()
	bad.FontFamily = "x,y"
	_, err = media.WriteSubtitles(spans, "ass", bad)
	require.EqualError(t, err, `font cannot be "x,y"; it has to be the name of a font, of letters, digits and spaces`)
	// Text that looks like a tag or another caption stays text.
	tricky, err := media.SpansOf([]media.Caption{{Text: "a --> b\n\n7\n00:00:09,000 --> 00:00:10,000\n<i>{\\an8}x", StartMs: 0, EndMs: 1}}, 0)
	require.NoError(t, err)
	for _, format := range []string{"srt", "vtt", "ass"} {
		text, err := media.WriteSubtitles(tricky, format, media.DefaultStyle())
		require.NoError(t, err)
		got, err := media.ReadSubtitles(text, nil)
		require.NoError(t, err)
		require.Len(t, got, 1, format)
		require.Contains(t, strings.ReplaceAll(got[0].Text, "\u2060", ""), "7\n00:00:09", format)
	}
}

// FuzzSubtitles checks that any file either is refused with an error, or gives captions
// that can be shown.
func FuzzSubtitles(f *testing.F) {
	f.Add("1\n00:00:01,000 --> 00:00:02,500\nHello\n")
	f.Add("WEBVTT\n\nREGION\nid:x\n\nNOTE x\n\n00:01.000 --> 00:02.500 region:x\nHel<00:00:02.000>lo\n")
	f.Add("[Script Info]\n\n[V4+ Styles]\nFormat: Name\nStyle: Default\n\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.50,{\\i1}Hi\\N\n")
	f.Fuzz(func(t *testing.T, text string) {
		captions, err := media.ReadSubtitles(text, nil)
		if err != nil {
			require.Contains(t, []string{"unreadable", "limit_exceeded"}, node.CodeOf(err))
			return
		}
		spans, err := media.SpansOf(captions, 0)
		if err != nil {
			require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
			return
		}
		written, err := media.WriteSubtitles(spans, "ass", media.DefaultStyle())
		require.NoError(t, err)
		require.Equal(t, len(spans), strings.Count(written, "\nDialogue: "))
	})
}

func TestCaptionsAreArrangedToBeRead(t *testing.T) {
	words := func(text string, each float64) (all []media.Word) {
		for i, w := range strings.Fields(text) {
			all = append(all, media.Word{Text: w, StartMs: float64(i) * each, EndMs: float64(i+1) * each})
		}
		return all
	}
	got := media.Layout{Chars: 10, Lines: 2, Longest: 6000}.Arrange(words("One two three. Four five six seven eight nine", 100))
	require.Equal(t, []media.Caption{
		{Text: "One two\nthree.", StartMs: 0, EndMs: 300}, {Text: "Four five\nsix seven", StartMs: 300, EndMs: 700}, {Text: "eight nine", StartMs: 700, EndMs: 900},
	}, got)
	got = media.Layout{Chars: 42, Lines: 2, Longest: 1000}.Arrange(words("a b c d e", 400))
	require.Equal(t, []string{"a b", "c d", "e"}, []string{got[0].Text, got[1].Text, got[2].Text})
	late := words("a b", 100)
	late[1].StartMs, late[1].EndMs = 3000, 3100
	require.Len(t, media.Layout{Chars: 42, Lines: 2, Longest: 6000}.Arrange(late), 2, "a pause ends a caption")
	long := media.Layout{Chars: 5, Lines: 2, Longest: 6000}.Arrange(words("äöüäöüäöüäö x", 100))
	require.Equal(t, []media.Caption{{Text: "äöüäö\nüäöüä\nö", StartMs: 0, EndMs: 100}, {Text: "x", StartMs: 100, EndMs: 200}}, long)
	of := media.WordsOf([]media.Caption{{Text: "aa bbbb", StartMs: 0, EndMs: 600}})
	require.Equal(t, [][]media.Word{{{Text: "aa", StartMs: 0, EndMs: 200}, {Text: "bbbb", StartMs: 200, EndMs: 600}}}, of)
}

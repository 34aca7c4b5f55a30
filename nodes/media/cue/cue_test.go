package cue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/media/cue"
	"github.com/svcflow/svc/nodes/reading"
)

func TestCuesAreReadAsPeopleWriteThem(t *testing.T) {
	want := []cue.Cue{{Text: "Hello", Start: 1000, End: 2500}, {Text: "two\nlines", Start: 61_000, End: 62_040}}
	for name, text := range map[string]string{
		"plain":               "1\n00:00:01,000 --> 00:00:02,500\nHello\n\n2\n00:01:01,000 --> 00:01:02,040\ntwo\nlines\n",
		"mark, CRLF":          "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\nHello\r\n\r\n2\r\n00:01:01,000 --> 00:01:02,040\r\ntwo\r\nlines",
		"CR only":             "1\r00:00:01,000 --> 00:00:02,500\rHello\r\r2\r00:01:01,000 --> 00:01:02,040\rtwo\rlines\r",
		"no empty lines":      "1\n00:00:01,000 --> 00:00:02,500\nHello\n2\n00:01:01,000 --> 00:01:02,040\ntwo\nlines\n",
		"empty line inside":   "1\n00:00:01,000 --> 00:00:02,500\n\nHello\n\n2\n00:01:01,000 --> 00:01:02,040\ntwo\n\nlines\n\n\n",
		"dots, no hours":      "1\n00:01.000 --> 00:02.5\nHello\n\n2\n1:01.0 --> 1:02.04\ntwo\nlines\n",
		"no fractions at all": "1\n0:00:01 --> 0:00:02.5\nHello\n\n2\n0:01:01 --> 0:01:02:040\ntwo\nlines\n",
		"no numbers":          "00:00:01,000 --> 00:00:02,500\nHello\n\n00:01:01,000 --> 00:01:02,040\ntwo\nlines\n",
		"spaces, short arrow": " 1 \n 00:00:01, 000--->00:00:02,500  X1:1 X2:2\n Hello \n\n2\n00:01:01,000\t-->\t00:01:02,040\ntwo \nlines\n",
		"markup":              "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}<FONT color=\"red\"><i>Hel</i>lo</FONT>\n\n2\n00:01:01,000 --> 00:01:02,040\n<b>two\nlines</b>\n",
		"vtt": "WEBVTT - a title\nKind: captions\n\nNOTE a note\n00:00:00.000 --> 00:00:01.000\nnot shown\n\nSTYLE\n::cue { color: red }\n\n" +
			"intro\n00:01.000 --> 00:02.500 align:start\n<v Bob>Hel<c.x>lo</c>\n\n00:01:01.000 --> 00:01:02.040\ntwo<00:01:01.500>\nlines\n\nnot a cue\n",
	} {
		notes := &reading.Notes{}
		require.Equal(t, want, cue.Read(text, notes), name)
		require.Empty(t, notes.All(), name)
	}
}

func TestTimesThatCannotBeRightAreNoted(t *testing.T) {
	notes := &reading.Notes{}
	cues := cue.Read("1\n00:00:02,000 --> 00:00:01,000\nreversed\n\n2\n-00:00:01,000 --> 00:00:01,000\nearly\n\n3\n00:00:xx,000 --> 00:00:05,000\nunreadable\n\n"+
		"4\n00:00:01,000 --> 00:00:03,000\noverlaps\n\n5\n00:00:01,500 --> 00:00:02,000\ntoo\n", notes)
	require.Equal(t, []cue.Cue{{Text: "early", End: 1000}, {Text: "overlaps", Start: 1000, End: 3000}, {Text: "too", Start: 1500, End: 2000}}, cues)
	all := notes.All()
	require.Len(t, all, 3)
	require.Equal(t, `line 10: the times of a caption cannot be read: "00:00:xx,000 --> 00:00:05,000"`, all[0].String())
	require.Equal(t, `line 2: the caption "reversed" ends before it begins`, all[1].String())
	require.True(t, all[0].Dropped && all[1].Dropped)
	require.False(t, all[2].Dropped, "a negative start is 0")
}

func TestTextThatLooksLikeMarkupStays(t *testing.T) {
	cues := cue.Read("1\n00:00:01,000 --> 00:00:02,500\n1 < 2 > 0, {x} & <3 &amp; 5\n42\n\n2\n00:00:03,000 --> 00:00:04,000\nx\n", nil)
	require.Equal(t, "1 < 2 > 0, {x} & <3 & 5\n42", cues[0].Text)
	require.Empty(t, cue.Read("hello", nil))
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"1\n00:00:01,000 --> 00:00:02,500\nHello", "WEBVTT\n\nNOTE\n\n1:2 -- > 3:4\n<", "-1:1.1–>9:9:9:9 &amp;{\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range cue.Read(text, &reading.Notes{}) {
			require.GreaterOrEqual(t, c.Start, 0.0)
			require.LessOrEqual(t, c.Start, c.End)
			require.NotEmpty(t, strings.TrimSpace(c.Text))
		}
	})
}

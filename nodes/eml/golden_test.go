package eml_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/eml"
	"github.com/svcflow/svc/nodes/reading"
)

// reference is what mailparser reads in a mail.
type reference struct {
	Subject, Date, ID, Text, HTML string
	From, To, CC                  [][2]string
	Attachments                   []struct {
		Filename, MIME string
		Base64         []byte
	}
}

func TestMailsAreReadAsMailparserReadsThem(t *testing.T) {
	recorded, err := os.ReadFile("testdata/mailparser.json")
	require.NoError(t, err)
	var all map[string]reference
	require.NoError(t, json.Unmarshal(recorded, &all))
	mails, err := filepath.Glob("testdata/mails/*.eml")
	require.NoError(t, err)
	require.Len(t, all, len(mails))
	for _, file := range mails {
		name := filepath.Base(file)
		t.Run(strings.TrimSuffix(name, ".eml"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			var notes reading.Notes
			l, err := eml.Read(raw, &notes)
			require.NoError(t, err)
			all[name].equal(t, l)
		})
	}
}

func (want reference) equal(t *testing.T, l *eml.Letter) {
	t.Helper()
	out := l.Out("", "")
	require.Equal(t, want.Subject, out.Subject)
	require.Equal(t, strings.Join(shown(want.From), ", "), out.From)
	require.Equal(t, shown(want.To), out.To)
	require.Equal(t, shown(want.CC), out.CC)
	require.Equal(t, want.ID, out.MessageID)
	date := ""
	if sent, ok := l.Date(nil); ok {
		date = sent.UTC().Format(time.RFC3339)
	}
	require.Equal(t, want.Date, date)
	require.Equal(t, strings.TrimSpace(want.Text), strings.TrimSpace(out.Text))
	require.Equal(t, strings.TrimSuffix(want.HTML, "<br/>\n"), out.HTML, "mailparser adds the plain text to HTML")
	require.Len(t, l.Attachments, len(want.Attachments))
	for i, a := range l.Attachments {
		require.Equal(t, want.Attachments[i].Filename, a.Filename)
		require.Equal(t, want.Attachments[i].MIME, a.MIME)
		require.Equal(t, string(want.Attachments[i].Base64), string(a.Data))
	}
}

func shown(addresses [][2]string) []string {
	texts := []string{}
	for _, a := range addresses {
		switch name := a[0]; {
		case name == "":
			texts = append(texts, a[1])
		case strings.ContainsAny(name, ",()"):
			texts = append(texts, `"`+name+`" <`+a[1]+">")
		default:
			texts = append(texts, name+" <"+a[1]+">")
		}
	}
	return texts
}

// seeds returns the mails of the goldens.
func seeds(f *testing.F) [][]byte {
	f.Helper()
	mails, err := filepath.Glob("testdata/mails/*.eml")
	require.NoError(f, err)
	var all [][]byte
	for _, file := range mails {
		raw, err := os.ReadFile(file)
		require.NoError(f, err)
		all = append(all, raw)
	}
	return all
}

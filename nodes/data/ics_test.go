package data_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

func TestICSParseReadsBytes(t *testing.T) {
	h, dir := host(t)
	latin := "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260901T100000Z\r\nSUMMARY:Gr\xfc\xdfe\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	put(t, dir, "latin.ics", latin)
	put(t, dir, "bom.ics", "\ufeffBEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260901T100000Z\nSUMMARY:Grüße\nEND:VEVENT\nEND:VCALENDAR\n")
	for _, in := range []record{{"path": "latin.ics"}, {"path": "bom.ics"}, {"base64": base64.StdEncoding.EncodeToString([]byte(latin))}} {
		out, err := h.Exec("data.ics_parse", nil, in)
		require.NoError(t, err, "%v", in)
		require.Equal(t, "Grüße", out["events"].([]any)[0].(record)["title"], "%v", in)
	}
}

func TestICSParseFailsOnALossUnlessItIsAccepted(t *testing.T) {
	h, _ := host(t)
	text := event("UID:1", "SUMMARY:x", "DTSTART:soon") + event("UID:2", "DTSTART:20260901T100000Z")
	_, err := h.Exec("data.ics_parse", nil, record{"text": text})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	require.ErrorContains(t, err, `line 8, event "x": its start "soon" is no time; to take the rest, use the output warnings or set strict to false`)
	out, err := h.Exec("data.ics_parse", record{"strict": false}, record{"text": text})
	require.NoError(t, err)
	require.Len(t, out["events"], 1)
	require.Len(t, out["warnings"], 1)
}

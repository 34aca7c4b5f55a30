package crypto

import (
	"context"
	"crypto/rand"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine/node"
)

type uuidIn struct {
	Version string `port:"version" enum:"4|7" default:"7" doc:"4 is random; 7 begins with the time, so that later ids sort behind earlier ones."`
}

type textOut struct {
	Text string `port:"text" doc:"The text."`
}

func uuidNode() node.Node {
	draw := func(_ context.Context, in uuidIn) (textOut, error) {
		if in.Version == "4" {
			return textOut{uuid.NewString()}, nil
		}
		id, err := uuid.NewV7()
		return textOut{id.String()}, err
	}
	return node.Func("crypto.uuid", "New id", draw).Inline().
		Aliases("uuid, guid, unique id, random id", "uuid, eindeutige id, kennung").Doc(
		"Makes an id that nothing else has: `01981f0e-7c2b-7d4e-9c1f-5a0b6f3d2e11`. A run that is resumed sees the same id again.")
}

type randomIn struct {
	Bytes    int    `port:"bytes" default:"16" doc:"How many random bytes, 1 to 65536; 16 and more cannot be guessed."`
	Encoding string `port:"encoding" enum:"hex|base64|base64url" default:"hex" doc:"How they are written."`
}

const maxRandom = 64 << 10

func randomNode() node.Node {
	draw := func(_ context.Context, in randomIn) (textOut, error) {
		if in.Bytes < 1 || in.Bytes > maxRandom {
			return textOut{}, refused("bytes is %d; use a number from 1 to %d", in.Bytes, maxRandom)
		}
		data := make([]byte, in.Bytes)
		_, _ = rand.Read(data) // never fails
		return textOut{encode(data, in.Encoding)}, nil
	}
	return node.Func("crypto.random", "Random text", draw).Inline().
		Aliases("random, token, nonce, password, one-time code", "zufall, zufällig, token, passwort").Doc(
		"Makes a random text that nobody can guess, for nonces and one-time links: 16 bytes as hex are `9f86d081884c7d659a2feaa0c55ad015`. " +
			"A run that is resumed sees the same text again. It is shown with the run: for secrets that last use a credential.")
}

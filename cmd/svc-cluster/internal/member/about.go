package member

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/svcflow/svc/cmd/internal/serving"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/nodes/service"
)

// About describes a process to the others, so that svc-cluster check can compare them. It is
// stored as JSON.
type About struct {
	Version string            `json:"version"`
	Runs    int               `json:"runs"` // how many runs it drives at once
	Answers []string          `json:"answers,omitempty"`
	Key     string            `json:"key,omitempty"`   // mark of its API key; see keyMark
	Files   string            `json:"files,omitempty"` // mark of its data directory; see filesMark
	Flags   map[string]string `json:"flags"`           // flags that limit what nodes may do
	Types   []string          `json:"types"`           // node types
	// Variables are the environment variables that should be equal in all processes, if they
	// are set; nil if the version of the process does not report them.
	Variables map[string]string `json:"variables"`
}

// placeFlag is a key of About.Flags that matters only to processes that drive runs.
const placeFlag = "place"

// aboutWork returns the About of a process from its flags.
func aboutWork(p *serving.Process, w *serving.Work, place *Placing) About {
	var networks []string
	for _, n := range w.HTTPAllow {
		networks = append(networks, n.String())
	}
	return About{Version: p.Version, Variables: rateLimits(p.Env), Flags: map[string]string{
		placeFlag: sorted(place.Place), "http-allow": sorted(networks), "exec-allow": sorted(w.ExecAllow),
		"code": strconv.FormatBool(w.Code), "no-media": strconv.FormatBool(w.NoMedia),
	}}
}

// rateLimits returns the rate limits of accounts that are set, by variable.
func rateLimits(env func(string) (string, bool)) map[string]string {
	limits := map[string]string{}
	for _, n := range network.Shipped().All() {
		name := service.RateLimit(n)
		if text, _ := env(name); text != "" {
			if w, err := service.ParseWindow(text); err == nil {
				text = fmt.Sprintf("%d/%s", w.Requests, w.Per) // 900s is 15m
			}
			limits[name] = text
		}
	}
	return limits
}

func sorted(all []string) string {
	all = slices.Clone(all)
	slices.Sort(all)
	return strings.Join(all, ",")
}

// keyMark returns a mark of an API key by which equal keys are recognized. It is far too short to
// find the key.
func keyMark(key, cluster string) string {
	if key == "" {
		return ""
	}
	sum := hmac.New(sha256.New, []byte(key))
	sum.Write([]byte("svc-cluster " + cluster))
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

// markFile is the file in a data directory that has its mark.
const markFile = "cluster.id"

// filesMark returns the mark of a data directory and creates it if necessary; "" if it cannot be
// read or created.
func filesMark(dir string) string {
	path := filepath.Join(dir, markFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o750); err == nil {
			err = durable.Create(path, []byte(uuid.NewString()+"\n"), durable.Options{})
		}
		if err == nil || errors.Is(err, fs.ErrExist) { // another process may have created it
			text, err = os.ReadFile(path)
		}
	}
	id, wrong := uuid.ParseBytes([]byte(strings.TrimSpace(string(text))))
	if err != nil || wrong != nil {
		return ""
	}
	return id.String()
}

func (a *About) text() string {
	text, _ := json.Marshal(a) // cannot fail
	return string(text)
}

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

// About is what a process tells the others of itself, for who looks whether they fit together.
type About struct {
	Version string            `json:"version"`
	Runs    int               `json:"runs"` // that it drives at once
	Answers []string          `json:"answers,omitempty"`
	Key     string            `json:"key,omitempty"`   // what tells its API key from others; see keyMark
	Files   string            `json:"files,omitempty"` // what tells its data directory from others
	Flags   map[string]string `json:"flags"`           // that say what its nodes may do
	Types   []string          `json:"types"`           // of nodes
	// Variables of the environment that all should have alike, those that are set; nil if the
	// process is of a version that does not tell.
	Variables map[string]string `json:"variables"`
}

// placeFlag is one of About.Flags that only matters to those who drive runs.
const placeFlag = "place"

// aboutWork returns what the flags of a process say of it.
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

// rateLimits returns what operators have set of the windows of accounts, by variable.
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

// keyMark returns what tells an API key from others. It is far too short to find the key by it.
func keyMark(key, cluster string) string {
	if key == "" {
		return ""
	}
	sum := hmac.New(sha256.New, []byte(key))
	sum.Write([]byte("svc-cluster " + cluster))
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

// markFile is the file of a data directory that tells it from others.
const markFile = "cluster.id"

// filesMark returns what tells a data directory from others, which is made if there is none
// yet; "" if that cannot be.
func filesMark(dir string) string {
	path := filepath.Join(dir, markFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o750); err == nil {
			err = durable.Create(path, []byte(uuid.NewString()+"\n"), durable.Options{})
		}
		if err == nil || errors.Is(err, fs.ErrExist) { // another process may have been faster
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
	text, _ := json.Marshal(a) // nothing in it can fail
	return string(text)
}

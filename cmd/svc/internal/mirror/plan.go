package mirror

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/workflow"
)

// Action is what a sync does with a workflow.
type Action string

// The actions.
const (
	Upload   Action = "upload"   // save the file on the server
	Download Action = "download" // write the server's version into the file
	Delete   Action = "delete"   // delete it on the side that still has it
	Keep     Action = "leave"    // it was deleted on one side and --prune is not given
	Conflict Action = "conflict" // both sides changed it

	same Action = "" // both sides are equal; only the state has to record it
)

// Change is the planned action for one workflow.
type Change struct {
	ID     string `json:"id"`
	Action Action `json:"action"`
	File   string `json:"file,omitempty"` // in the directory; empty without a file
	Why    string `json:"why"`

	here bool // a Delete removes the file, not the server's version
}

// versions are the states of one workflow: in the directory, on the server, and at the
// last sync.
type versions struct {
	file  string
	here  *workflow.Definition // nil if the directory has none
	there *workflow.Definition // nil if the server has none
	base  string               // digest at the last sync; "" if it was never synced
	name  string               // of the server's version, for messages
}

// digest returns the digest of def; "" for nil.
func digest(def *workflow.Definition) string {
	if def == nil {
		return ""
	}
	return def.Digest()
}

// Plan returns the changes that make both sides equal, ordered by id. prefer resolves
// conflicts: "here", "server", or "" to report them as [Conflict]. Deletions need prune.
// Call [Sync.Load] first.
func (s *Sync) Plan(prune bool, prefer string) []Change {
	all := []Change{}
	for _, id := range slices.Sorted(maps.Keys(s.versions)) {
		v := s.versions[id]
		c := decide(v, prune, prefer)
		c.ID, c.File = id, v.file
		if c.Action == same {
			s.record(&c, v)
			continue
		}
		all = append(all, c)
	}
	return all
}

// decide plans one workflow.
func decide(v *versions, prune bool, prefer string) Change {
	here, there := digest(v.here), digest(v.there)
	switch {
	case here == there:
		return Change{Action: same}
	case v.base == "" && there == "":
		return Change{Action: Upload, Why: "new: " + v.file}
	case v.base != "" && there == v.base && here != "":
		return Change{Action: Upload, Why: "changed here: " + v.file}
	case v.base != "" && here == v.base && there != "":
		return Change{Action: Download, Why: "changed on the server: " + v.name + " → " + v.file}
	case v.base != "" && there == v.base:
		return deletion(prune, false, "deleted here")
	case v.base != "" && here == v.base:
		return deletion(prune, true, "deleted on the server; here it is "+v.file)
	}
	return v.resolve(prune, prefer)
}

// deletion plans a workflow that was deleted on one side and not changed on the other.
func deletion(prune, here bool, why string) Change {
	if !prune {
		return Change{Action: Keep, Why: why + "; --prune deletes it"}
	}
	return Change{Action: Delete, Why: why, here: here}
}

// resolve plans a workflow that both sides changed differently.
func (v *versions) resolve(prune bool, prefer string) Change {
	mine, theirs := v.file, v.name
	if v.here == nil {
		mine = "deleted here"
	}
	if v.there == nil {
		theirs = "deleted on the server"
	}
	both := mine + " and " + theirs
	switch {
	case prefer == "here" && v.here != nil:
		return Change{Action: Upload, Why: "preferred: " + mine + ", to " + theirs}
	case prefer == "server" && v.here == nil:
		return Change{Action: Keep, Why: both + "; `svc workflows show` brings it back into a file"}
	case prefer == "server" && v.there != nil:
		return Change{Action: Download, Why: "preferred: " + theirs + ", to " + mine}
	case prefer == "":
		return Change{Action: Conflict, Why: both}
	}
	return deletion(prune, prefer == "server", "preferred: "+both)
}

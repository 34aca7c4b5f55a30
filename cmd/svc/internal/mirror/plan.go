package main

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/workflow"
)

// action is what is to be done about a workflow.
type action string

const (
	actUpload   action = "upload"   // the server gets the file
	actDownload action = "download" // the file gets what the server has
	actDelete   action = "delete"   // where it still is
	actLeave    action = "leave"    // it was deleted on one side, and nothing is to be pruned
	actConflict action = "conflict"
	actNote     action = "" // both sides are the same, which was not known
)

// change is what svc sync does about one workflow.
type change struct {
	ID     string `json:"id"`
	Action action `json:"action"`
	File   string `json:"file,omitempty"` // here; empty if there is none
	Why    string `json:"why"`

	here bool // of a deletion: the file goes
}

// versions are the states of one workflow: in the directory, on the server, and when
// both were last the same.
type versions struct {
	file  string
	here  *workflow.Definition // nil if it is not there
	there *workflow.Definition
	base  string // digest; "" if they never were
	name  string // of the server's version, for messages
}

// digest returns that of def; "" for none.
func digest(def *workflow.Definition) string {
	if def == nil {
		return ""
	}
	return def.Digest()
}

// changes decides what is to be done about all workflows, in the order of their ids.
func (s *syncing) changes(prune bool, prefer string) []change {
	all := []change{}
	for _, id := range slices.Sorted(maps.Keys(s.versions)) {
		v := s.versions[id]
		c := decide(v, prune, prefer)
		c.ID, c.File = id, v.file
		if c.Action == actNote {
			s.agree(&c, v)
			continue
		}
		all = append(all, c)
	}
	return all
}

// decide says what is to be done about one workflow.
func decide(v *versions, prune bool, prefer string) change {
	here, there := digest(v.here), digest(v.there)
	switch {
	case here == there:
		return change{Action: actNote}
	case v.base == "" && there == "":
		return change{Action: actUpload, Why: "new: " + v.file}
	case v.base != "" && there == v.base && here != "":
		return change{Action: actUpload, Why: "changed here: " + v.file}
	case v.base != "" && here == v.base && there != "":
		return change{Action: actDownload, Why: "changed on the server: " + v.name + " → " + v.file}
	case v.base != "" && there == v.base:
		return deletion(prune, false, "deleted here")
	case v.base != "" && here == v.base:
		return deletion(prune, true, "deleted on the server; here it is "+v.file)
	}
	return v.clash(prune, prefer)
}

// deletion is what becomes of a workflow that is gone on one side and unchanged on the
// other.
func deletion(prune, here bool, why string) change {
	if !prune {
		return change{Action: actLeave, Why: why + "; --prune deletes it"}
	}
	return change{Action: actDelete, Why: why, here: here}
}

// clash is what becomes of a workflow that both sides have changed, each in its own way.
func (v *versions) clash(prune bool, prefer string) change {
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
		return change{Action: actUpload, Why: "preferred: " + mine + ", to " + theirs}
	case prefer == "server" && v.here == nil:
		return change{Action: actLeave, Why: both + "; `svc workflows show` brings it back into a file"}
	case prefer == "server" && v.there != nil:
		return change{Action: actDownload, Why: "preferred: " + theirs + ", to " + mine}
	case prefer == "":
		return change{Action: actConflict, Why: both}
	}
	return deletion(prune, prefer == "server", "preferred: "+both)
}

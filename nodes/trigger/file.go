package trigger

import (
	"path"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	disks "github.com/svcflow/svc/nodes/folder"
)

// Files holds the files of workflows.
type Files = disks.Files

// The events of files.
const (
	fileCreated = "created"
	fileChanged = "changed"
	fileDeleted = "deleted"
)

const longestSettle = time.Hour

func fileNode(files Files) node.Node {
	words := value.EnumOf(fileCreated, fileChanged, fileDeleted)
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.file", Label: "File", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("folder, directory, watch, new file, upload, inotify", "ordner, verzeichnis, überwachen, neue datei, ablage"),
			Example: &node.Example{Config: map[string]any{"dir": "inbox", "pattern": "*.csv"}},
			Description: "Starts the workflow when a file comes into a folder, or changes there, once it is active. The folder is below the files folder of the server.\n\n" +
				"Example: with `dir` = `inbox` and `pattern` = `*.csv` it fires for each table that somebody puts there, with its path for *Read file*.\n\n" +
				"A file counts once nothing was written to it for `settleMs`. What is there when the workflow becomes active is not new; what happened while no " +
				"server was there is found at its next start. A file that is moved is created under its new name, and deleted under the old one. " +
				"Links to folders are not followed. Up to 100,000 files are looked at.",
			Inputs: []node.Port{
				setting(node.Port{Name: "dir", Type: value.String(), Description: "The folder."}),
				setting(node.Port{Name: "pattern", Type: value.String(), Default: "*", Description: "Which names: * stands for any text, ? for one character, [a-z] for one of these."}),
				setting(node.Port{Name: "recursive", Type: value.Bool(), Default: false, Description: "Whether the folders in it count, too."}),
				setting(node.Port{Name: "events", Type: value.ListOf(words), Default: []any{fileCreated, fileChanged}, Description: "What has to happen: created, changed, deleted."}),
				setting(node.Port{Name: "settleMs", Type: value.Int(), Default: 1000, Description: "For how many milliseconds nothing may be written to a file before it counts; up to an hour."}),
			},
			Outputs: []node.Port{
				{Name: "path", Type: value.String(), Description: "The file, with its folder."},
				{Name: "event", Type: value.String(), Description: "What has happened: created, changed or deleted."},
				{Name: "bytes", Type: value.Int(), Description: "Its size; 0 if it is gone."},
				{Name: "modified", Type: value.String(), Description: "When it was last written to, such as 2026-01-31T08:00:00.000Z; empty if it is gone."},
			},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) {
			f, problems := folderOf(b, files)
			return node.Bound{
				Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs,
				Sample: func(now time.Time) map[string]any {
					return map[string]any{"path": path.Join(f.dir, "file"), "event": fileCreated, "bytes": 0, "modified": now.UTC().Format(timeLayout)}
				},
				Source: node.Watch{Run: f.run},
			}, problems
		},
	}
}

func folderOf(b node.Binding, files Files) (*folder, []node.Problem) {
	var problems []node.Problem
	f := &folder{files: files}
	f.dir, _ = b.Config["dir"].(string)
	f.pattern, _ = b.Config["pattern"].(string)
	f.recursive, _ = b.Config["recursive"].(bool)
	if _, err := path.Match(f.pattern, ""); err != nil {
		problems = append(problems, node.Invalid("pattern", "the pattern is malformed; a [ needs its ]"))
	}
	if f.dir == "" {
		problems = append(problems, node.Invalid("dir", "name the folder; . is the files folder itself"))
	} else if files != nil {
		clean, err := files.Clean(f.dir)
		if err == nil {
			err = ofRuns(clean)
		}
		if err != nil {
			problems = append(problems, node.Invalid("dir", "%v", err))
		}
		f.dir = clean
	}
	events, _ := b.Config["events"].([]any)
	for _, e := range events {
		word, _ := e.(string)
		f.events = append(f.events, word)
	}
	if len(f.events) == 0 {
		problems = append(problems, node.Invalid("events", "say what has to happen: created, changed or deleted"))
	}
	ms, _ := b.Config["settleMs"].(int)
	if f.settle = time.Duration(ms) * time.Millisecond; ms < 0 || ms > int(longestSettle/time.Millisecond) {
		problems = append(problems, node.Invalid("settleMs", "it is a number from 0 to %d", longestSettle/time.Millisecond))
	}
	return f, problems
}

// wants reports whether the trigger fires for an event.
func (f *folder) wants(event string) bool { return slices.Contains(f.events, event) }

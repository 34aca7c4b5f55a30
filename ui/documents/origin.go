package documents

// Origin says where a workflow came from: a file, a place that stores workflows, or,
// as the zero Origin, nowhere yet.
type Origin struct {
	// File is the absolute path of a file.
	File string `json:"file,omitzero"`
	// ID is that of a stored workflow. Server is the address of the server that stores
	// it, empty for this computer.
	ID     string `json:"id,omitzero"`
	Server string `json:"server,omitzero"`
	// Digest tells what was loaded, to notice that it has been changed since: the
	// SHA-256 of the file's bytes, or the Digest of the stored workflow.
	Digest string `json:"digest,omitzero"`
}

// IsNew reports whether the workflow was never saved anywhere.
func (o Origin) IsNew() bool { return o.File == "" && o.ID == "" }

// Same reports whether both mean the same place, whatever was in it. New workflows
// have no place.
func (o Origin) Same(p Origin) bool {
	o.Digest, p.Digest = "", ""
	return o == p && !o.IsNew()
}

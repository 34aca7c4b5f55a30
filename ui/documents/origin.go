package documents

// Origin is where a workflow came from: a file, a host that stores workflows, or, for the
// zero Origin, nowhere yet.
type Origin struct {
	// File is the absolute path of a file.
	File string `json:"file,omitzero"`
	// ID is the id of a stored workflow. Server is the address of the server that stores it,
	// empty for this computer.
	ID     string `json:"id,omitzero"`
	Server string `json:"server,omitzero"`
	// Digest is the digest of what was loaded, to detect changes since: the SHA-256 of the
	// file's bytes, or the Digest of the stored workflow.
	Digest string `json:"digest,omitzero"`
}

// IsNew reports whether the workflow was never saved anywhere.
func (o Origin) IsNew() bool { return o.File == "" && o.ID == "" }

// Same reports whether both are the same file or stored workflow, in any version. New
// workflows have no origin and are never the same.
func (o Origin) Same(p Origin) bool {
	o.Digest, p.Digest = "", ""
	return o == p && !o.IsNew()
}

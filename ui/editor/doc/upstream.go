package doc

// Upstream returns nodes with all from which wires lead to them.
func (d *Document) Upstream(ids ...string) []string { return d.along(ids, false) }

// Downstream returns nodes with all to which wires lead from them.
func (d *Document) Downstream(ids ...string) []string { return d.along(ids, true) }

func (d *Document) along(ids []string, down bool) []string {
	all := map[string]bool{}
	for _, id := range ids {
		for reached := range d.reach(id, down) {
			if _, there := d.at(reached); there {
				all[reached] = true
			}
		}
	}
	return keys(all)
}

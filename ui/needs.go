package ui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/places"
)

// there is what a place has of what a workflow needs.
type there struct {
	accounts  map[string]credentials.State
	variables map[string]bool
	// What could not be asked is not missing.
	noAccounts, noVariables bool
}

// Needs shows the accounts and variables that what is open needs, and which of them the place
// does not have.
func (p *where) Needs() {
	work := p.desk.Work()
	if work == nil {
		return
	}
	needs, here := work.Document.Needs(), p.places.Here()
	p.jobs.Go(job.Telling(user{p.dialogs, p.views}, lang.L("Looking what is there…"), func(ctx context.Context) (func(), error) {
		has := askThere(ctx, here, needs)
		return func() {
			if p.desk.Work() == work {
				p.dialogs.ShowNeeds(p.needed(needs, has))
			}
		}, nil
	}))
}

// askThere asks a place what it has.
func askThere(ctx context.Context, at places.Place, needs []doc.Need) there {
	has := there{accounts: map[string]credentials.State{}, variables: map[string]bool{}}
	known, err := at.Accounts.Accounts(ctx)
	has.noAccounts = err != nil
	for i := range known {
		has.accounts[string(known[i].Ref)] = known[i].State
	}
	i := slices.IndexFunc(needs, func(n doc.Need) bool { return n.Variable })
	if i < 0 {
		return has
	}
	var names []node.Choice
	names, err = at.Backend.Choices(ctx, needs[i].Type, needs[i].Port, map[string]any{})
	has.noVariables = err != nil
	for _, c := range names {
		if name, ok := c.Value.(string); ok {
			has.variables[name] = true
		}
	}
	return has
}

// needed are the lines of the list: what is missing first, each thing once with all nodes
// that need it.
func (p *where) needed(needs []doc.Need, has there) []ask.Need {
	var all []ask.Need
	at := map[string]int{}
	for _, n := range needs {
		key := n.Name
		if n.Name == "" {
			key = "\x00" + n.Path + "\x00" + n.Port // each has its own
		}
		if i, known := at[key]; known {
			all[i].Nodes = append(all[i].Nodes, p.placeOf(n))
			continue
		}
		at[key] = len(all)
		all = append(all, p.need(n, has))
	}
	slices.SortStableFunc(all, func(a, b ask.Need) int {
		return cmp.Compare(rank(a.Missing), rank(b.Missing))
	})
	return all
}

func rank(missing bool) int {
	if missing {
		return 0
	}
	return 1
}

func (p *where) placeOf(n doc.Need) ask.NeedPlace {
	return ask.NeedPlace{Title: cmp.Or(p.views.titleOf(n.Path), n.Path), Show: func() {
		p.views.showNode(n.Path)
		p.views.Edit(n.Port)
	}}
}

func (p *where) need(n doc.Need, has there) ask.Need {
	need := ask.Need{Name: n.Name, Nodes: []ask.NeedPlace{p.placeOf(n)}}
	network := ""
	if len(n.Networks) == 1 {
		network = n.Networks[0]
	}
	if before, _, ok := strings.Cut(n.Name, ":"); ok && !n.Variable {
		network = before
	}
	switch {
	case n.Variable && n.Name == "":
		need.Name, need.State, need.Missing = lang.L("A variable"), lang.L("none is named yet"), true
	case n.Variable:
		need.State, need.Missing = variableState(n.Name, has)
	case n.Name == "":
		need.Name, need.State, need.Missing = lang.L("An account"), lang.L("none is chosen yet"), true
	default:
		need.State, need.Missing = accountState(n.Name, has)
	}
	if !n.Variable && need.Missing {
		need.Mend = func() { p.showAccounts(network, func(string) { p.Needs() }) }
	}
	return need
}

func variableState(name string, has there) (state string, missing bool) {
	switch {
	case has.noVariables:
		return lang.L("nobody can say whether it is set"), false
	case has.variables[name]:
		return lang.L("is set"), false
	}
	return lang.L("is not set"), true
}

func accountState(ref string, has there) (state string, missing bool) {
	found, ok := has.accounts[ref]
	switch {
	case has.noAccounts:
		return lang.L("nobody can say whether it is connected"), false
	case !ok:
		return lang.L("is not connected"), true
	case found == credentials.StateValid || found == credentials.StateExpiring:
		return lang.L("is connected"), false
	}
	return lang.L("has to be connected again"), true
}

package ui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/job"
)

// hostCommands lets the user choose where to work.
type hostCommands struct {
	*parts

	views *views
}

// Choose lets the user choose the host.
func (p *hostCommands) Choose() {
	choose := func(address string) *fyne.MenuItem {
		item := fyne.NewMenuItem(hosts.NameOf(address), func() { p.hosts.GoTo(address, nil) })
		item.Checked = p.hosts.Here().URL == address
		return item
	}
	items := []*fyne.MenuItem{choose("")}
	for _, address := range p.hosts.Known() {
		items = append(items, choose(address))
	}
	items = append(items, fyne.NewMenuItemSeparator())
	items = append(items, p.commands.Menu("place.connect", "place.forget", "", "place.serve").Items...)
	menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), p.views.win.Canvas())
	button := p.views.top.place
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(button)
	menu.ShowAtPosition(at.AddXY(0, button.Size().Height+4))
}

// Ask asks for a server and switches to it.
func (p *hostCommands) Ask() { p.hosts.AskServer() }

// Away reports whether the user works at a server.
func (p *hostCommands) Away() bool { return p.hosts.Here().URL != "" }

// Forget deletes the current server from the list.
func (p *hostCommands) Forget() { p.hosts.Forget() }

// Serving reports whether this computer's own server runs.
func (p *hostCommands) Serving() bool { return p.hosts.Served() != "" }

// Serve starts or stops this computer's own server.
func (p *hostCommands) Serve() { p.hosts.Serve() }

// Accounts shows the accounts of the host.
func (p *hostCommands) Accounts() { p.showAccounts("", nil) }

// showAccounts shows the accounts of the host. If a network is named, it starts connecting an
// account of it, and calls then with its reference.
func (p *hostCommands) showAccounts(network string, then func(ref string)) {
	const width, height = 620, 520
	view := p.views.accounts
	hide := p.dialogs.Show(p.hosts.Here().Name(), view.Object(), fyne.NewSize(width, height), p.views.names.learn)
	view.Reload()
	if then != nil {
		view.Connect(network, func(ref string) {
			hide()
			then(ref)
		})
	}
}

// names caches the accounts and workflows of the host for the fields that offer them.
type names struct {
	here     func() hosts.Host
	asking   *job.Latest
	choosing *job.Latest
	accounts []string
	stored   []string
}

// choices asks the host for the values that an input can take.
func (n *names) choices(typ, port string, config map[string]any, then func([]node.Choice, error)) {
	place := n.here()
	n.choosing.Now(func(ctx context.Context) func() {
		all, err := place.Backend.Choices(ctx, typ, port, config)
		return func() { then(all, err) }
	})
}

// learn asks the host again.
func (n *names) learn() {
	place := n.here()
	n.asking.Now(func(ctx context.Context) func() {
		accounts, err := place.Accounts.Accounts(ctx)
		if err != nil {
			accounts = nil // the view of accounts shows the error
		}
		stored, err := workflow.All(ctx, place.Backend.Workflows)
		if err != nil {
			stored = nil
		}
		return func() {
			n.accounts, n.stored = nil, nil
			for i := range accounts {
				n.accounts = append(n.accounts, string(accounts[i].Ref))
			}
			for i := range stored {
				n.stored = append(n.stored, stored[i].ID)
			}
		}
	})
}

// available is what a host has of what a workflow needs.
type available struct {
	accounts  map[string]credentials.State
	variables map[string]bool
	// Accounts or variables that could not be listed do not count as missing.
	noAccounts, noVariables bool
}

// Needs shows which accounts and variables the open workflow needs, and which of them the
// host lacks.
func (p *hostCommands) Needs() {
	work := p.workspace.Active()
	if work == nil {
		return
	}
	needs, here := work.Document.Needs(), p.hosts.Here()
	p.jobs.Go(job.Reporting(user{p.dialogs, p.views}, lang.L("Looking what is there…"), func(ctx context.Context) (func(), error) {
		has := askThere(ctx, here, needs)
		return func() {
			if p.workspace.Active() == work {
				p.dialogs.ShowNeeds(p.needed(needs, has))
			}
		}, nil
	}))
}

// askThere lists the accounts and variables of a host.
func askThere(ctx context.Context, at hosts.Host, needs []doc.Need) available {
	has := available{accounts: map[string]credentials.State{}, variables: map[string]bool{}}
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

// needed returns the lines of the list: missing ones first, each thing once with all nodes
// that need it.
func (p *hostCommands) needed(needs []doc.Need, has available) []ask.Need {
	var all []ask.Need
	at := map[string]int{}
	for _, n := range needs {
		key := n.Name
		if n.Name == "" {
			key = "\x00" + n.Path + "\x00" + n.Port // it is not shared
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

func (p *hostCommands) placeOf(n doc.Need) ask.NeedPlace {
	return ask.NeedPlace{Title: cmp.Or(p.views.titleOf(n.Path), n.Path), Show: func() {
		p.views.showNode(n.Path)
		p.views.Edit(n.Port)
	}}
}

func (p *hostCommands) need(n doc.Need, has available) ask.Need {
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

func variableState(name string, has available) (state string, missing bool) {
	switch {
	case has.noVariables:
		return lang.L("whether it is set is not known"), false
	case has.variables[name]:
		return lang.L("is set"), false
	}
	return lang.L("is not set"), true
}

func accountState(ref string, has available) (state string, missing bool) {
	found, ok := has.accounts[ref]
	switch {
	case has.noAccounts:
		return lang.L("whether it is connected is not known"), false
	case !ok:
		return lang.L("is not connected"), true
	case found == credentials.StateValid || found == credentials.StateExpiring:
		return lang.L("is connected"), false
	}
	return lang.L("has to be connected again"), true
}

// The page about accounts: which there are, testing and forgetting them, and setting
// keys, passwords and tokens. No secret ever comes back.

// kindFields are the fields of each kind of credential: * asks for what is secret, ? may
// be left out.
const kindFields = {
  "bearer": ["access_token*"],
  "basic": ["username?", "password*?"],
  "header": ["name", "value*"],
  "query": ["name", "value*"],
  "oauth2": ["access_token*", "refresh_token*?", "expires_at?", "scope?"],
  "client_credentials": ["token_url", "client_id", "client_secret*", "scopes?"],
  "password": ["username?", "password*"],
  "hmac": ["secret*"],
  "key": ["pem*"],
  "dsn": ["dsn*"]
};

async function accountsPage(signal) {
  titled('Accounts');
  const [accounts, networks] = await Promise.all([get('/credentials', signal), get('/credentials/networks', signal)]);
  const path = (account) => '/credentials/' + segment(account.ref);
  const row = (account) => {
    const verdict = h('div', {role: 'status'}, account.note || null);
    const act = (label, work) => h('button', {type: 'button', click: async (event) => {
      event.target.disabled = true;
      verdict.className = 'dim';
      try {
        verdict.textContent = (await work()) || '';
      } catch (error) {
        verdict.className = 'fault';
        verdict.textContent = error.message;
      }
      event.target.disabled = false;
    }}, label);
    return h('tr', null,
      h('td', null, h('span.mono', null, account.ref), h('div.dim', null, [account.kind, ...(account.hosts || [])].filter(Boolean).join(' '))),
      h('td', null, state(account.state)), h('td', null, account.source), h('td', null, moment(account.expiresAt)),
      h('td', null,
        act('Test', async () => { await post(path(account) + '/test'); return 'It works.'; }), ' ',
        act('Forget', async () => { await send('DELETE', path(account)); await accountsPage(signal); }), verdict));
  };
  show(
    accounts.length
      ? h('section.panel', null, h('h1', null, 'Accounts'), stacked(['Account', 'State', 'Kept in', 'Valid until', ''], accounts.map(row)))
      : h('section.panel.empty', null, h('h1', null, 'No accounts yet'), h('p', null, 'Set or connect one below.')),
    h('div.two', null,
      h('section.panel', null, h('h2', null, 'Set an account'), accountForm(networks, () => accountsPage(signal))),
      h('section.panel', null, h('h2', null, 'Connect an account'), loginForm(networks, signal, () => accountsPage(signal)))),
    h('section.panel', null, h('h2', null, 'Networks'), networksTable(networks)));
}

// accountForm asks for a credential and stores it.
function accountForm(networks, done) {
  const ref = h('input', {id: 'account-ref', required: true, placeholder: 'http:slack', autocomplete: 'off', list: 'account-refs'});
  const kind = h('select', {id: 'account-kind', change: () => ask()}, Object.keys(kindFields).map((name) => h('option', {value: name}, name)));
  const hosts = h('input', {id: 'account-hosts', placeholder: 'api.example.com *.example.org', autocomplete: 'off'});
  const fields = h('div');
  const fault = h('p.fault', {role: 'alert'});
  let controls = new Map();
  const ask = () => {
    controls = new Map();
    fill(fields, kindFields[kind.value].map((text) => {
      const [, name, secret, optional] = /^(\w+)(\*?)(\??)$/.exec(text);
      const attributes = {id: 'account-' + name, required: !optional, autocomplete: 'off', spellcheck: 'false'};
      const control = name === 'pem' ? h('textarea', {...attributes, rows: 6}) : h('input', {...attributes, type: secret ? 'password' : 'text'});
      controls.set(name, control);
      return [h('label', {for: 'account-' + name}, name.replaceAll('_', ' ')), control];
    }));
  };
  const submit = async (event) => {
    event.preventDefault();
    fault.textContent = '';
    const body = {kind: kind.value};
    for (const [name, control] of controls) if (control.value || kind.value === 'basic') body[name] = control.value;
    const only = hosts.value.split(/[\s,]+/).filter(Boolean);
    if (only.length) body.hosts = only;
    try {
      await send('PUT', '/credentials/' + segment(ref.value.trim()), {body});
      await done();
    } catch (error) {
      fault.textContent = error.message;
    }
  };
  ask();
  return h('form', {submit}, h('label', {for: 'account-ref'}, 'Network and account'), ref,
    h('datalist', {id: 'account-refs'}, networks.map(({name, label}) => h('option', {value: name + ':main'}, label))), h('label', {for: 'account-kind'}, 'Kind'), kind, fields,
    h('label', {for: 'account-hosts'}, 'Hosts'), hosts,
    h('p.dim', null, 'Only these get it. Left empty, those of the network do; the network http has none.'),
    h('button.main', {type: 'submit'}, 'Save'), fault);
}

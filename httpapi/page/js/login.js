// Accounts that are connected by a login at their network, in a tab of its own.

function loginForm(networks, signal, done) {
  const offered = networks.filter(({logins}) => logins);
  const ready = offered.filter(({ready}) => ready);
  if (!ready.length) {
    return h('p.dim', null, offered.length ? 'The server is not set up for logins yet: ' + offered[0].note + '. The networks below say what each of them needs.'
      : 'The server knows no network with logins.');
  }
  const network = h('select', {id: 'login-network'}, ready.map(({name, label}) => h('option', {value: name}, label)));
  const account = h('input', {id: 'login-account', value: 'main', required: true, pattern: '[a-z0-9]([a-z0-9_\\-]*[a-z0-9])?', autocomplete: 'off'});
  const told = h('div', {role: 'status'});
  const button = h('button.main', {type: 'submit'}, 'Connect');
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    fill(told);
    try {
      const begun = await post('/auth/' + segment(network.value) + '/login', {account: account.value});
      openLogin(begun, told);
      const outcome = await outcomeOf(network.value, begun.loginId, signal);
      if (signal.aborted) return;
      if (outcome.state === 'complete') await done();
      else fill(told, h('p.fault', null, outcome.detail || 'The account was not connected.'));
    } catch (error) {
      if (!signal.aborted) fill(told, h('p.fault', null, error.message));
    }
    button.disabled = false;
  };
  return h('form', {submit}, h('label', {for: 'login-network'}, 'Network'), network, h('label', {for: 'login-account'}, 'Account'), account, button, told);
}

// openLogin opens the network's page, if it is a web page, and leaves a link to it for
// browsers that open no tabs by themselves.
function openLogin({authorizeUrl}, told) {
  const {protocol, hostname} = new URL(authorizeUrl);
  const here = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && here)) throw new Error('The network’s login is no web page that is safe to open: it has to begin with https.');
  fill(told, h('p', null, 'Log in at ', h('a.login', {href: authorizeUrl, target: '_blank', rel: 'noopener noreferrer'}, 'the network’s page'),
    ', which opens in a tab of its own. This one waits.'));
  window.open(authorizeUrl, '_blank', 'noopener,noreferrer');
}

// outcomeOf waits until a login has ended.
async function outcomeOf(network, loginId, signal) {
  for (;;) {
    await pause(1000, signal);
    if (signal.aborted) return {};
    const outcome = await get('/auth/' + segment(network) + '/logins/' + segment(loginId), signal);
    if (outcome.state !== 'pending') return outcome;
  }
}

function networksTable(networks) {
  return stacked(['Network', 'Name', 'Logins', 'Its tokens go to'], networks.map((network) => h('tr', null,
    h('td', null, network.label), h('td.mono', null, network.name),
    h('td', null, !network.logins ? h('span.dim', null, 'none: its accounts are set') : network.ready ? 'ready' : h('span.dim', null, network.note)),
    h('td.mono', null, (network.hosts || []).join(' ')))));
}

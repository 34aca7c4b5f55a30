// A provider on a free port of 127.0.0.1, with its own pages for login and consent.
// It prints its address. Arguments: JSON {"codeSeconds", "accessSeconds", "redirect"}.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const { codeSeconds, accessSeconds, redirect } = JSON.parse(process.argv[2]);
const grants = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
const server = createServer();

server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      // A desktop: no secret, and any port of the loopback address (RFC 8252).
      { ...grants, client_id: 'desktop', application_type: 'native', token_endpoint_auth_method: 'none', redirect_uris: ['http://127.0.0.1/callback'] },
      { ...grants, client_id: 'server', client_secret: 'a secret of 32 characters or more', redirect_uris: [redirect] },
    ],
    scopes: ['openid', 'offline_access', 'profile', 'email'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    cookies: { keys: ['of a test'] },
    ttl: { AccessToken: accessSeconds, AuthorizationCode: codeSeconds, RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 600, IdToken: 3600 },
  });
  provider.on('grant.revoked', () => console.log('revoked'));
  server.on('request', provider.callback());
  console.log(issuer);
});

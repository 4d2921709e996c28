// A push bot in TypeScript (Node 18 or newer), with nothing but the standard library.
//
// npm install && npm run build
// MONTEGO_BOT_SECRET=whsec_… node push.js 9001
// (Without the secret, anybody who can reach the port may ask.)
import { createHmac, timingSafeEqual } from 'node:crypto';
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const information = { protocol: 'montego-bay/1', name: 'typescript-push', version: '1', author: 'you' };

/** What this example needs of an ask. The package montego-bot has the types of everything in it. */
interface Ask {
  decision: { id: string; seat: number; type: 'hire' | 'play' | 'load' | 'unload' };
  legal_actions: Action[];
}

type Action = { type: string } & Record<string, unknown>;

// Your idea goes here: return one of ask.legal_actions. This example picks one at random.
function choose(ask: Ask): Action {
  const chosen = ask.legal_actions[Math.floor(Math.random() * ask.legal_actions.length)];
  if (!chosen) throw new Error('an ask has at least one legal action');
  return chosen;
}

// Standard Webhooks: HMAC-SHA256 over id, time and body, not older than five minutes.
function isSigned(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const secret = (process.env['MONTEGO_BOT_SECRET'] ?? '').trim();
  if (!secret) return true;
  const at = String(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const good = createHmac('sha256', key).update(`${headers['webhook-id']}.${at}.`).update(body).digest();
  // After a rotation there are two signatures, one for each valid secret.
  return String(headers['webhook-signature']).split(' ').some((one) => {
    const [version, signature = ''] = one.split(',');
    const sent = Buffer.from(signature, 'base64');
    return version === 'v1' && sent.length === good.length && timingSafeEqual(sent, good);
  });
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

function post(path: string | undefined, body: Buffer, response: ServerResponse): void {
  if (path !== '/act') return reply(response, path === '/start' || path === '/end' ? 200 : 404, {});
  try {
    reply(response, 200, { action: choose(JSON.parse(body.toString()) as Ask) });
  } catch (error) {
    // Without this, an error in choose would end the program.
    console.error(error);
    reply(response, error instanceof SyntaxError ? 400 : 500, { title: String(error) });
  }
}

const server = http.createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces);
    if (request.method === 'GET') reply(response, request.url === '/' ? 200 : 404, information);
    else if (!isSigned(request.headers, body)) reply(response, 401, { title: 'the signature does not fit' });
    else post(request.url, body, response);
  });
});

// Node closes connections that are idle for 5 seconds; between two asks there may be more.
server.keepAliveTimeout = 120_000;
// In a container: 0.0.0.0.
const host = process.env['MONTEGO_BOT_HOST'] ?? '127.0.0.1';
server.listen(Number(process.argv[2]), host, () => {
  console.log(`listening at http://${host}:${(server.address() as AddressInfo).port}`);
});

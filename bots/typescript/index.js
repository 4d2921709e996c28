// The kit for bots in JavaScript: you write one function, and the kit does the rest of the bot protocol.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export const PROTOCOL = 'montego-bay/1';
// The largest request in bytes; an ask has about ten thousand.
const MAX_BODY = 4 * 1024 * 1024;
// By how much the time of a request may differ from ours (Standard Webhooks).
const TOLERANCE_S = 300;
// The longest pause before a call that failed is made again, and for how long an answer is sent again.
const MAX_PAUSE_MS = 2000;
const RETRY_MS = 60_000;
// So many characters of the reason why a bot has no answer are sent to the service.
const MAX_REASON = 200;
const POLL_WAIT_S = 25;
const CALL_MS = 60_000;

/** A choice that is no legal action. The author is told, and nothing is sent. */
export class BadChoice extends Error {}

/** The service refuses to serve this bot; the message has its answer. */
export class Refused extends Error {}

/** A bot made of a function, or the bot itself. */
export function asBot(bot) {
  return typeof bot === 'function' ? { name: bot.name || 'bot', act: bot } : bot;
}

/** The body of the bot's answer to an ask: `{action}` or `{action, comment}`. Rejects with BadChoice. */
export async function answer(bot, ask) {
  const chosen = await asBot(bot).act(ask);
  const commented = chosen !== null && typeof chosen === 'object' && 'choice' in chosen;
  const action = legalAction(commented ? chosen.choice : chosen, ask);
  return commented ? { action, comment: String(chosen.comment).slice(0, 500) } : { action };
}

function legalAction(choice, ask) {
  const legal = ask.legal_actions;
  const where = `decision ${ask.decision.id} (${legal.length} legal actions)`;
  if (typeof choice === 'number') {
    if (!Number.isInteger(choice) || !(choice in legal)) throw new BadChoice(`${where}: there is no index ${choice}`);
    return legal[choice];
  }
  if (choice === null || typeof choice !== 'object') {
    throw new BadChoice(`${where}: expected an action or an index, and act returned ${String(choice)}`);
  }
  const wanted = content(choice);
  const found = legal.find((action) => content(action) === wanted);
  if (!found) throw new BadChoice(`${where}: ${JSON.stringify(choice)} is not legal`);
  return found;
}

// An action as a text that is the same for every order of its members; a count of 0 may be written out.
function content(action) {
  const { ships = {}, ...rest } = action;
  const loaded = Object.entries(ships).filter(([, barrels]) => barrels !== 0).sort();
  return JSON.stringify([Object.entries(rest).sort(), loaded]);
}

/** Whether one of the secrets (`whsec_…`) has signed a request. `body` is a Buffer, byte for byte as it came. */
export function isSigned(secrets, headers, body) {
  const id = headers['webhook-id'];
  const at = headers['webhook-timestamp'];
  if (!id || !(Math.abs(Date.now() / 1000 - Number(at)) <= TOLERANCE_S)) return false;
  // After a rotation there are two signatures, one for each valid secret.
  const sent = String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'));
  return secrets.some((secret) => {
    const good = createHmac('sha256', secretKey(secret)).update(`${id}.${at}.`).update(body).digest();
    return sent.some((one) => one.length === good.length && timingSafeEqual(one, good));
  });
}

function secretKey(secret) {
  const found = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret);
  if (!found) throw new TypeError('not a signing secret such as whsec_…');
  return Buffer.from(found[1], 'base64');
}

/** A server for a push bot. With `secrets`, what is not signed with one of them is refused. */
export function pushServer(bot, { secrets = [] } = {}) {
  const player = asBot(bot);
  secrets.forEach(secretKey);
  const server = http.createServer((request, response) => {
    handle(player, secrets, request).then(
      ({ status, body, headers }) => reply(response, status, body, headers),
      () => response.destroy(),
    );
  });
  // Node closes connections that are idle for 5 seconds; between two asks there may be more.
  server.keepAliveTimeout = 120_000;
  return server;
}

function reply(response, status, value, headers = {}) {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

const problem = (status, title, detail) => ({ status, body: { status, title, detail } });

async function handle(bot, secrets, request) {
  const path = request.url.split('?')[0];
  const method = { '/': 'GET', '/act': 'POST', '/start': 'POST', '/end': 'POST' }[path];
  const body = await readBody(request);
  if (body === null) return { ...problem(413, 'too large', `at most ${MAX_BODY} bytes are read`), headers: { Connection: 'close' } };
  if (!method) return problem(404, 'not found', `there is no ${path.slice(0, 100)}`);
  if (request.method !== method) {
    return { ...problem(405, 'method not allowed', `${path} is called by ${method}`), headers: { Allow: method } };
  }
  if (path === '/') {
    const { name = 'bot', version = '1', author = '' } = bot;
    return { status: 200, body: { protocol: PROTOCOL, name, version, author } };
  }
  if (secrets.length && !isSigned(secrets, request.headers, body)) {
    return problem(401, 'unauthorized', 'the signature was refused: is the secret current, and the clock right?');
  }
  let message;
  try {
    message = readMessage(path, body);
  } catch (error) {
    return problem(400, 'bad message', error.message);
  }
  try {
    if (path === '/act') return { status: 200, body: await answer(bot, message) };
    await (path === '/start' ? bot.onStart?.(message) : bot.onEnd?.(message));
    return { status: 200, body: {} };
  } catch (error) {
    console.error(error);
    return problem(500, 'the bot failed', String(error));
  }
}

async function readBody(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > MAX_BODY) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function readMessage(path, body) {
  const message = JSON.parse(body.toString('utf8'));
  const spoken = path === '/end' ? PROTOCOL : message?.protocol;
  if (spoken !== PROTOCOL) throw new TypeError(`this bot speaks ${PROTOCOL}, and the message says ${spoken}`);
  if (path === '/act' && !(Array.isArray(message.legal_actions) && message.legal_actions.length && message.decision)) {
    throw new TypeError('the ask has no decision or no legal actions');
  }
  return message;
}

/** Serves a push bot; resolves to the server as soon as it listens. Port 0 takes a free one. */
export async function runPush(bot, { port, host = '127.0.0.1', secrets = [] }) {
  const server = pushServer(bot, { secrets });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/** Plays a poll bot until `signal` is aborted. Rejects with Refused if the service does not know the token. */
export async function runPoll(bot, { url, token, signal }) {
  const player = asBot(bot);
  const service = new Service(url, token, signal);
  const taken = new Set();
  const notified = new Set();
  let cursor;
  let pause = 250;
  while (!signal?.aborted) {
    const query = new URLSearchParams({ version: player.version ?? '1' });
    if (cursor !== undefined) {
      query.set('after', cursor);
      query.set('wait', String(POLL_WAIT_S));
    }
    let found;
    try {
      found = await service.call('GET', `/v1/bots/me/decisions?${query}`);
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof Again)) throw error;
      console.error(`${error.message}; trying again`);
      await sleep(error.afterMs ?? pause, undefined, { signal }).catch(() => {});
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
      continue;
    }
    pause = 250;
    cursor = found.cursor;
    for (const notice of news(notified, found.notices ?? [], (one) => `${one.type} ${one.game}`)) {
      try {
        await (notice.type === 'start' ? player.onStart?.(notice) : player.onEnd?.(notice));
      } catch (error) {
        console.error(error);
      }
    }
    for (const ask of news(taken, found.decisions, (one) => `${one.game} ${one.decision.id} ${one.attempt}`)) {
      answerOverPoll(player, service, ask);
    }
  }
}

// The items that are not in `known`, which then has the items that are listed now: what is no longer listed does not come back.
function news(known, items, keyOf) {
  const fresh = items.filter((item) => !known.has(keyOf(item)));
  known.clear();
  items.forEach((item) => known.add(keyOf(item)));
  return fresh;
}

// In a match the service is told that there is no answer: the decision is settled at once, and the clock stops.
async function answerOverPoll(bot, service, ask) {
  let body;
  try {
    body = await answer(bot, ask);
  } catch (error) {
    console.error(`there is no answer to ${ask.decision.id}:`, error);
    if (ask.match === null) return;
    body = { comment: String(error).slice(0, MAX_REASON) };
  }
  body.decision = ask.decision.id;
  try {
    const until = Date.now() + RETRY_MS;
    for (let pause = 100; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        return void (await service.call('POST', `/v1/games/${ask.game}/actions`, body));
      } catch (error) {
        // It is safe to send an answer again: the same one counts once.
        if (!(error instanceof Again) || service.isOver || Date.now() > until) throw error;
        await sleep(error.afterMs ?? pause);
      }
    }
  } catch (error) {
    if (body.action || error instanceof Again) console.error(`no answer counted for ${ask.decision.id}:`, error);
  }
}

/** A failure that may pass. */
class Again extends Error {
  constructor(message, after) {
    super(message);
    this.afterMs = Number(after) > 0 ? Number(after) * 1000 : undefined;
  }
}

class Service {
  constructor(url, token, signal) {
    const trimmed = String(token ?? '').trim();
    if (!/^[!-~]+$/.test(trimmed)) throw new Refused('the token is empty, or has a special character in it');
    this.base = url.replace(/\/+$/, '');
    this.headers = { Authorization: `Bearer ${trimmed}`, 'Content-Type': 'application/json' };
    this.signal = signal;
  }

  get isOver() {
    return this.signal?.aborted ?? false;
  }

  /** The JSON answer. Rejects with Again if it may succeed later, else with Refused. */
  async call(method, path, body) {
    const within = AbortSignal.timeout(CALL_MS);
    const abort = new AbortController();
    const end = () => abort.abort();
    within.addEventListener('abort', end);
    if (method === 'GET') this.signal?.addEventListener('abort', end);
    try {
      const given = { method, headers: this.headers, signal: abort.signal, body: body && JSON.stringify(body) };
      const response = await fetch(this.base + path, given).catch((error) => {
        throw new Again(`${this.base} cannot be reached (${error.cause?.code ?? error.name})`);
      });
      const text = await response.text().catch(() => {
        throw new Again(`${this.base} broke off its answer`);
      });
      if (response.ok) return JSON.parse(text);
      const refusal = `${response.status} ${text.slice(0, 500)}`;
      if (response.status === 429 || response.status >= 500) throw new Again(refusal, response.headers.get('retry-after'));
      throw new Refused(refusal);
    } finally {
      within.removeEventListener('abort', end);
      this.signal?.removeEventListener('abort', end);
    }
  }
}

#!/usr/bin/env node
// montego-bot: serves the bot of a file, plays it against others, or asks it again what it got wrong.
import { spawn } from 'node:child_process';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runPoll, runPush } from './index.js';

const USAGE = `usage:
  montego-bot push FILE [--port 9000] [--host 127.0.0.1]   MONTEGO_BOT_SECRET: the bot's secret
  montego-bot poll FILE --url URL                          MONTEGO_BOT_TOKEN: the bot's token
  montego-bot play FILE [--against greedy]... [--deals 3]  a tournament on this machine; needs the command montego
  montego-bot replay FILE RECORD DECISION                  asks again what an entry of the fault ledger names

FILE exports a function or a bot as its default.`;
const DECISION = /^(\d{1,4})\.(?:hire|play|load|unload)\.([0-3])\.\d{1,4}$/;

class UsageError extends Error {}

async function loadBot(file) {
  const found = (await import(pathToFileURL(resolve(file)).href)).default;
  if (typeof found !== 'function' && typeof found?.act !== 'function') {
    throw new UsageError(`${file} exports neither a function nor a bot with a method act as its default`);
  }
  const bot = typeof found === 'function' ? { act: found } : found;
  bot.name ??= nameOf(file);
  return bot;
}

const nameOf = (file) => basename(file).replace(/\.[cm]?js$/, '').toLowerCase().replace(/[^a-z0-9._-]+/g, '-').slice(0, 40);

const urlOf = (server) => `http://127.0.0.1:${server.address().port}`;

/** Runs `montego`, which deals and referees, and resolves to its exit code. */
function montego(...command) {
  const name = process.env.MONTEGO_COMMAND || 'montego';
  return new Promise((done, failed) => {
    const child = spawn(name, command, { stdio: 'inherit' });
    child.on('error', () => failed(new UsageError(`the command ${name} was not found: install montego-bay, or set MONTEGO_COMMAND`)));
    child.on('close', (code) => done(code ?? 1));
  });
}

async function main([command, ...rest]) {
  const strings = { port: { type: 'string' }, host: { type: 'string' }, url: { type: 'string' }, deals: { type: 'string' } };
  const options = { ...strings, against: { type: 'string', multiple: true } };
  const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
  const [file, record, decision] = positionals;
  if (!['push', 'poll', 'play', 'replay'].includes(command) || !file) throw new UsageError(USAGE);
  const bot = await loadBot(file);
  if (command === 'push') {
    const secrets = (process.env.MONTEGO_BOT_SECRET ?? '').split(/\s+/).filter(Boolean);
    const server = await runPush(bot, { port: Number(values.port ?? 9000), host: values.host, secrets });
    console.log(`${bot.name} listens at http://${values.host ?? '127.0.0.1'}:${server.address().port}`);
    return undefined;
  }
  if (command === 'poll') {
    if (!values.url) throw new UsageError(USAGE);
    await runPoll(bot, { url: values.url, token: process.env.MONTEGO_BOT_TOKEN });
    return 0;
  }
  const asked = DECISION.exec(decision ?? '');
  if (command === 'replay' && !asked) throw new UsageError(`${decision} is not the id of a decision, such as 3.load.1.0`);
  const server = await runPush(bot, { port: 0 });
  try {
    if (command === 'replay') {
      return await montego('ask', record, '--round', asked[1], '--seat', asked[2], '--bot', urlOf(server));
    }
    const against = (values.against ?? ['greedy']).flatMap((name) => ['--against', name]);
    return await montego('play', `${nameOf(file)}=${urlOf(server)}`, ...against, '--deals', values.deals ?? '3');
  } finally {
    server.close();
    server.closeAllConnections?.();
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    if (code !== undefined) process.exitCode = code;
  },
  (error) => {
    console.error(error instanceof UsageError ? error.message : `Error: ${error.message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);

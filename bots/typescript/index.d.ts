// The types of the kit. Those of the protocol are generated from the service's OpenAPI document.
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { components } from './protocol.js';

type Schemas = components['schemas'];
export type Ask = Schemas['Ask'];
export type Action = Schemas['Action'];
export type Decision = Schemas['Decision'];
export type Observation = Schemas['Observation'];
export type Start = Schemas['Start'];
export type End = Schemas['End'];

/** An entry of `ask.legal_actions`, an equal object, or an index into them; with or without a comment for the game's record. */
export type Choice = Action | number | { choice: Action | number; comment: string };

export interface Bot {
  name?: string;
  version?: string;
  author?: string;
  act(ask: Ask): Choice | Promise<Choice>;
  onStart?(start: Start): void | Promise<void>;
  onEnd?(end: End): void | Promise<void>;
}

export type Chooser = (ask: Ask) => Choice | Promise<Choice>;

export declare const PROTOCOL: 'montego-bay/1';
export declare class BadChoice extends Error {}
export declare class Refused extends Error {}
export declare function asBot(bot: Bot | Chooser): Bot;
export declare function answer(bot: Bot | Chooser, ask: Ask): Promise<{ action: Action; comment?: string }>;
export declare function isSigned(secrets: string[], headers: IncomingHttpHeaders, body: Buffer): boolean;
export declare function pushServer(bot: Bot | Chooser, options?: { secrets?: string[] }): Server;
export declare function runPush(
  bot: Bot | Chooser,
  options: { port: number; host?: string; secrets?: string[] },
): Promise<Server>;
export declare function runPoll(
  bot: Bot | Chooser,
  options: { url: string; token: string | undefined; signal?: AbortSignal },
): Promise<void>;

// The controls of a replay: steps, play, keys, and how live news and looking back go together. Without this module the
// same buttons are a form.
const root = document.documentElement;
root.classList.add('js');
const find = id => document.getElementById(id);

const MINUTE = 60_000;
// Only an embedded player is in a frame. Its parent learns what it shows; its address stays as it was given.
const framed = window.parent !== window;
const still = matchMedia('(prefers-reduced-motion: reduce)');
let at = 0;          // the step that is shown
let following = false; // whether live news are shown as they come
let playing = null;  // the timer of the next step while playing
let wanted = 0;      // the step that was asked for last
let reported = ''; // what the parent of the frame was sent last
let stops = {};      // where each worker stood before the swap

const bar = () => find('bar');
const last = () => Number(bar().dataset.last);
const live = () => bar().dataset.live === 'yes';
const numbers = name => bar().dataset[name].split(' ').filter(Boolean);
const rounds = () => numbers('rounds').map(Number);

function address(n) {
  return bar().dataset.fragment + n + bar().dataset.tail;
}

function pace() {
  // At speed 1 a game takes about a minute.
  return Math.min(1200, Math.max(120, MINUTE / last())) / Number(find('speed').value);
}

// Live news may not touch what somebody is looking at: htmx leaves alone what has this attribute.
function hold() {
  for (const id of ['stage', 'side', 'rooms', 'about']) find(id)?.toggleAttribute('hx-morph-skip', live() && !following);
}

function refresh() {
  const slider = find('at');
  slider.value = at;
  slider.setAttribute('aria-valuetext', find('stage').querySelector('.now p').textContent.trim());
  find('step-n').textContent = at;
  find('link').href = `/games/${bar().dataset.game}?at=${at}`;
  const play = find('play');
  play.textContent = playing ? play.dataset.pause : play.dataset.play;
  play.setAttribute('aria-pressed', String(playing !== null));
  const line = document.querySelector('.log [aria-current]');
  if (line) line.parentElement.scrollTop = line.offsetTop - line.parentElement.clientHeight + 2 * line.offsetHeight;
  bar().classList.toggle('behind', live() && !following);
  hold();
  report();
}

function rename(address) {
  if (!framed) history.replaceState(null, '', address);
}

// All of this is public, so any parent may have it.
function report() {
  const end = at === last() && !live();
  const now = `${at} ${last()} ${end}`;
  if (!framed || now === reported) return;
  reported = now;
  const game = bar().dataset.game;
  window.parent.postMessage({source: 'montego', type: end ? 'end' : 'position', game, at, last: last()}, '*');
}

async function show(n, {keepPlaying = false, quietly = false} = {}) {
  n = Math.max(1, Math.min(last(), n));
  if (!keepPlaying) pause();
  wanted = n;
  following = live() && n === last();
  hold();
  const answer = await fetch(address(n));
  if (!answer.ok || wanted !== n) return;
  const text = await answer.text();
  if (wanted !== n) return;
  for (const id of ['stage', 'side', 'rooms']) find(id)?.removeAttribute('hx-morph-skip');
  await htmx.swap({text, target: find('stage'), swap: 'outerMorph', sourceElement: find('stage')});
  at = n;
  refresh();
  if (!quietly) rename(n === last() && live() ? location.pathname : `?at=${n}`);
  if (n < last()) fetch(address(n + 1)).catch(() => {});
}

function pause() {
  clearTimeout(playing);
  playing = null;
}

function play() {
  if (playing) { pause(); refresh(); return; }
  playing = setTimeout(tick, at >= last() ? 0 : pace());
  refresh();
}

async function tick() {
  if (at >= last() && !live()) { await show(1, {keepPlaying: true, quietly: true}); }
  else if (at < last()) { await show(at + 1, {keepPlaying: true, quietly: true}); }
  if (!playing) return;
  if (at >= last()) { pause(); rename(`?at=${at}`); refresh(); return; }
  const step = pace();
  root.style.setProperty('--move', `${Math.min(600, step * 0.85)}ms`);
  playing = setTimeout(tick, step);
}

const goals = {
  'back': () => at - 1,
  'step': () => at + 1,
  'round-back': () => Math.max(1, ...rounds().filter(n => n < at)),
  'round': () => Math.min(last(), ...rounds().filter(n => n > at)),
  'decision': () => {
    const of = find('of').value;
    const next = numbers('turns').map(turn => turn.split('.')).find(([n, seat]) => n > at && (of === '' || of === seat));
    return next ? Number(next[0]) : last();
  },
  'first': () => 1,
  'last': () => last(),
};

const keys = {
  ArrowLeft: 'back', ArrowRight: 'step', Home: 'first', End: 'last', d: 'decision',
};

function pressed(event) {
  const field = event.target.closest?.('input:not([type=range]), select, textarea, dialog');
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  let goal = keys[event.key];
  if (event.shiftKey && goal === 'back') goal = 'round-back';
  if (event.shiftKey && goal === 'step') goal = 'round';
  if (goal) show(goals[goal]());
  else if (event.key === ' ' && !event.target.closest?.('button, a, summary')) play();
  else if (event.key === '?') find('help').showModal();
  else if (event.key === '+' || event.key === '-') faster(event.key === '+' ? 1 : -1);
  else return;
  event.preventDefault();
}

function faster(by) {
  const speed = find('speed');
  speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by));
}

// Workers walk along the path, and not across the warehouses: from stop to stop, in the time of one move.
function remember() {
  stops = {};
  for (const worker of document.querySelectorAll('[id^="w-"]')) stops[worker.id] = getComputedStyle(worker).transform;
}

function walk() {
  if (still.matches) return;
  for (const worker of document.querySelectorAll('[id^="w-"][data-walk]')) {
    const path = worker.dataset.walk.split(' ').map(stop => find(`stop-${stop}`)).filter(Boolean);
    if (path.length < 3 || !stops[worker.id]) continue;
    const frames = path.map(stop => getComputedStyle(stop).transform);
    if (frames[0] !== stops[worker.id] || frames.at(-1) === stops[worker.id]) continue;
    const time = parseFloat(getComputedStyle(root).getPropertyValue('--move')) || 600;
    worker.animate(frames.map(transform => ({transform})), {duration: time, easing: 'ease-in-out'});
  }
}

function start() {
  at = Number(bar().dataset.at);
  following = live() && at === last();
  document.addEventListener('keydown', pressed);
  document.addEventListener('click', event => {
    const link = event.target.closest('a.n, .rounds a');
    const button = event.target.closest('#bar button');
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      show(Number(new URL(link.href).searchParams.get('at')));
    } else if (button?.id === 'play') play();
    else if (button?.id === 'help-open') find('help').showModal();
    else if (button?.name === 'go') { event.preventDefault(); show(goals[button.value]()); }
  });
  document.addEventListener('submit', event => { if (event.target.id === 'bar') event.preventDefault(); });
  document.addEventListener('input', event => { if (event.target.id === 'at') show(Number(event.target.value)); });
  document.addEventListener('htmx:before:swap', remember);
  document.addEventListener('htmx:after:swap', event => {
    walk();
    if (event.target.id === 'live' || event.detail?.ctx?.sourceElement?.id === 'live') {
      if (following) at = Number(find('stage').dataset.at);
      refresh();
    }
  });
  refresh();
  const speed = find('embed')?.dataset.speed;
  if (speed) { find('speed').value = speed; play(); }
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();

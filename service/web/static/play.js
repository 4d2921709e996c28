// A player's page: it keeps a half-made choice over live news, and says when it is one's turn.
document.documentElement.classList.add('js');
const find = id => document.getElementById(id);
const title = document.title;

function due() {
  return find('choice')?.dataset.decision || '';
}

function begun() {
  const form = find('pick');
  if (!form) return false;
  return [...form.elements].some(field => field.type === 'radio' ? field.checked : field.name.startsWith('on-') && field.value !== '0');
}

function beep() {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.15, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.5);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.5);
}

let before = due();

function announce() {
  const tab = find('choice').dataset.tab;
  document.title = tab + title.slice(title.indexOf(' · '));
  const alarm = find('alarm');
  if (alarm) alarm.checked = localStorage.getItem('montego-alarm') === 'on';
  if (due() && due() !== before && alarm?.checked) beep();
  // Somebody who has confirmed at the bottom of a long form would not see the head of the next one.
  if (due() !== before && find('choice').getBoundingClientRect().top < 0) find('choice').scrollIntoView();
  before = due();
  const hint = document.querySelector('.hint');
  if (hint && localStorage.getItem('montego-hints') === 'off') hint.open = false;
  const line = document.querySelector('.log [aria-current]');
  if (line) line.parentElement.scrollTop = line.offsetTop - line.parentElement.clientHeight + 2 * line.offsetHeight;
}

document.addEventListener('change', event => {
  if (event.target.id === 'alarm') localStorage.setItem('montego-alarm', event.target.checked ? 'on' : 'off');
});
document.addEventListener('toggle', event => {
  if (event.target.matches('.hint')) localStorage.setItem('montego-hints', event.target.open ? 'on' : 'off');
}, true);
document.addEventListener('click', event => {
  if (event.target.matches('.invite')) event.target.select();
});
// What a form may not do, and what to do about it, the page itself says.
document.addEventListener('htmx:response:error', event => {
  if (event.detail.ctx?.sourceElement?.id !== 'live') location.reload();
});
// An answer to a form can come after news that are newer.
document.addEventListener('htmx:before:swap', event => {
  for (const task of event.detail.tasks) {
    const version = task.fragment?.querySelector?.('#stage')?.dataset.version;
    if (version !== undefined && Number(version) < Number(find('stage').dataset.version)) event.preventDefault();
  }
});
document.addEventListener('htmx:after:swap', event => {
  announce();
  // Live news draw the board as it is; what is half-made is drawn over it again.
  if (event.detail?.ctx?.sourceElement?.id === 'live' && begun()) {
    htmx.ajax('POST', find('pick').action, {source: find('pick'), target: '#stage', swap: 'outerMorph'});
  }
});
announce();

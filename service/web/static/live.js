// A page that follows something says when the connection is lost, and comes back by itself.
const AGAIN_MS = 3000;
const away = document.getElementById('away');

document.addEventListener('htmx:sse:error', () => { away.hidden = false; });
document.addEventListener('htmx:sse:after:connection', () => { away.hidden = true; });

// The first connection is an ordinary request, which htmx does not repeat.
function again(event) {
  const {sourceElement, request} = event.detail.ctx ?? {};
  if (sourceElement?.id !== 'live') return;
  away.hidden = false;
  setTimeout(() => htmx.ajax('GET', request.action, {source: sourceElement}), AGAIN_MS);
}
document.addEventListener('htmx:response:error', again);
document.addEventListener('htmx:error', event => { if (!event.detail.ctx?.response) again(event); });

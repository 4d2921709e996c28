// A link can bring a seat's token in its fragment, which no browser sends anywhere. It becomes a cookie at once.
const token = decodeURIComponent(location.hash.slice(1));
if (token.startsWith('mb_')) {
  history.replaceState(null, '', location.pathname);
  document.getElementById('token').value = token;
  document.getElementById('enter').submit();
}

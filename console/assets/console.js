// The script of the console. Every page is whole without it. It keeps live regions up to date with fragments that the server
// rendered, copies texts, and tells the server the time zone of the reader.
"use strict";

// A live region names its stream by data-live. Each event has the HTML of the whole region. A region with data-once shows something
// that begins with its stream, such as a check: it goes on while the page is hidden, and never begins again by itself.
const streams = new Map();
const ended = new WeakSet();

function listen(region) {
  if (streams.has(region) || ended.has(region)) return;
  const source = new EventSource(region.dataset.live);
  streams.set(region, source);
  source.addEventListener("fragment", (event) => swap(region, event.data));
  source.addEventListener("append", (event) => region.insertAdjacentHTML("afterbegin", event.data));
  source.addEventListener("end", () => end(region, !isOnce(region)));
  source.addEventListener("error", () => {
    // The browser tries again by itself unless the stream was refused: the session is over.
    if (source.readyState === EventSource.CLOSED || isOnce(region)) end(region, true);
  });
}

function isOnce(region) {
  return "once" in region.dataset;
}

function end(region, isStale) {
  stop(region);
  ended.add(region);
  region.classList.toggle("stale", isStale);
}

function stop(region) {
  const source = streams.get(region);
  if (source) source.close();
  streams.delete(region);
}

// Replaces what a region shows, unless the reader is at something in it.
function swap(region, html) {
  if (region.contains(document.activeElement) && document.activeElement !== document.body) return;
  region.innerHTML = html;
  region.classList.remove("stale");
  region.removeAttribute("aria-busy");
}

function listenToAll() {
  document.querySelectorAll("[data-live]").forEach(listen);
}

// A page that nobody looks at costs the server nothing.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) [...streams.keys()].filter((region) => !isOnce(region)).forEach(stop);
  else listenToAll();
});

// A button with data-copy copies that text, or what the element of the id in data-copy-of shows.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-copy-of]");
  if (!button) return;
  const of = button.dataset.copyOf;
  const text = of ? document.getElementById(of).textContent : button.dataset.copy;
  navigator.clipboard.writeText(text).then(() => {
    const before = button.textContent;
    button.textContent = button.dataset.copied || before;
    setTimeout(() => { button.textContent = before; }, 1500);
  });
});

// A select or a checkbox in a form with data-auto sends the form when it changes.
document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form && "auto" in form.dataset) form.requestSubmit();
});

// The time zone of the reader, for times that the server writes.
function tellZone() {
  const minutes = -new Date().getTimezoneOffset();
  const found = /(?:^|; )guanxi_look=([^;]*)/.exec(document.cookie);
  const words = (found ? found[1] : "").split(".").filter((word) => word && !/^z-?\d+$/.test(word));
  const value = [...words, "z" + minutes].join(".");
  if (found && found[1] === value) return;
  document.cookie = "guanxi_look=" + value + "; Path=/; SameSite=Strict; Max-Age=31536000";
  document.querySelectorAll("time[datetime]").forEach(localTime);
}

// Until the next page, which the server writes in the zone of the reader.
function localTime(time) {
  const at = new Date(time.getAttribute("datetime"));
  const two = (number) => String(number).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  const clock = [two(at.getHours()), two(at.getMinutes()), two(at.getSeconds())].join(":");
  time.title = time.textContent;
  time.textContent = day + " " + clock;
}

tellZone();
if (!document.hidden) listenToAll();

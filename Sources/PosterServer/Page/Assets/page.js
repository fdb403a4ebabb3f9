// The page works without this script. With it, lists come in place of one another without a
// new page, each is asked for again only when it is 30 minutes old or the visitor asks for it, and
// what cannot be reached is told beside what is there already.
"use strict";

const freshSeconds = 30 * 60;
const said = document.getElementById("said");
const part = () => document.getElementById("part");
const now = () => Date.now() / 1000;
let asking = null;

document.documentElement.classList.add("scripted");

// Lists seen in this tab, by language and address: { at, html }. Storage may be full or forbidden.
const kept = {
  key: (address) =>
    "list " + (document.querySelector("select[name=language]")?.value ?? "") + address,
  get(address) {
    try {
      const list = JSON.parse(sessionStorage.getItem(kept.key(address)));
      return list && now() - list.at < freshSeconds ? list : null;
    } catch { return null; }
  },
  set(address, list) {
    try { sessionStorage.setItem(kept.key(address), JSON.stringify(list)); } catch { /* no store */ }
  },
};

const addressOf = (url) => {
  const address = new URL(url, location.href);
  for (const name of ["part", "fresh", "wait"]) address.searchParams.delete(name);
  return address.pathname + address.search;
};

const localTimes = (root) => {
  for (const time of root.querySelectorAll("time[data-seconds]")) {
    const at = new Date(time.dataset.seconds * 1000);
    const day = at.toDateString() === new Date().toDateString() ? undefined : "medium";
    time.textContent = at.toLocaleString(undefined, { dateStyle: day, timeStyle: "short" });
  }
};

// Pictures fade in over the tint that is drawn in their place.
const fadeIn = (root) => {
  for (const img of root.querySelectorAll(".poster img")) {
    if (img.complete) continue;
    img.classList.add("coming");
    const arrive = () => img.classList.remove("coming");
    img.addEventListener("load", arrive, { once: true });
    img.addEventListener("error", arrive, { once: true });
  }
};

const dress = () => {
  localTimes(part());
  fadeIn(part());
  const { state, title } = part().dataset;
  if (title) document.title = title;
  for (const link of document.querySelectorAll(".again")) link.href = againAddress();
  return state;
};

const againAddress = () => {
  const address = new URL(addressOf(location.href), location.href);
  address.searchParams.set("fresh", "1");
  return address.pathname + address.search;
};

const swap = (html) => {
  const fragment = new DOMParser().parseFromString(html, "text/html");
  part().replaceWith(document.adoptNode(fragment.getElementById("part")));
  const bar = fragment.getElementById("choices");
  const old = document.getElementById("choices");
  if (bar && old) {
    const focused = old.contains(document.activeElement) ? document.activeElement.id : null;
    old.replaceWith(document.adoptNode(bar));
    if (focused) document.getElementById(focused)?.focus();
  }
  return dress();
};

const keep = (address, html) => {
  const { state, at } = part().dataset;
  if (state === "full") kept.set(address, { at: Number(at) || now(), html });
};

const busy = (isBusy) => {
  part().setAttribute("aria-busy", String(isBusy));
  document.body.classList.toggle("busy", isBusy);
};

// Tells what failed: beside the list that is there, or in its place.
const unreachable = (error, address) => {
  const offline = navigator.onLine === false;
  const what = offline ? "You are offline." : "Onesheet gives no answer.";
  const why = offline ? "The list comes when the connection is back." : String(error.message || error);
  const note = document.createElement("div");
  note.id = "unreachable";
  const again = document.createElement("a");
  again.className = "button again";
  again.href = againAddress();
  again.textContent = "Try again";
  if (part().dataset.state === "loading") {
    note.className = "empty";
    const title = document.createElement("h2");
    title.textContent = what;
    const text = document.createElement("p");
    text.textContent = why;
    note.append(title, text, again);
    part().replaceChildren(note);
    part().dataset.state = "offline";
  } else {
    document.getElementById("unreachable")?.remove();
    note.className = "notice";
    const text = document.createElement("p");
    text.textContent = what + " What you see is from before. " + (offline ? "" : why);
    note.append(text, again);
    part().prepend(note);
  }
  part().dataset.missed = address;
  said.textContent = what;
};

// Brings the part at an address: the kept one while it is fresh, unless `fresh` is wished.
const bring = async (url, { fresh = false } = {}) => {
  const address = addressOf(url);
  asking?.abort();
  const list = fresh ? null : kept.get(address);
  if (list) { swap(list.html); return; }
  const mine = asking = new AbortController();
  busy(true);
  try {
    const request = new URL(address, location.href);
    request.searchParams.set("part", "1");
    if (fresh) request.searchParams.set("fresh", "1");
    const answer = await fetch(request, { signal: mine.signal, headers: { Accept: "text/html" } });
    const html = await answer.text();
    if (mine !== asking) return;
    const state = swap(html);
    keep(address, html);
    const count = part().querySelectorAll(".films > li").length;
    said.textContent = count ? count + " titles" : part().querySelector("h2")?.textContent || state;
  } catch (error) {
    if (error.name !== "AbortError" && mine === asking) unreachable(error, address);
  } finally {
    if (mine === asking) { asking = null; busy(false); }
  }
};

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.again, .choice a");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  if (link.classList.contains("again")) {
    bring(location.href, { fresh: true });
  } else {
    history.pushState(null, "", link.href);
    bring(link.href);
  }
});

document.addEventListener("change", (event) => {
  if (event.target.name === "language") event.target.form.requestSubmit();
});

addEventListener("popstate", () => bring(location.href));
addEventListener("online", () => { if (part().dataset.missed) bring(location.href); });
document.addEventListener("visibilitychange", () => {
  const at = Number(part().dataset.at);
  if (document.visibilityState === "visible" && at && now() - at > freshSeconds) bring(location.href);
});

if (dress() === "loading") {
  bring(location.href);
} else {
  const choices = document.getElementById("choices");
  keep(addressOf(location.href), (choices ? choices.outerHTML : "") + part().outerHTML);
}

// Keeps the pages of this folder of a server for the time without a network: docs/live.md says how to put it there.

const CACHE = "tower-sim";
const isOurs = ({ url }) => url.startsWith(registration.scope);

/** Keep the pages that are open when the worker comes. */
async function keepOpen() {
  const pages = await clients.matchAll({ includeUncontrolled: true, type: "window" });
  await (await caches.open(CACHE)).addAll([...new Set(pages.filter(isOurs).map(({ url }) => url.split("#")[0]))]);
  await skipWaiting();
}

/** Return a page of the server and keep it; without a network, as it was kept. */
async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const found = await fetch(request);
    if (found.ok) await cache.put(request, found.clone());
    return found;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

addEventListener("install", (event) => event.waitUntil(keepOpen()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(answer(event.request));
});

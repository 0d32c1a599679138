// Keeps the files of the page, so that it works without a network after the first visit. `FILES` and `VERSION` are set when the page is built.

const VERSION = "@VERSION@";

const FILES = ["@FILES@"];

const NAME = "omnogram-";

self.addEventListener("install", (event) => {
    const keep = async () => {
        const cache = await caches.open(NAME + VERSION);
        await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
    };
    event.waitUntil(keep());
});

self.addEventListener("activate", (event) => {
    const scope = self.registration.scope;
    const clean = async () => {
        for (const name of await caches.keys()) {
            // Pages of other folders of the same server have caches of their own.
            const [first] = name.startsWith(NAME) && name !== NAME + VERSION ? await (await caches.open(name)).keys() : [];
            if (first?.url.startsWith(scope)) {
                await caches.delete(name);
            }
        }
        await self.clients.claim();
    };
    event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
    const answer = async () => {
        const cache = await caches.open(NAME + VERSION);
        return (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
    };
    if (event.request.method === "GET") {
        event.respondWith(answer());
    }
});

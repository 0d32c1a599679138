// Who answers the static page: workers of the browser, with the engine as WebAssembly. The page of the local server has another file of this
// name, with the same exports.

import { start } from "./start.js";

/** What is wrong when nobody answers. */
export const GONE = "the engine of this page could not be loaded; reload the page";

/** What is wrong when there is no room for another run. */
export const BUSY = "this page is busy with other runs; stop one, and try again";

/** What another program would do better where a run takes long. */
export const FASTER = "This page searches on one core. The program omnogram uses all cores, and proves hard puzzles faster.";

/** The pool, once the module is there. */
const pool = start();

/**
 * Asks a question.
 * @param {string} path its name, and options after a question mark
 * @param {RequestInit} options
 * @returns {Promise<Response>} rejected if nobody answers
 */
export async function ask(path, { body = "", signal } = {}) {
    const [name, query = ""] = path.split("?", 2);
    const bytes = await new Response(body).arrayBuffer();
    return (await pool).ask(name, query, bytes, signal);
}

if ("serviceWorker" in navigator) {
    navigator.serviceWorker.register("offline.js").catch(() => {
        // Then the page works with a network alone.
    });
}

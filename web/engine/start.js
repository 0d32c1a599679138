// Starts the engine in a browser.

import { compile } from "./compile.js";
import { Pool } from "./pool.js";

/** The pool of workers, once the module is there. */
export async function start() {
    const response = await fetch(new URL("omnogram.module", import.meta.url));
    if (!response.ok) {
        throw new Error(`the module could not be loaded: status ${response.status}`);
    }
    const module = await compile(await response.arrayBuffer());
    return new Pool((take, fail) => {
        const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
        worker.onmessage = ({ data }) => take(data);
        worker.onerror = fail;
        worker.postMessage({ module });
        return {
            post: (message) => worker.postMessage(message),
            end: () => worker.terminate(),
        };
    });
}

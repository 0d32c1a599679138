// Starts the engine in Node.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { compile } from "./compile.js";
import { Pool } from "./pool.js";

/**
 * The pool of workers, once the module is there. Workers that wait do not keep the program alive.
 * @param {number} [maximum] pages of memory of 64 KiB of each worker
 */
export async function start(maximum) {
    const bytes = new Uint8Array(await readFile(new URL("omnogram.module", import.meta.url)));
    const module = await compile(bytes.buffer);
    return new Pool((take, fail) => {
        const worker = new Worker(new URL("worker-node.js", import.meta.url), { execArgv: [] });
        worker.on("message", take);
        worker.on("error", fail);
        worker.unref();
        worker.postMessage({ module, maximum });
        return {
            post: (message) => worker.postMessage(message),
            end: () => worker.terminate(),
            hold: (held) => (held ? worker.ref() : worker.unref()),
        };
    });
}

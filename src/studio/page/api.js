// Questions of the page: with a JSON answer, with the bytes of a file as the answer, and with a stream of events as the answer.

import { EventParser } from "./events.js";
import { BUSY, GONE, ask } from "./side.js";

/** The status of an answer that has no room for another run. */
export const NO_ROOM = 503;

/** The longest time in ms in which events are handled without giving the browser the chance to draw. */
const TURN = 12;

/** An error in the words of whoever answers. */
export class ApiError extends Error {
    constructor(words, status = 0) {
        super(words);
        this.name = "ApiError";
        this.status = status;
    }
}

/** Whether an error says that nobody answers. */
export function isGone(error) {
    return error instanceof ApiError && error.message === GONE;
}

/**
 * Sends a request and returns the answer if its status is one of success.
 * @param {string} path below `api/`
 * @param {RequestInit} options
 * @returns {Promise<Response>}
 */
async function send(path, options) {
    let response;
    try {
        response = await ask(path, options);
    } catch (error) {
        throw error.name === "AbortError" ? error : new ApiError(GONE);
    }
    if (!response.ok) {
        throw new ApiError(response.status === NO_ROOM ? BUSY : await errorWords(response), response.status);
    }
    return response;
}

async function errorWords(response) {
    try {
        const answer = await response.json();
        if (typeof answer.error === "string") {
            return answer.error;
        }
    } catch {
        // An answer without JSON is described by its status.
    }
    return `the answer has the status ${response.status}`;
}

function json(body, signal) {
    if (body === undefined) {
        return { signal };
    }
    return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
}

/** Reads the body of an answer; one that is cut off reads as if nobody answered. */
async function readBody(reading) {
    try {
        return await reading;
    } catch (error) {
        throw error.name === "AbortError" ? error : new ApiError(GONE);
    }
}

/**
 * Posts a JSON body and returns the JSON answer. Without a body it is a GET.
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 */
export async function request(path, body, signal) {
    return readBody((await send(path, json(body, signal))).json());
}

/**
 * Posts a JSON body and returns the bytes of the answer and its headers.
 * @returns {Promise<{blob: Blob, headers: Headers}>}
 */
export async function bytes(path, body, signal) {
    const response = await send(path, json(body, signal));
    return { blob: await readBody(response.blob()), headers: response.headers };
}

/**
 * Posts the bytes of a file and returns the JSON answer.
 * @param {string} path
 * @param {Blob | string} blob
 * @param {AbortSignal} [signal]
 */
export async function upload(path, blob, signal) {
    const options = { method: "POST", headers: { "content-type": "application/octet-stream" }, body: blob, signal };
    return readBody((await send(path, options)).json());
}

/**
 * Posts a JSON body and hands the events of the answer to functions until the event `done`, which resolves the promise.
 *
 * The event `error`, and a stream that ends without `done`, reject the promise with an `ApiError`. No function is called after `signal` is
 * aborted, and the promise is rejected with an `AbortError`.
 * @param {string} path
 * @param {object} body
 * @param {Record<string, function(object): void>} handlers a function for each name of an event; other events are skipped
 * @param {AbortSignal} [signal]
 */
export async function stream(path, body, handlers, signal) {
    const response = await send(path, json(body, signal));
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    const turn = new Turn();
    for (;;) {
        const { value, done } = await readBody(reader.read());
        signal?.throwIfAborted();
        turn.begin();
        const events = parser.take(done ? decoder.decode() : decoder.decode(value, { stream: true }));
        for (const event of events) {
            await turn.pause();
            signal?.throwIfAborted();
            if (handle(event, handlers)) {
                reader.cancel().catch(() => {});
                return;
            }
        }
        if (done) {
            throw new ApiError(GONE);
        }
    }
}

/** Calls the function for an event. Returns true at the end of the stream. */
function handle({ name, data }, handlers) {
    const value = JSON.parse(data);
    if (name === "error") {
        throw new ApiError(value.error);
    }
    handlers[name]?.(value);
    return name === "done";
}

/** Lets the browser draw between events of which many arrive together. */
class Turn {
    #begun = 0;

    begin() {
        this.#begun = performance.now();
    }

    async pause() {
        if (performance.now() - this.#begun > TURN) {
            await new Promise((resolve) => setTimeout(resolve, 0));
            this.begin();
        }
    }
}

/** Runs one function at a time: a new run aborts the run before it. */
export class Latest {
    #controller = null;

    get running() {
        return this.#controller !== null;
    }

    abort() {
        this.#controller?.abort();
        this.#controller = null;
    }

    /**
     * Runs `work` with a fresh signal. Returns what it returns, or undefined if it was aborted; other errors are thrown.
     * @template T
     * @param {function(AbortSignal): Promise<T>} work
     * @returns {Promise<T | undefined>}
     */
    async run(work) {
        this.abort();
        const controller = new AbortController();
        this.#controller = controller;
        try {
            const result = await work(controller.signal);
            return controller.signal.aborted ? undefined : result;
        } catch (error) {
            if (controller.signal.aborted) {
                return undefined;
            }
            throw error;
        } finally {
            if (this.#controller === controller) {
                this.#controller = null;
            }
        }
    }
}

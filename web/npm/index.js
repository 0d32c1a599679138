// The engine for programmers. Every question is answered in a worker, and can be cancelled.

import { EventParser } from "./events.js";

/** The pool of workers, once it is asked for. */
let pool = null;

function started() {
    const isNode = typeof process === "object" && Boolean(process.versions?.node);
    pool ??= (isNode ? import("./start-node.js") : import("./start.js")).then(({ start }) => start());
    return pool;
}

/** An answer that there is none: bad data, or a defect. */
export class OmnogramError extends Error {
    constructor(words) {
        super(words);
        this.name = "OmnogramError";
    }
}

/** Ends all workers. The next question starts new ones. */
export async function close() {
    const ending = pool;
    pool = null;
    (await ending)?.end();
}

/** The subject of a question: a puzzle with rows and columns, or a picture as rows of text. */
function subject(of) {
    return Array.isArray(of) ? { picture: of } : { puzzle: of };
}

/** Asks a question, and hands its events over by their names. */
async function ask(name, question, { signal, seconds, onProgress }, handlers) {
    const body = new TextEncoder().encode(JSON.stringify({ ...question, seconds })).buffer;
    const response = await (await started()).ask(name, "", body, signal);
    if (!response.ok) {
        throw new OmnogramError((await response.json()).error);
    }
    const parser = new EventParser();
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
        for (const event of parser.take(decoder.decode(chunk, { stream: true }))) {
            const data = JSON.parse(event.data);
            if (event.name === "error") {
                throw new OmnogramError(data.error);
            } else if (event.name === "progress") {
                onProgress?.(data);
            } else {
                handlers[event.name]?.(data);
            }
        }
    }
}

/** Asks a question whose answer is one event. */
async function answer(name, event, question, options) {
    let found = null;
    await ask(name, question, options, { [event]: (data) => (found = data) });
    return found;
}

export function solve(puzzle, options = {}) {
    return answer("solve", "solved", subject(puzzle), options);
}

export async function check(puzzle, options = {}) {
    let found = {};
    const add = (data) => (found = { ...found, ...data });
    await ask("check", subject(puzzle), options, { verdict: add, regions: add, profile: (profile) => (found.profile = profile) });
    return found;
}

export function count(puzzle, options = {}) {
    return answer("count", "number", subject(puzzle), options);
}

export async function* solutions(puzzle, options = {}) {
    let from = 0;
    for (;;) {
        const question = { ...subject(puzzle), from: String(from), number: options.batch ?? 256 };
        const part = await answer("enumerate", "enumerated", question, options);
        yield* part.solutions;
        from += part.solutions.length;
        if (part.complete) {
            return;
        }
        if (part.stopped !== null && part.stopped !== "interrupt") {
            throw new OmnogramError(`stopped by the limit on ${part.stopped} after ${from} solutions`);
        }
    }
}

export function repair(picture, options = {}) {
    const { keep, only, lineSolvable = false, alternatives = 0, budget } = options;
    return answer("repair", "repaired", { picture, keep, only, line_solvable: lineSolvable, alternatives, budget }, options);
}

export async function explain(puzzle, options = {}) {
    const { position, hint = false } = options;
    const steps = [];
    const ending = {};
    const handlers = { step: (step) => steps.push(step), explained: (data) => Object.assign(ending, data) };
    await ask("explain", { ...subject(puzzle), position, hint }, options, handlers);
    return { ...ending, steps };
}

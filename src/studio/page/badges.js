// The verdicts of the collection: its puzzles are checked one after the other while nothing else is checked.

import { Latest, isGone, stream } from "./api.js";
import { answers } from "./answers.js";

/** Time in ms between the end of a check of the drawing and the next check in the background. */
const REST = 300;

/** The longest check in the background, in seconds. */
const LIMIT = 20;

/** Checks entries without a verdict and stores it in their field `verdict`. */
export class BadgeRunner {
    #latest = new Latest();
    #timer = 0;

    /**
     * @param {function(): object[]} entries the entries of the collection in order
     * @param {function(object): void} show shows the verdict of an entry
     */
    constructor(entries, show) {
        this.entries = entries;
        this.show = show;
        answers.addEventListener("begin", () => this.#rest());
        answers.addEventListener("end", () => this.wake());
        document.addEventListener("visibilitychange", () => (document.hidden ? this.#rest() : this.wake()));
    }

    /** Goes on after a time in ms, unless a check of the drawing is running or the page is hidden. */
    wake(delay = REST) {
        clearTimeout(this.#timer);
        if (!answers.running && !document.hidden && !this.#latest.running) {
            this.#timer = setTimeout(() => this.#next(), delay);
        }
    }

    #rest() {
        clearTimeout(this.#timer);
        this.#latest.abort();
    }

    async #next() {
        const entry = this.entries().find(({ verdict }) => verdict === null);
        if (!entry) {
            return;
        }
        const { puzzle } = entry;
        const run = this.#latest.run((signal) => verdictOf(puzzle, signal));
        const verdict = await run.catch((error) => (isGone(error) ? undefined : "undecided"));
        if (verdict === undefined) {
            return;
        }
        if (entry.puzzle === puzzle && entry.verdict === null) {
            entry.verdict = verdict;
            this.show(entry);
        }
        this.wake(0);
    }
}

/** The verdict of a puzzle; the check is aborted as soon as it is known. */
async function verdictOf(puzzle, signal) {
    const found = new AbortController();
    let verdict = null;
    const handlers = {
        verdict: (data) => {
            verdict = data.verdict;
            found.abort();
        },
    };
    const either = AbortSignal.any([signal, found.signal]);
    try {
        await stream("check", { puzzle, seconds: LIMIT }, handlers, either);
    } catch (error) {
        if (verdict === null) {
            throw error;
        }
    }
    return verdict ?? "undecided";
}

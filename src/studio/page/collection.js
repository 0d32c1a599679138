// The collection: the puzzles that were opened together, one of which is on the board; each has a badge with its verdict.

import { bytes, request } from "./api.js";
import { BadgeRunner } from "./badges.js";
import { answers, changesPuzzle } from "./answers.js";
import { entryItem, fillBadge, fillItem, titleOf } from "./collection-view.js";
import { download, headerText } from "./download.js";
import { elements } from "./elements.js";
import { tellOpening } from "./opening.js";
import { plural, sentence } from "./words.js";

/** Where this tab keeps its collection across a reload. */
const KEY = "omnogram-collection";

/** The format of a saved collection if the chosen one holds one puzzle only. */
const PACK_FORMAT = "json";

/**
 * @typedef {object} Entry
 * @property {object} puzzle in the JSON form of the server
 * @property {string} name of the file it came from
 * @property {string | null} verdict
 */

let collection = null;

/** Puzzles that were opened before the collection was connected. */
const waiting = [];

/** Connects the list `#collection`. The promise tells whether a puzzle that was named on the command line was opened, which is done only
 * if `opens` is true. */
export async function connectCollection(context, opens) {
    collection = new Collection(context);
    if (waiting.length > 0) {
        collection.add(waiting.splice(0));
    }
    return collection.start(opens);
}

/**
 * Adds puzzles to the end of the collection and opens the first of them.
 * @param {{name: string, puzzle: object}[]} puzzles
 */
export function addPuzzles(puzzles) {
    if (collection) {
        collection.add(puzzles);
    } else {
        waiting.push(...puzzles);
    }
}

class Collection {
    /** @type {Entry[]} */
    #entries = [];
    /** @type {Entry | null} */
    #current = null;

    constructor({ drawing, announce, notify, alertUser }) {
        Object.assign(this, { drawing, announce, notify, alertUser }, elements({ list: "collection", saveButton: "save-collection" }));
        this.badges = new BadgeRunner(() => this.#entries, (entry) => this.#showBadge(entry));
        drawing.addEventListener("change", (event) => this.#changed(event));
        answers.addEventListener("verdict", () => this.#verdictOfDrawing());
        this.saveButton.addEventListener("click", () => this.#save());
        this.list.addEventListener("click", (event) => this.#clicked(event));
        this.list.addEventListener("keydown", (event) => this.#key(event));
        window.addEventListener("pagehide", () => this.#keep());
        this.#fill();
    }

    /** Takes the puzzles that were named on the command line and opens the first of them, if `opens` is true. If not, the page was
     * reloaded, and the collection is as it was before, with its edits. */
    async start(opens) {
        if (!opens && this.#restore()) {
            return false;
        }
        try {
            const { puzzles } = await request("start");
            const readable = puzzles.filter(({ puzzle }) => puzzle);
            tellOpening(this, puzzles);
            this.add(readable, opens);
            return opens && readable.length > 0;
        } catch (error) {
            this.alertUser(sentence(error.message));
            return false;
        }
    }

    #keep() {
        const entries = this.#entries.map(({ name, puzzle }) => ({ name, puzzle }));
        try {
            sessionStorage.setItem(KEY, JSON.stringify({ entries, current: this.#entries.indexOf(this.#current) }));
        } catch {
            // A collection that is too large is not kept, nor an older one in its place.
            sessionStorage.removeItem(KEY);
        }
    }

    /** Takes the collection that was kept. Returns whether there was one. */
    #restore() {
        try {
            const { entries, current } = JSON.parse(sessionStorage.getItem(KEY));
            this.#entries.unshift(...entries.map(({ name, puzzle }) => ({ name, puzzle, verdict: null })));
            this.#current = this.#entries[current] ?? null;
        } catch {
            return false;
        }
        this.#fill();
        this.badges.wake();
        return true;
    }

    add(puzzles, opens = true) {
        const added = puzzles.map(({ name, puzzle }) => ({ name, puzzle, verdict: null }));
        this.#entries.push(...added);
        if (!opens) {
            this.#current = this.#entryOfDrawing();
        }
        this.#fill();
        if (opens && added.length > 0) {
            this.#open(added[0]);
        }
        this.badges.wake();
    }

    #open(entry) {
        this.#current = entry;
        // Who plays one puzzle after the other does not want to see the picture of the next one.
        const changed = this.drawing.open(entry.puzzle, "Open", this.drawing.mode);
        if (!changed) {
            this.#verdictOfDrawing();
        }
        this.#markCurrent();
    }

    /** Keeps an edit in the entry of the drawing. Another document, also one that undo brings back, may be another entry or none. */
    #changed(event) {
        const { what, unfinished } = event.detail;
        if (unfinished || !(changesPuzzle(event) || what.has("title"))) {
            return;
        }
        if (what.has("document")) {
            this.#current = this.#entryOfDrawing();
            this.#markCurrent();
        }
        if (this.#current) {
            this.#current.puzzle = this.drawing.puzzle();
            if (changesPuzzle(event) && !what.has("document")) {
                this.#current.verdict = null;
            }
            this.#refresh(this.#current);
        }
    }

    /**
     * The entry with the content of the drawing; the current one if it is among several. The current one too if only a solution became
     * the picture, which leaves the clues as they are.
     */
    #entryOfDrawing() {
        const puzzle = this.drawing.puzzle();
        const same = (key) => {
            const wanted = key(puzzle);
            return (entry) => entry !== null && key(entry.puzzle) === wanted;
        };
        if (same(contentKey)(this.#current) || this.#entries.length === 0) {
            return this.#current;
        }
        return this.#entries.find(same(contentKey)) ?? (same(cluesKey)(this.#current) ? this.#current : null);
    }

    #verdictOfDrawing() {
        if (this.#current) {
            this.#current.verdict = answers.verdict;
            this.#showBadge(this.#current);
        }
    }

    #fill() {
        this.list.replaceChildren(...this.#entries.map(entryItem));
        this.saveButton.disabled = this.#entries.length === 0;
        this.#markCurrent();
    }

    #itemOf(entry) {
        return this.list.children[this.#entries.indexOf(entry)];
    }

    #refresh(entry) {
        fillItem(this.#itemOf(entry), entry);
    }

    #showBadge(entry) {
        const item = this.#itemOf(entry);
        if (item) {
            fillBadge(item.querySelector(".badge"), entry.verdict);
        }
    }

    #markCurrent() {
        [...this.list.children].forEach((item, index) => {
            const current = this.#entries[index] === this.#current;
            item.classList.toggle("current", current);
            item.querySelector(".entry").setAttribute("aria-current", String(current));
        });
    }

    #clicked(event) {
        const pressed = event.target.closest("button");
        const index = pressed ? [...this.list.children].indexOf(pressed.closest("li")) : -1;
        if (index < 0) {
            return;
        }
        if (pressed.classList.contains("entry-up")) {
            this.#move(index, index - 1);
        } else if (pressed.classList.contains("entry-down")) {
            this.#move(index, index + 1);
        } else if (pressed.classList.contains("entry-remove")) {
            this.#remove(index);
        } else if (this.#entries[index] !== this.#current) {
            this.#open(this.#entries[index]);
            this.announce(`Opened ${titleOf(this.#entries[index])}.`);
        }
    }

    #key(event) {
        const down = event.key === "ArrowDown";
        if (!event.altKey || !(down || event.key === "ArrowUp")) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        const index = [...this.list.children].indexOf(event.target.closest("li"));
        this.#move(index, down ? index + 1 : index - 1);
    }

    #move(from, to) {
        if (from < 0 || to < 0 || to >= this.#entries.length) {
            return;
        }
        const kind = [...(document.activeElement?.classList ?? ["entry"])][0];
        const [entry] = this.#entries.splice(from, 1);
        this.#entries.splice(to, 0, entry);
        const item = this.list.children[from];
        const other = this.list.children[to];
        this.list.insertBefore(item, to > from ? other.nextSibling : other);
        item.querySelector(`.${kind}`)?.focus();
        this.announce(`${titleOf(entry)} is number ${to + 1} of ${this.#entries.length}.`);
    }

    #remove(index) {
        const [entry] = this.#entries.splice(index, 1);
        this.list.children[index].remove();
        const next = this.list.children[Math.min(index, this.#entries.length - 1)];
        if (next) {
            next.querySelector(".entry-remove").focus();
        } else {
            document.querySelector("#collection-toggle").focus();
        }
        this.saveButton.disabled = this.#entries.length === 0;
        if (entry === this.#current) {
            this.#current = null;
        }
        this.announce(`Removed ${titleOf(entry)}. ${plural(this.#entries.length, "puzzle")} left.`);
    }

    /** Saves all puzzles as one file, in the chosen format if it holds several. */
    async #save() {
        try {
            const { formats } = await request("formats");
            const chosen = document.querySelector("#save-format").value;
            const packs = formats.some(({ name, packs: several, writes }) => name === chosen && several && writes);
            const body = { puzzles: this.#entries.map(({ puzzle }) => puzzle), format: packs ? chosen : PACK_FORMAT };
            const { blob, headers } = await bytes("write", body);
            const name = headerText(headers, "omnogram-file") || `collection.${body.format}`;
            download(blob, name);
            const lost = headerText(headers, "omnogram-lost");
            const words = `Saved ${plural(this.#entries.length, "puzzle")} as ${name}.`;
            this.announce(words);
            if (lost) {
                this.notify(`${words} This format cannot keep: ${lost}.`);
            }
        } catch (error) {
            this.alertUser(sentence(error.message));
        }
    }
}

/** A text that is the same for two puzzles with the same content and names. */
function contentKey({ rows, columns, given, goal, saved, title, author }) {
    return JSON.stringify([goal ?? cluesKey({ rows, columns }), given ?? null, saved ?? [], title ?? "", author ?? ""]);
}

/** A text that is the same for two puzzles with the same clues and given cells. */
function cluesKey({ rows, columns, given }) {
    const [ofRows, ofColumns] = [rows, columns].map((lines) => lines.map((line) => line.filter((block) => block > 0)));
    return JSON.stringify([ofRows, ofColumns, given ?? null]);
}

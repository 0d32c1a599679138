// The document of the page: a picture or a list of clues, with title, protected cells and the marks of a player; undo and redo.

import { cluesOfPicture } from "./clues.js";
import { History, applied, difference } from "./history.js";
import * as transform from "./transform.js";

/** The word of `detail.what` for each stored field. */
const WHAT = {
    kind: "document", width: "size", height: "size", cells: "cells", protect: "protect", marks: "marks",
    rows: "clues", columns: "clues", title: "title", author: "title", mode: "mode",
};

/** Longest time without a `change` event while a stroke is drawn, in milliseconds. */
const STROKE_CHANGE = 120;

/** The state of an empty picture. */
function emptyPicture(width, height) {
    const zeros = () => new Uint8Array(width * height);
    return {
        kind: "picture", width, height, cells: zeros(), protect: zeros(), marks: zeros(),
        rows: null, columns: null, title: "", author: "", mode: "draw",
    };
}

/** The cells of rows of `#` and `.`. */
function cellsOf(rows) {
    const width = rows[0]?.length ?? 0;
    if (width === 0 || rows.some((row) => row.length !== width)) {
        throw new Error("The rows of the picture do not have the same length.");
    }
    return { width, height: rows.length, cells: Uint8Array.from(rows.join(""), (sign) => (sign === "#" ? 1 : 0)) };
}

/** The state of a puzzle in the JSON form of the server. */
function stateOf(puzzle) {
    const names = { title: puzzle.title ?? "", author: puzzle.author ?? "" };
    if (puzzle.goal) {
        const { width, height, cells } = cellsOf(puzzle.goal);
        return { ...emptyPicture(width, height), cells, ...names };
    }
    const clean = (lines) => lines.map((line) => line.filter((block) => block > 0));
    const [rows, columns] = [clean(puzzle.rows), clean(puzzle.columns)];
    return { ...emptyPicture(columns.length, rows.length), kind: "clues", rows, columns, ...names };
}

/** A draft made consistent: arrays of the right length, clues stored only where they were given. */
function consistent(draft) {
    const state = {};
    Object.keys(WHAT).forEach((field) => {
        state[field] = draft[field];
    });
    if (state.kind === "clues") {
        state.width = state.columns.length;
        state.height = state.rows.length;
        state.cells = new Uint8Array(state.width * state.height);
    } else {
        state.rows = null;
        state.columns = null;
    }
    const size = state.width * state.height;
    if (state.cells.length !== size) {
        throw new Error("The picture does not have the size that it states.");
    }
    for (const name of ["protect", "marks"]) {
        if (state[name].length !== size) {
            state[name] = new Uint8Array(size);
        }
    }
    return state;
}

export class Drawing extends EventTarget {
    #state = emptyPicture(15, 15);
    #history = new History();
    #clues = null;
    #cluesOf = null;
    #stroke = null;

    get kind() { return this.#state.kind; }
    get width() { return this.#state.width; }
    get height() { return this.#state.height; }
    get cells() { return this.#state.cells; }
    get protect() { return this.#state.protect; }
    get marks() { return this.#state.marks; }
    get title() { return this.#state.title; }
    get author() { return this.#state.author; }
    get mode() { return this.#state.mode; }
    get rows() { return this.#state.rows ?? this.#pictureClues().rows; }
    get columns() { return this.#state.columns ?? this.#pictureClues().columns; }

    get canUndo() { return this.#history.next("before", this.mode) !== null; }
    get canRedo() { return this.#history.next("after", this.mode) !== null; }
    get undoName() { return this.#history.next("before", this.mode)?.name ?? ""; }
    get redoName() { return this.#history.next("after", this.mode)?.name ?? ""; }

    /** The clues of the picture, computed once for each picture; a stroke forgets them when it changes a cell. */
    #pictureClues() {
        const { cells, width, height } = this.#state;
        if (this.#cluesOf?.cells !== cells || this.#cluesOf.width !== width) {
            this.#clues = cluesOfPicture(cells, width, height);
            this.#cluesOf = { cells, width };
        }
        return this.#clues;
    }

    #changed(name, what, unfinished = false) {
        this.dispatchEvent(new CustomEvent("change", { detail: { name, what: new Set(what), unfinished } }));
    }

    /** Changes the document as one undo entry. `change(draft)` changes the fields of a copy.
     * Options: `what`, further words of the event; `merge`, a key: entries with the same key that follow each other become one.
     * @param {string} name
     * @param {(draft: object) => void} change
     * @returns {boolean} whether anything changed */
    edit(name, change, { what = [], merge = null } = {}) {
        this.#stroke?.end();
        const before = this.#state;
        const { cells, protect, marks } = before;
        const copies = { cells: cells.slice(), protect: protect.slice(), marks: marks.slice() };
        const draft = { ...before, ...copies, rows: this.rows, columns: this.columns };
        change(draft);
        const after = consistent(draft);
        const entry = difference(name, before, after, WHAT, what);
        if (!entry) {
            return false;
        }
        this.#state = after;
        this.#history.push(entry, merge);
        this.#changed(name, entry.what);
        return true;
    }

    /** Begins a stroke, which is shown while it is drawn and becomes one undo entry.
     * @param {string} name
     * @param {"cells" | "protect" | "marks"} field
     * @returns {{set: (index: number, value: number) => void, end: () => void, cancel: () => void}} */
    stroke(name, field = this.mode === "play" ? "marks" : "cells") {
        this.#stroke?.end();
        const before = this.#state;
        const array = before[field].slice();
        const writable = field === "marks" || before.kind === "picture";
        let timer = null;
        let shown = false;
        this.#state = { ...before, [field]: array };
        const finish = () => {
            clearTimeout(timer);
            this.#stroke = null;
        };
        const stroke = {
            set: (index, value) => {
                if (this.#stroke !== stroke || !writable || array[index] === value) {
                    return;
                }
                array[index] = value;
                this.#cluesOf = null;
                this.dispatchEvent(new CustomEvent("stroke", { detail: { field, index, value } }));
                timer ??= setTimeout(() => {
                    timer = null;
                    shown = true;
                    this.#changed(name, [WHAT[field]], true);
                }, STROKE_CHANGE);
            },
            end: () => {
                if (this.#stroke !== stroke) {
                    return;
                }
                finish();
                const entry = difference(name, before, this.#state, WHAT);
                if (entry) {
                    this.#history.push(entry);
                }
                if (entry || shown) {
                    this.#changed(name, [WHAT[field]]);
                }
            },
            cancel: () => {
                if (this.#stroke !== stroke) {
                    return;
                }
                finish();
                this.#state = before;
                this.#cluesOf = null;
                this.dispatchEvent(new CustomEvent("stroke", { detail: { field, index: -1, value: 0 } }));
                if (shown) {
                    this.#changed(name, [WHAT[field]]);
                }
            },
        };
        this.#stroke = stroke;
        return stroke;
    }

    undo() {
        this.#travel("before", "Undo");
    }

    redo() {
        this.#travel("after", "Redo");
    }

    #travel(side, name) {
        this.#stroke?.end();
        const entries = this.#history.travel(side, this.mode);
        for (const entry of entries) {
            this.#state = applied(this.#state, entry, side);
        }
        if (entries.length > 0) {
            this.#changed(name, entries.flatMap(({ what }) => [...what]));
        }
    }

    /** Begins (`"play"`) or ends (`"draw"`) playing, which is no undo entry. */
    setMode(mode) {
        this.#stroke?.end();
        if (mode !== this.mode) {
            this.#state = { ...this.#state, mode };
            this.#changed(mode === "play" ? "Play" : "Stop playing", ["mode"]);
        }
    }

    /** Replaces the document by a puzzle in the JSON form of the server; with `goal` it is a picture. In the mode `"play"` the picture
     * stays hidden. */
    open(puzzle, name = "Open", mode = "draw") {
        const state = { ...stateOf(puzzle), mode };
        return this.edit(name, (draft) => Object.assign(draft, state), { what: ["document"] });
    }

    newPicture(width, height, name = "New picture") {
        const state = emptyPicture(width, height);
        return this.edit(name, (draft) => Object.assign(draft, state), { what: ["document"] });
    }

    /** Begins with a stored state (all fields, clues for the kind `clues`), without undo entries. */
    begin(state) {
        this.#stroke?.end();
        this.#state = consistent({ ...emptyPicture(state.width, state.height), ...state });
        this.#history.clear();
        this.#changed("Begin", Object.values(WHAT));
    }

    /** Flips cells of the picture, given as `[row, column]` from 1. */
    flip(cells, name = "Flip cells") {
        return this.edit(name, (draft) => {
            for (const [row, column] of cells) {
                draft.cells[(row - 1) * draft.width + column - 1] ^= 1;
            }
        });
    }

    /** Makes rows of `#` and `.` the picture. Protected cells and marks stay if the size does. */
    setPicture(rows, name = "Picture") {
        const { width, height, cells } = cellsOf(rows);
        return this.edit(name, (draft) => {
            if (width !== draft.width || height !== draft.height) {
                draft.protect = new Uint8Array(width * height);
                draft.marks = new Uint8Array(width * height);
            }
            Object.assign(draft, { kind: "picture", width, height, cells });
        });
    }

    invert() {
        return this.edit("Invert", transform.invert);
    }

    shift(dx, dy) {
        return this.edit("Shift", (draft) => transform.shift(draft, dx, dy));
    }

    /** Mirrors left and right (`"x"`) or top and bottom (`"y"`). */
    mirror(axis) {
        return this.edit("Mirror", (draft) => transform.mirror(draft, axis));
    }

    rotate(direction = 1) {
        return this.edit("Rotate", (draft) => transform.rotate(draft, direction));
    }

    /** Adds rows and columns at the sides; negative numbers remove. */
    resize(sides) {
        return this.edit("Resize", (draft) => transform.resize(draft, sides));
    }

    /** Rows of `#` and `.`. */
    gridText(cells = this.cells) {
        return this.#rowsOf(cells, ".#");
    }

    /** The marks as rows of `#`, `.` and `?`. */
    positionText() {
        return this.#rowsOf(this.marks, "?#.");
    }

    #rowsOf(array, signs) {
        return Array.from({ length: this.height }, (_, row) => {
            const line = array.subarray(row * this.width, (row + 1) * this.width);
            return Array.from(line, (value) => signs[value]).join("");
        });
    }

    /** What a request to the server is about. */
    subject() {
        if (this.kind === "picture") {
            return { picture: this.gridText() };
        }
        return { puzzle: { rows: this.rows, columns: this.columns, title: this.title } };
    }

    /** The puzzle in the JSON form of the server, with `goal` for a picture. */
    puzzle() {
        const puzzle = { rows: this.rows, columns: this.columns };
        if (this.kind === "picture") {
            puzzle.goal = this.gridText();
        }
        if (this.title) {
            puzzle.title = this.title;
        }
        if (this.author) {
            puzzle.author = this.author;
        }
        return puzzle;
    }
}

// The document of the page: a picture or a list of clues, with title, given and protected cells, and the marks of a player; undo and redo.
//
// The given cells of a picture are places: their values are those of the picture, which may be drawn on. A given cell always has its mark,
// so that a player finds it on the board and cannot change it.
//
// The saved grids of a puzzle, of players who have not finished, are kept as rows of text. If there is one, the marks begin with it.

import { cluesOfPicture, sameClue } from "./clues.js";
import { History, applied, difference } from "./history.js";
import * as transform from "./transform.js";

/** The word of `detail.what` for each stored field. */
const WHAT = {
    kind: "document", width: "size", height: "size", cells: "cells", given: "given", protect: "protect", marks: "marks",
    rows: "clues", columns: "clues", saved: "saved", title: "title", author: "title", mode: "mode",
};

/** Longest time without a `change` event while a stroke is drawn, in milliseconds. */
const STROKE_CHANGE = 120;

/** The state of an empty picture. */
function emptyPicture(width, height) {
    const zeros = () => new Uint8Array(width * height);
    return {
        kind: "picture", width, height, cells: zeros(), given: zeros(), protect: zeros(), marks: zeros(),
        rows: null, columns: null, saved: [], title: "", author: "", mode: "draw",
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

/** The signs of a cell whose value may be unknown: 0 is unknown, 1 filled, 2 empty. */
const SIGNS = "?#.";

/** Whether every given cell has its value in a picture. */
function agrees(given, cells) {
    return given.every((value, index) => value === 0 || (value === 1) === (cells[index] === 1));
}

/** The values of cells that may be unknown, from rows of text. */
function valuesOf(rows) {
    return Uint8Array.from(rows.join(""), (sign) => Math.max(0, SIGNS.indexOf(sign)));
}

/** What keeps the goal of a puzzle from being shown with the puzzle's clues and given cells, in words, or null. */
export function goalFault({ goal, given, rows, columns }) {
    if (!goal) {
        return null;
    }
    const { width, height, cells } = cellsOf(goal);
    if (given && !agrees(valuesOf(given), cells)) {
        return "the goal contradicts the given cells, and is left out";
    }
    const clues = cluesOfPicture(cells, width, height);
    const differ = (lines, others) => lines?.some((line, at) => !sameClue(line.filter((block) => block > 0), others[at]));
    const others = differ(rows, clues.rows) || differ(columns, clues.columns);
    return others ? "the goal is no solution; its own clues take the place of the puzzle's" : null;
}

/** The state of a puzzle in the JSON form of the server. A goal that contradicts a given cell is not its picture. */
function stateOf(puzzle) {
    const names = { title: puzzle.title ?? "", author: puzzle.author ?? "" };
    const given = puzzle.given && valuesOf(puzzle.given);
    const saved = puzzle.saved ?? [];
    const fields = { ...names, saved, ...(given && { given }), ...(saved.length === 1 && { marks: valuesOf(saved[0]) }) };
    if (puzzle.goal) {
        const { width, height, cells } = cellsOf(puzzle.goal);
        if (!given || agrees(given, cells)) {
            return { ...emptyPicture(width, height), cells, ...fields };
        }
    }
    const clean = (lines) => lines.map((line) => line.filter((block) => block > 0));
    const [rows, columns] = [clean(puzzle.rows), clean(puzzle.columns)];
    return { ...emptyPicture(columns.length, rows.length), kind: "clues", rows, columns, ...fields };
}

/** Whether a state has given cells. */
const hasGiven = ({ given }) => given.some((value) => value !== 0);

/** The values of the given cells: 0 for cells that are not given, 1 filled, 2 empty. */
function givenValues({ kind, given, cells }) {
    return kind === "clues" ? given : given.map((value, index) => (value === 0 ? 0 : 2 - cells[index]));
}

/** A draft made consistent: arrays of the right length, clues stored only where they were typed, given cells marked. */
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
    for (const name of ["given", "protect", "marks"]) {
        if (state[name].length !== size) {
            state[name] = new Uint8Array(size);
        }
    }
    state.saved = state.saved.filter((rows) => rows.length === state.height && rows[0].length === state.width);
    if (hasGiven(state)) {
        // For a picture it is enough to know which cells are given.
        state.given = state.kind === "clues" ? state.given : state.given.map((value) => Math.min(value, 1));
        const values = givenValues(state);
        state.marks = state.marks.map((mark, index) => values[index] || mark);
    }
    return state;
}

/** The marks without those of cells that were given before and no longer are. */
function keptMarks(before, { marks, given }) {
    return given === before.given ? marks : marks.map((mark, index) => (before.given[index] !== 0 && given[index] === 0 ? 0 : mark));
}

/** Takes the given cells of a draft away, and their marks. */
function takeGiven(draft) {
    const given = new Uint8Array(draft.given.length);
    draft.marks = keptMarks(draft, { marks: draft.marks, given });
    draft.given = given;
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
    /** For each cell 0 if it is not given, 1 if it is given as filled, 2 if it is given as empty. */
    get given() { return givenValues(this.#state); }
    get hasGiven() { return hasGiven(this.#state); }
    get marks() { return this.#state.marks; }
    /** The grids of players who have not finished, each as rows of `#`, `.` and `?`. */
    get saved() { return this.#state.saved; }
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
        const { cells, given, protect, marks } = before;
        const copies = { cells: cells.slice(), given: given.slice(), protect: protect.slice(), marks: marks.slice() };
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
     * @param {"cells" | "given" | "protect" | "marks"} field
     * @returns {{set: (index: number, value: number) => void, end: () => void, cancel: () => void}} */
    stroke(name, field = this.mode === "play" ? "marks" : "cells") {
        this.#stroke?.end();
        const before = this.#state;
        const array = before[field].slice();
        const given = this.given;
        const writable = (index) => (field === "marks" ? given[index] === 0 : before.kind === "picture");
        let timer = null;
        let shown = false;
        this.#state = { ...before, [field]: array };
        const finish = () => {
            clearTimeout(timer);
            this.#stroke = null;
        };
        const stroke = {
            set: (index, value) => {
                if (this.#stroke !== stroke || !writable(index) || array[index] === value) {
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
                this.#state = consistent({ ...this.#state, marks: keptMarks(before, this.#state) });
                const entry = difference(name, before, this.#state, WHAT);
                if (entry) {
                    this.#history.push(entry);
                }
                if (entry || shown) {
                    this.#changed(name, entry?.what ?? [WHAT[field]]);
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

    /** Gives cells of the picture, `[row, column]` from 1, beside those that are given already. */
    give(cells) {
        return this.edit("Give cells", (draft) => {
            for (const [row, column] of cells) {
                draft.given[(row - 1) * draft.width + column - 1] = 1;
            }
        });
    }

    /** Gives no cells any more. */
    giveNone() {
        return this.edit("Give no cells", takeGiven);
    }

    /** Empties the picture, which has no given cells and no saved grids then; while playing, the marks. */
    clear() {
        if (this.mode === "play") {
            return this.edit("Clear marks", (draft) => draft.marks.fill(0));
        }
        return this.edit("Clear", (draft) => {
            takeGiven(draft);
            draft.cells.fill(0);
            draft.saved = [];
        });
    }

    /** Makes rows of `#` and `.` the picture. Given and protected cells and marks stay if the size does. */
    setPicture(rows, name = "Picture") {
        const { width, height, cells } = cellsOf(rows);
        return this.edit(name, (draft) => {
            if (width !== draft.width || height !== draft.height) {
                draft.given = new Uint8Array(width * height);
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
        return this.#rowsOf(this.marks, SIGNS);
    }

    /** The given cells as rows of `#`, `.` and `?`, or null if there are none. */
    givenText() {
        return this.hasGiven ? this.#rowsOf(this.given, SIGNS) : null;
    }

    #rowsOf(array, signs) {
        return Array.from({ length: this.height }, (_, row) => {
            const line = array.subarray(row * this.width, (row + 1) * this.width);
            return Array.from(line, (value) => signs[value]).join("");
        });
    }

    /** What a request to the server is about. */
    subject() {
        const given = this.givenText();
        if (this.kind === "picture") {
            return { picture: this.gridText(), given };
        }
        return { puzzle: { rows: this.rows, columns: this.columns, given, title: this.title } };
    }

    /** The puzzle in the JSON form of the server, with `goal` for a picture. */
    puzzle() {
        const puzzle = { rows: this.rows, columns: this.columns };
        if (this.kind === "picture") {
            puzzle.goal = this.gridText();
        }
        if (this.hasGiven) {
            puzzle.given = this.givenText();
        }
        if (this.saved.length > 0) {
            puzzle.saved = this.saved;
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

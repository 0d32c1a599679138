// The other solutions: steps through them and shows in which cells each one differs from the picture.

import { Latest, stream } from "./api.js";
import { answers, beginView, changesPuzzle, closeForOthers, sameRows, showLayer } from "./answers.js";
import { elements } from "./elements.js";
import { cellsText, groupDigits, plural, sentence, shortNumber } from "./words.js";

/** Number of solutions that are asked for at a time. */
const BATCH = 8n;

/** More solutions than this are not kept. */
const MOST_KEPT = 64;

/** What the colours on the board mean. */
const COLOURS = "Brown cells are filled in the picture alone, blue cells in this solution alone.";

/** The panel `#solutions-panel`. */
export class Solutions {
    #latest = new Latest();
    #kept = new Map();
    #count = null;
    #index = null;
    #shown = null;

    constructor({ drawing, board, announce }) {
        Object.assign(this, { drawing, board, announce }, elements({
            previousButton: "previous-solution", nextButton: "next-solution", closeButton: "solution-close", takeButton: "take-solution",
            words: "solution-number",
        }));
        this.previousButton.addEventListener("click", () => this.#step(-1n));
        this.nextButton.addEventListener("click", () => this.#step(1n));
        this.closeButton.addEventListener("click", () => this.#close());
        this.takeButton.addEventListener("click", () => this.#take());
        drawing.addEventListener("change", (event) => this.#changed(event));
        answers.addEventListener("begin", () => this.#reset());
        answers.addEventListener("verdict", () => this.#enable());
        answers.addEventListener("end", () => this.#enable());
        closeForOthers("solutions", () => this.#close(), ["repair"]);
        this.#reset();
    }

    #changed(event) {
        if (changesPuzzle(event) || event.detail.what.has("mode")) {
            this.#reset();
        }
    }

    /** Forgets solutions of a puzzle that has changed. */
    #reset() {
        this.#kept.clear();
        this.#count = null;
        this.#close();
    }

    #close() {
        this.#latest.abort();
        this.#index = null;
        this.#shown = null;
        this.words.textContent = "";
        this.board.setLayer("other", null);
        showLayer(this.board, "position", "solutions", null);
        this.#enable();
    }

    #enable() {
        const drawing = this.drawing.mode === "draw";
        const several = this.#isClues ? answers.examples.length > 0 : answers.verdict === "multiple";
        this.previousButton.disabled = !drawing || !several;
        this.nextButton.disabled = !drawing || !several;
        this.closeButton.disabled = this.#shown === null;
        this.takeButton.disabled = this.#shown === null;
    }

    get #isClues() {
        return this.drawing.kind === "clues";
    }

    #picture() {
        return this.#isClues ? null : this.drawing.gridText(this.drawing.cells);
    }

    #isPicture(rows) {
        const picture = this.#picture();
        return picture !== null && sameRows(rows, picture);
    }

    /** Shows the solution after or before the current one that is not the picture. */
    async #step(direction) {
        if (!answers.exact) {
            this.#stepExamples(Number(direction));
            return;
        }
        try {
            await this.#latest.run((signal) => this.#stepAll(direction, signal));
        } catch (error) {
            this.words.textContent = sentence(error.message);
        }
    }

    async #stepAll(direction, signal) {
        const count = this.#count ?? BigInt(answers.solutions);
        const start = this.#index ?? (direction > 0n ? -1n : count);
        let index = wrap(start + direction, count);
        let rows = await this.#solution(index, direction, count, signal);
        if (rows && this.#isPicture(rows) && count > 1n) {
            index = wrap(index + direction, count);
            rows = await this.#solution(index, direction, count, signal);
        }
        signal.throwIfAborted();
        if (!rows) {
            this.words.textContent = "This solution is not known.";
            return;
        }
        this.#index = index;
        this.#show(rows, `Solution ${numberText(index + 1n)} of ${numberText(count)}`);
    }

    /** Steps through the solutions that the check found. */
    #stepExamples(direction) {
        const others = answers.examples.filter((rows) => !this.#isPicture(rows));
        if (others.length === 0) {
            this.words.textContent = "No other solution is known.";
            return;
        }
        const place = this.#shown ? others.findIndex((rows) => sameRows(rows, this.#shown)) : -1;
        const next = place < 0 ? 0 : (place + direction + others.length) % others.length;
        this.#show(others[next], `Solution ${next + 1} of ${others.length} known`);
    }

    /** A solution by its index in sorted order, with its neighbours in the direction of the steps. */
    async #solution(index, direction, count, signal) {
        if (!this.#kept.has(index)) {
            this.words.textContent = "Looking for the solution.";
            const from = direction > 0n ? index : larger(index - BATCH + 1n, 0n);
            const number = Number(smaller(BATCH, count - from));
            const body = { ...this.drawing.subject(), from: String(from), number };
            await stream("solutions", body, { solutions: (data) => this.#keep(data) }, signal);
        }
        return this.#kept.get(index) ?? null;
    }

    #keep({ from, count, exact, solutions }) {
        if (exact) {
            this.#count = BigInt(count);
        }
        if (this.#kept.size > MOST_KEPT) {
            this.#kept.clear();
        }
        solutions.forEach((rows, place) => this.#kept.set(BigInt(from) + BigInt(place), rows));
    }

    #show(rows, name) {
        this.#shown = rows;
        beginView("solutions");
        if (this.#isClues) {
            showLayer(this.board, "position", "solutions", rows);
            this.#say(`${name}.`);
        } else {
            this.board.setLayer("other", rows);
            const cells = differences(rows, this.#picture());
            this.board.showCells(cells);
            this.#say(`${name}: ${plural(cells.length, "cell")} different.`, cellsText(cells, 8));
            this.words.textContent += ` ${COLOURS}`;
        }
        this.#enable();
    }

    #say(words, cells = "") {
        this.words.textContent = words;
        this.announce(cells ? `${words} ${sentence(cells)}` : words);
    }

    #take() {
        if (this.#shown) {
            const rows = this.#shown;
            this.drawing.setPicture(rows, "Use solution");
            this.announce("The solution is the picture now.");
        }
    }
}

/** The cells in which two grids differ, as pairs of row and column from 1. */
export function differences(rows, others) {
    const cells = [];
    rows.forEach((row, place) => {
        for (let column = 0; column < row.length; column++) {
            if (row[column] !== others[place][column]) {
                cells.push([place + 1, column + 1]);
            }
        }
    });
    return cells;
}

function wrap(index, count) {
    return ((index % count) + count) % count;
}

function larger(one, other) {
    return one > other ? one : other;
}

function smaller(one, other) {
    return one < other ? one : other;
}

function numberText(number) {
    const digits = String(number);
    return digits.length > 24 ? shortNumber(digits) : groupDigits(digits);
}

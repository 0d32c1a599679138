// The explanation: how a person would solve the puzzle, step by step on the board and as a list of sentences.

import { Latest, stream } from "./api.js";
import { beginView, changesPuzzle, closeForOthers, showLayer } from "./answers.js";
import { elements } from "./elements.js";
import { sentence } from "./words.js";

/** At most this many steps are in the list at a time, and this many of them before the current step after the list has moved. */
const WINDOW = 150;
const BEFORE = 50;

/** The current step stays at least this far from an end of the list that has more steps beyond it. */
const MARGIN = 20;

/** The panel `#explain-panel`. */
export class Explain {
    #latest = new Latest();
    #steps = [];
    #current = -1;
    #ending = null;
    #track = null;
    #first = 0;
    #drawing = 0;
    #open = false;

    constructor({ drawing, board, announce }) {
        Object.assign(this, { drawing, board, announce }, elements({
            list: "steps", words: "step-words", back: "step-back", on: "step-on", closeButton: "explain-close",
        }));
        document.querySelector("#explain").addEventListener("click", () => this.start());
        this.back.addEventListener("click", () => this.goTo(this.#current - 1));
        this.on.addEventListener("click", () => this.goTo(this.#current + 1));
        this.closeButton.addEventListener("click", () => this.close());
        this.list.addEventListener("click", (event) => this.#clicked(event));
        document.addEventListener("keydown", (event) => this.#key(event));
        drawing.addEventListener("change", (event) => this.#changed(event));
        closeForOthers("explain", () => this.#open && this.close());
        this.close();
    }

    #changed(event) {
        const { what } = event.detail;
        if (this.#open && (changesPuzzle(event) || what.has("mode") || what.has("marks"))) {
            this.close();
        }
    }

    async start() {
        this.close();
        beginView("explain");
        this.#open = true;
        this.closeButton.disabled = false;
        this.words.textContent = "Looking for steps.";
        const playing = this.drawing.mode === "play";
        const position = playing ? this.drawing.positionText() : null;
        this.#track = new Track(this.drawing.width, this.drawing.height, position ?? this.drawing.givenText());
        const body = { ...this.drawing.subject(), position, hint: false };
        const handlers = { step: (step) => this.#arrived(step), explained: (data) => this.#explained(data) };
        try {
            await this.#latest.run((signal) => stream("explain", body, handlers, signal));
        } catch (error) {
            this.#ending = { words: error.message };
            this.#show();
        }
    }

    close() {
        this.#latest.abort();
        this.#open = false;
        this.#steps = [];
        this.#current = -1;
        this.#ending = null;
        this.#track = null;
        this.#first = 0;
        this.list.replaceChildren();
        this.words.textContent = "";
        this.closeButton.disabled = true;
        this.back.disabled = true;
        this.on.disabled = true;
        for (const layer of ["position", "step", "wrong"]) {
            showLayer(this.board, layer, "explain", null);
        }
    }

    goTo(index) {
        if (index < 0 || index >= this.#steps.length) {
            return;
        }
        this.#current = index;
        this.#show();
        showLayer(this.board, "position", "explain", this.#track.at(this.#steps, index + 1));
        showLayer(this.board, "step", "explain", this.#steps[index]);
        this.board.showCells(this.#steps[index].cells);
        const ended = this.#ending && index === this.#steps.length - 1;
        this.announce(this.#steps[index].words + (ended ? ` ${sentence(this.#ending.words)}` : ""));
    }

    #arrived(step) {
        this.#steps.push(step);
        if (this.#current < 0) {
            this.goTo(0);
        }
        this.#showSoon();
    }

    #explained(data) {
        this.#ending = data;
        showLayer(this.board, "wrong", "explain", data.ending === "wrong" ? data.wrong : null);
        if (this.#steps.length <= 1) {
            this.announce(sentence(data.words));
        }
        this.#showSoon();
    }

    /** Shows steps that arrive in quick succession once a frame. */
    #showSoon() {
        if (this.#drawing === 0) {
            this.#drawing = requestAnimationFrame(() => {
                this.#drawing = 0;
                if (this.#open) {
                    this.#show();
                }
            });
        }
    }

    #show() {
        this.back.disabled = this.#current <= 0;
        this.on.disabled = this.#current + 1 >= this.#steps.length;
        this.words.textContent = this.#text();
        this.#fillList();
    }

    #text() {
        const number = this.#steps.length;
        const closing = this.#ending ? sentence(this.#ending.words) : "";
        if (this.#current < 0) {
            return closing || "Looking for steps.";
        }
        const of = this.#ending ? number : `${number} so far`;
        const end = this.#current + 1 === number ? ` ${closing}` : "";
        return `Step ${this.#current + 1} of ${of}. ${this.#steps[this.#current].words}${end}`;
    }

    /** Moves the list if the current step is near one of its ends, adds the steps that arrived, and marks the current one. */
    #fillList() {
        const last = this.#first + WINDOW;
        const tooFar = this.#current > last - MARGIN && this.#steps.length > last;
        const tooNear = this.#current < this.#first + MARGIN && this.#first > 0;
        if (tooFar || tooNear) {
            this.#first = Math.max(0, this.#current - BEFORE);
            this.list.replaceChildren();
        }
        const end = Math.min(this.#first + WINDOW, this.#steps.length);
        for (let index = this.#first + this.list.children.length; index < end; index++) {
            this.list.append(stepItem(index, this.#steps[index]));
        }
        this.list.start = this.#first + 1;
        this.#markCurrent();
    }

    #markCurrent() {
        const item = this.list.children[this.#current - this.#first];
        const marked = this.list.querySelector("[aria-current]");
        if (!item || item === marked?.parentElement) {
            return;
        }
        marked?.removeAttribute("aria-current");
        item.firstElementChild.setAttribute("aria-current", "step");
        scrollWithin(this.list, item);
    }

    #clicked(event) {
        const button = event.target.closest("button");
        if (button) {
            this.goTo(Number(button.dataset.step));
        }
    }

    #key(event) {
        const typing = event.target.closest?.("input, textarea, select, dialog");
        if (!this.#open || typing || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (event.key === "," || event.key === ".") {
            event.preventDefault();
            this.goTo(this.#current + (event.key === "." ? 1 : -1));
        }
    }
}

/** The position after any number of steps, found by taking steps forward or back from the position before. */
class Track {
    #cells;
    #applied = 0;

    /**
     * @param {number} width
     * @param {number} height
     * @param {string[] | null} start rows of `#`, `.` and `?`
     */
    constructor(width, height, start) {
        this.width = width;
        this.#cells = start ? [...start.join("")] : new Array(width * height).fill("?");
    }

    /** The rows after the first `number` of the steps. */
    at(steps, number) {
        while (this.#applied < number) {
            this.#set(steps[this.#applied], true);
            this.#applied++;
        }
        while (this.#applied > number) {
            this.#applied--;
            this.#set(steps[this.#applied], false);
        }
        const rows = [];
        for (let start = 0; start < this.#cells.length; start += this.width) {
            rows.push(this.#cells.slice(start, start + this.width).join(""));
        }
        return rows;
    }

    /** A step tells only cells that were unknown before it. */
    #set(step, known) {
        for (const [row, column, value] of step.cells) {
            this.#cells[(row - 1) * this.width + column - 1] = known ? value : "?";
        }
    }
}

function stepItem(index, step) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "step";
    button.dataset.step = String(index);
    button.textContent = step.words;
    const item = document.createElement("li");
    item.append(button);
    return item;
}

/** Scrolls a list, and nothing around it, so that an item of it can be seen. */
function scrollWithin(list, item) {
    const outer = list.getBoundingClientRect();
    const inner = item.getBoundingClientRect();
    if (inner.top < outer.top) {
        list.scrollTop -= outer.top - inner.top;
    } else if (inner.bottom > outer.bottom) {
        list.scrollTop += inner.bottom - outer.bottom;
    }
}

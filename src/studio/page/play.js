// Playing: the picture is hidden and its puzzle solved with marks; hints, a check for mistakes, and the end of the game.

import { Latest, stream } from "./api.js";
import { beginView, changesPuzzle, showLayer } from "./answers.js";
import { elements } from "./elements.js";
import { lineIsFinished } from "./finished.js";
import { plural, sentence } from "./words.js";

const FILLED = 1;
const EMPTY = 2;

/** What to do, when playing begins. */
const HOW_TO = "Solve the puzzle on the board. A click or tap fills a cell. The right button, a long press or the key X marks it as empty.";

const GIVEN = " Cells with a dot are given and stay as they are.";

/** The panel `#play-panel`. */
export class Play {
    #latest = new Latest();
    #pending = null;
    #solved = false;

    constructor({ drawing, board, announce }) {
        Object.assign(this, { drawing, board, announce }, elements({ playButton: "play", hintButton: "hint", mistakesButton: "mistakes", words: "play-words" }));
        this.playLabel = this.playButton.textContent;
        this.hintLabel = this.hintButton.textContent;
        this.playButton.addEventListener("click", () => this.#toggle());
        this.hintButton.addEventListener("click", () => this.#hint());
        this.mistakesButton.addEventListener("click", () => this.#mistakes());
        drawing.addEventListener("change", (event) => this.#changed(event));
        this.#showMode();
    }

    get #playing() {
        return this.drawing.mode === "play";
    }

    #toggle() {
        this.drawing.setMode(this.#playing ? "draw" : "play");
    }

    #changed(event) {
        const { what } = event.detail;
        if (!changesPuzzle(event) && !what.has("marks") && !what.has("mode")) {
            return;
        }
        this.#clear();
        if (what.has("mode") || what.has("document")) {
            this.#showMode();
            this.#say(this.#playing ? HOW_TO + (this.drawing.hasGiven ? GIVEN : "") : "");
        }
        this.#showSolved();
    }

    #showMode() {
        this.playButton.textContent = this.#playing ? "Stop playing" : this.playLabel;
        this.playButton.setAttribute("aria-pressed", String(this.#playing));
        this.hintButton.disabled = !this.#playing;
        this.mistakesButton.disabled = !this.#playing;
    }

    /** Takes hints and mistakes away: they are about marks that have changed. */
    #clear() {
        this.#latest.abort();
        this.#pending = null;
        this.hintButton.textContent = this.hintLabel;
        for (const layer of ["step", "wrong"]) {
            showLayer(this.board, layer, "play", null);
        }
        if (this.words.textContent !== "") {
            this.words.textContent = "";
        }
    }

    #say(words, announced = true) {
        this.words.textContent = words;
        if (announced && words !== "") {
            this.announce(words);
        }
    }

    /** The first press shows the line to look at, the second fills in what follows there. */
    async #hint() {
        if (this.#pending) {
            this.#fillIn(this.#pending);
            return;
        }
        this.#clear();
        this.#say("Looking for a hint.", false);
        const body = { ...this.drawing.subject(), position: this.drawing.positionText(), hint: true };
        let found = null;
        const handlers = {
            step: (step) => { found = step; },
            explained: (data) => (found ? this.#showHint(found) : this.#noHint(data)),
        };
        await this.#run("explain", body, handlers);
    }

    #showHint(step) {
        this.#pending = step;
        this.hintButton.textContent = "Fill in the hint";
        showLayer(this.board, "step", "play", { ...step, cells: [], tried: undefined });
        this.board.showCells(step.cells);
        const number = plural(step.cells.length, "cell");
        this.#say(`Look at ${step.line}: ${number} can be decided there (${step.reason}). Press "Fill in the hint" to mark them.`);
    }

    #noHint({ words, ending, wrong }) {
        if (ending === "wrong") {
            showLayer(this.board, "wrong", "play", wrong);
        }
        this.#say(sentence(words));
    }

    #fillIn(step) {
        const { width } = this.drawing;
        this.drawing.edit("Hint", (draft) => {
            for (const [row, column, value] of step.cells) {
                draft.marks[(row - 1) * width + column - 1] = value === "#" ? FILLED : EMPTY;
            }
        });
        if (!this.#solved) {
            showLayer(this.board, "step", "play", step);
            this.#say(step.words);
        }
    }

    async #mistakes() {
        this.#clear();
        this.#say("Checking the marks.", false);
        const body = { ...this.drawing.subject(), position: this.drawing.positionText() };
        const handlers = {
            position: ({ wrong, words }) => {
                showLayer(this.board, "wrong", "play", wrong.length > 0 ? wrong : null);
                this.board.showCells(wrong);
                this.#say(sentence(words));
            },
        };
        await this.#run("position", body, handlers);
    }

    async #run(path, body, handlers) {
        beginView("play");
        try {
            await this.#latest.run((signal) => stream(path, body, handlers, signal));
        } catch (error) {
            this.#say(sentence(error.message));
        }
    }

    #showSolved() {
        const solved = this.#playing && marksSolve(this.drawing);
        if (solved) {
            document.body.dataset.solved = "true";
            this.#say("Solved.", !this.#solved);
        } else {
            delete document.body.dataset.solved;
        }
        this.#solved = solved;
    }
}

/** Whether the filled marks have the clues of every line. */
function marksSolve({ width, height, marks, rows, columns }) {
    return rows.every((clue, row) => lineIsFinished(clue, marks, [row * width, 1, width]))
        && columns.every((clue, column) => lineIsFinished(clue, marks, [column, width, height]));
}

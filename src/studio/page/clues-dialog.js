// The dialog in which clues are typed or pasted as text.

import { Latest, upload } from "./api.js";
import { cluesText } from "./clues.js";
import { elements } from "./elements.js";
import { plural, sentence } from "./words.js";

/** The server reads the text after this time in ms without a key. */
const QUIET = 100;

/** The name under which the server reads the text. It begins the words of an error, with a line and a column. */
const NAME = "clues";

/** The dialog `#clues-dialog` and the button that opens it. */
export class CluesDialog {
    #latest = new Latest();
    #timer = 0;
    #puzzle = null;

    constructor({ drawing, announce }) {
        Object.assign(this, { drawing, announce }, elements({ dialog: "clues-dialog", text: "clues-text", words: "clues-words", useButton: "use-clues" }));
        document.querySelector("#clues").addEventListener("click", () => this.#open());
        this.text.addEventListener("input", () => this.#read());
        this.useButton.addEventListener("click", () => this.#use());
        this.dialog.addEventListener("close", () => this.#stop());
    }

    #open() {
        const { rows, columns } = this.drawing;
        this.text.value = cluesText(rows, columns);
        this.#show({ rows, columns }, sizeText({ rows, columns }) + sumText({ rows, columns }));
        this.dialog.showModal();
        this.text.focus();
        this.text.setSelectionRange(0, 0);
        this.text.scrollTop = 0;
    }

    #stop() {
        clearTimeout(this.#timer);
        this.#latest.abort();
    }

    /** Reads the text, as soon as no key is pressed. */
    #read() {
        this.#stop();
        if (this.text.value.trim() === "") {
            this.#show(null, "");
        } else {
            this.#show(null, "Reading.");
            this.#timer = setTimeout(() => this.#readByServer(), QUIET);
        }
    }

    async #readByServer() {
        try {
            const blob = new Blob([this.text.value]);
            const result = await this.#latest.run((signal) => upload(`read?name=${NAME}`, blob, signal));
            const entry = result?.puzzles[0];
            if (entry?.puzzle) {
                const warnings = (entry.warnings ?? []).map((words) => ` ${sentence(words)}`);
                this.#show(entry.puzzle, sizeText(entry.puzzle) + sumText(entry.puzzle) + warnings.join(""));
            } else if (result) {
                this.#show(null, sentence(errorText(entry?.error ?? "there is no puzzle in this text")));
            }
        } catch (error) {
            this.#show(null, sentence(error.message));
        }
    }

    #show(puzzle, words) {
        this.#puzzle = puzzle;
        this.useButton.disabled = puzzle === null;
        this.text.setAttribute("aria-invalid", String(puzzle === null && words !== "" && words !== "Reading."));
        this.words.textContent = words;
    }

    #use() {
        const { rows, columns, title, author } = this.#puzzle;
        const names = { title: title ?? this.drawing.title, author: author ?? this.drawing.author };
        const kept = this.#puzzle.given ? null : this.#keptGiven();
        this.dialog.close();
        const { given, saved } = this.#puzzle;
        this.drawing.open({ rows, columns, given: given ?? kept, saved, ...names }, "Clues");
        this.announce(sizeText({ rows, columns }) + (kept ? " The given cells stay." : ""));
    }

    /** The given cells of the drawing, which stay if the size does. */
    #keptGiven() {
        const { rows, columns } = this.#puzzle;
        const { width, height } = this.drawing;
        return rows.length === height && columns.length === width ? this.drawing.givenText() : null;
    }
}

/** An error of the server with the place in words. */
function errorText(words) {
    return words.replace(new RegExp(`^${NAME}:(\\d+):\\d+: `), "line $1: ");
}

function sizeText({ rows, columns }) {
    return `${plural(rows.length, "row")}, ${plural(columns.length, "column")}.`;
}

/** A warning, because a clue is likely to be mistyped, if the rows and the columns do not have the same number of filled cells. */
function sumText({ rows, columns }) {
    const [inRows, inColumns] = [rows, columns].map((lines) => lines.flat().reduce((sum, block) => sum + block, 0));
    const numbers = `The rows have ${plural(inRows, "filled cell")} and the columns ${inColumns}`;
    return inRows === inColumns ? "" : ` ${numbers}, so there is no solution.`;
}

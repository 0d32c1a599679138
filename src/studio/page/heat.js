// The heat map: in which share of all solutions each cell is filled.

import { Latest, stream } from "./api.js";
import { answers, beginView, changesPuzzle, closeForOthers } from "./answers.js";
import { progressText, sentence, solutionsText } from "./words.js";

/** The button `#heat`. */
export class Heat {
    #latest = new Latest();
    #on = false;

    constructor({ drawing, board, announce }) {
        Object.assign(this, { drawing, board, announce });
        this.button = document.querySelector("#heat");
        this.words = wordsAfter(this.button);
        this.button.setAttribute("aria-pressed", "false");
        this.button.addEventListener("click", () => this.#toggle());
        drawing.addEventListener("change", (event) => this.#changed(event));
        answers.addEventListener("end", (event) => this.#checked(event));
        closeForOthers("heat", () => this.#on && this.#toggle(), ["repair"]);
    }

    #toggle() {
        this.#on = !this.#on;
        this.button.setAttribute("aria-pressed", String(this.#on));
        if (!this.#on) {
            this.#clear();
        } else if (this.drawing.mode === "play") {
            this.#say("The heat map is not shown while the puzzle is played.");
        } else {
            beginView("heat");
            if (answers.running) {
                this.#say("The heat map follows when the check has ended.");
            } else {
                this.#ask(true);
            }
        }
    }

    #changed(event) {
        const { what } = event.detail;
        if (changesPuzzle(event) || what.has("mode")) {
            this.#latest.abort();
            if (what.has("size") || what.has("document") || what.has("mode")) {
                this.#clear();
            }
        }
        if (what.has("mode") && this.#on && this.drawing.mode === "draw" && !answers.running) {
            this.#ask(false);
        }
    }

    #checked(event) {
        if (this.#on && event.detail.finished && this.drawing.mode === "draw") {
            this.#ask(false);
        } else if (!event.detail.finished) {
            this.words.textContent = "";
        }
    }

    #clear() {
        this.#latest.abort();
        this.board.setLayer("heat", null);
        this.words.textContent = "";
    }

    /** @param {boolean} announced whether the person asked for this answer, rather than a change */
    async #ask(announced) {
        const handlers = {
            progress: (data) => { this.words.textContent = `Heat map: ${sentence(progressText(data))}`; },
            cells: (data) => this.#show(data, announced),
            unavailable: ({ words }) => this.#unavailable(words, announced),
        };
        try {
            await this.#latest.run((signal) => stream("cells", this.drawing.subject(), handlers, signal));
        } catch (error) {
            this.#unavailable(error.message, announced);
        }
    }

    #show({ shares, solutions }, announced) {
        this.board.setLayer("heat", shares);
        const number = solutionsText(solutions, true);
        const of = `Heat map of ${number} ${solutions === "1" ? "solution" : "solutions"}.`;
        this.#say(`${of} The darker a cell is, the more of them fill it. The numbers are percentages.`, announced);
    }

    #unavailable(words, announced) {
        this.board.setLayer("heat", null);
        this.#say(`No heat map: ${sentence(words)}`, announced);
    }

    #say(words, announced = true) {
        this.words.textContent = words;
        if (announced) {
            this.announce(words);
        }
    }
}

/** The element for the words about the heat map, at the end of the answers. */
function wordsAfter(button) {
    const element = document.createElement("p");
    element.id = "heat-words";
    button.setAttribute("aria-describedby", element.id);
    document.querySelector("#answers").append(element);
    return element;
}

// Repair: the smallest edits that leave the picture as the only solution of its clues, and the cells to reveal as an alternative, which can
// be given from then on.

import { stream } from "./api.js";
import { beginView, changesPuzzle } from "./answers.js";
import { elements } from "./elements.js";
import { RunButton } from "./run-button.js";
import { cellsText, plural, sentence } from "./words.js";

/** How many proposals are asked for besides the best one. */
const ALTERNATIVES = 4;

/** The panel `#repair-panel`. */
export class Repair {
    #proposals = [];
    #selected = -1;
    /** The cells that are shown as to be revealed, `[row, column]` from 1. */
    #toGive = [];

    constructor({ drawing, board, announce }) {
        Object.assign(this, { drawing, board, announce }, elements({
            list: "repair-list", words: "repair-words", only: "repair-only", lineSolvable: "repair-line-solvable", applyButton: "apply",
            discardButton: "discard", giveButton: "give", giveNoneButton: "give-none",
        }));
        const say = (words) => { this.words.textContent = words; };
        this.repair = new RunButton(document.querySelector("#repair"), say, (signal) => this.#repair(signal));
        this.reveal = new RunButton(document.querySelector("#reveal"), say, (signal) => this.#reveal(signal));
        this.repair.button.addEventListener("click", () => this.reveal.stop());
        this.reveal.button.addEventListener("click", () => this.repair.stop());
        this.applyButton.addEventListener("click", () => this.#apply());
        this.discardButton.addEventListener("click", () => this.#discard(""));
        this.giveButton.addEventListener("click", () => this.#give());
        this.giveNoneButton.addEventListener("click", () => this.#giveNone());
        this.only.addEventListener("change", () => this.#invalidate());
        this.lineSolvable.addEventListener("change", () => this.#invalidate());
        this.drawing.addEventListener("change", (event) => this.#changed(event));
        this.#discard("");
        this.#enable();
    }

    #changed(event) {
        if (changesPuzzle(event) || event.detail.what.has("protect") || event.detail.what.has("mode")) {
            this.#invalidate();
        }
        this.#enable();
    }

    /** Takes back proposals for a picture or for options that are no longer there. */
    #invalidate() {
        this.repair.stop();
        this.reveal.stop();
        this.#discard("");
    }

    #enable() {
        const possible = this.drawing.kind === "picture" && this.drawing.mode === "draw";
        this.repair.button.disabled = !possible;
        this.reveal.button.disabled = !possible;
        offer(this.giveNoneButton, this.drawing.hasGiven && this.drawing.mode === "draw");
    }

    async #repair(signal) {
        this.#discard("");
        const body = {
            ...this.drawing.subject(),
            keep: this.drawing.protect.includes(1) ? this.drawing.gridText(this.drawing.protect) : null,
            only: this.only.value === "any" ? null : this.only.value,
            line_solvable: this.lineSolvable.checked,
            alternatives: ALTERNATIVES,
        };
        const handlers = { progress: this.repair.progress, repaired: (data) => this.#repaired(data) };
        await stream("repair", body, handlers, signal);
    }

    #repaired({ flips, alternatives, words }) {
        if (flips && flips.length > 0) {
            this.#proposals = distinct([flips, ...alternatives]);
            beginView("repair");
            this.#list();
            this.#select(0);
        }
        const number = this.#proposals.length;
        // Nothing is changed before the proposal is applied.
        const next = number > 1 ? " Choose a proposal and press Apply." : number > 0 ? " Press Apply to change the picture." : "";
        this.words.textContent = sentence(words) + next;
        this.announce(sentence(words) + (number > 1 ? ` ${number} proposals.` : ""));
    }

    async #reveal(signal) {
        this.#discard("");
        const body = { ...this.drawing.subject(), line_solvable: this.lineSolvable.checked };
        const handlers = { progress: this.reveal.progress, revealed: (data) => this.#revealed(data) };
        await stream("reveal", body, handlers, signal);
    }

    #revealed({ reveal, words }) {
        const found = reveal && reveal.length > 0;
        if (found) {
            beginView("repair");
        }
        this.#toGive = reveal ?? [];
        this.board.setLayer("revealed", found ? reveal : null);
        this.board.showCells(this.#toGive);
        this.discardButton.disabled = !found;
        offer(this.giveButton, found);
        const text = sentence(words) + (found ? ` Reveal ${cellsText(reveal)}.` : "");
        this.words.textContent = text;
        this.announce(text);
    }

    /** Fills the list with a button for each proposal. */
    #list() {
        const items = this.#proposals.map((cells, index) => {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "proposal";
            button.textContent = `${plural(cells.length, "cell")}: ${this.#flipsText(cells)}`;
            button.addEventListener("click", () => this.#select(index));
            button.addEventListener("pointerenter", () => this.#preview(index));
            button.addEventListener("pointerleave", () => this.#preview(this.#selected));
            button.addEventListener("focus", () => this.#preview(index));
            button.addEventListener("blur", () => this.#preview(this.#selected));
            const item = document.createElement("li");
            item.append(button);
            return item;
        });
        this.list.replaceChildren(...items);
        this.discardButton.disabled = false;
    }

    /** `fill row 1 column 2; empty row 3 column 4`. */
    #flipsText(cells) {
        const { cells: picture, width } = this.drawing;
        const isFilled = ([row, column]) => picture[(row - 1) * width + column - 1] === 1;
        const parts = [["fill", cells.filter((cell) => !isFilled(cell))], ["empty", cells.filter(isFilled)]];
        return parts.filter(([, those]) => those.length > 0).map(([word, those]) => `${word} ${cellsText(those)}`).join("; ");
    }

    #select(index) {
        this.#selected = index;
        this.list.querySelectorAll(".proposal").forEach((button, place) => {
            button.setAttribute("aria-pressed", String(place === index));
        });
        this.applyButton.disabled = index < 0;
        this.#preview(index);
        this.board.showCells(this.#proposals[index]);
    }

    #preview(index) {
        this.board.setLayer("flips", this.#proposals[index] ?? null);
    }

    #apply() {
        const cells = this.#proposals[this.#selected];
        if (!cells) {
            return;
        }
        this.drawing.flip(cells, "Repair");
        this.words.textContent = `Changed ${plural(cells.length, "cell")}.`;
        this.announce(`Repaired: changed ${plural(cells.length, "cell")}.`);
    }

    #give() {
        const cells = this.#toGive;
        this.drawing.give(cells);
        this.#tell(`${plural(cells.length, "cell")} given. Play begins with them.`);
    }

    #giveNone() {
        this.drawing.giveNone();
        this.#tell("No cells are given.");
    }

    #tell(words) {
        this.words.textContent = words;
        this.announce(words);
    }

    #discard(words) {
        const hadFocus = this.list.contains(document.activeElement);
        this.#proposals = [];
        this.#selected = -1;
        this.#toGive = [];
        this.list.replaceChildren();
        this.board.setLayer("flips", null);
        this.board.setLayer("revealed", null);
        offer(this.giveButton, false);
        this.applyButton.disabled = true;
        this.discardButton.disabled = true;
        this.words.textContent = words;
        if (hadFocus) {
            this.repair.button.focus();
        }
    }
}

/** Shows a button only while it can be used. */
function offer(button, possible) {
    button.disabled = !possible;
    button.hidden = !possible;
}

/** The proposals without those that name the same cells again. */
function distinct(proposals) {
    const key = (cells) => cells.map(String).sort().join(" ");
    return [...new Map(proposals.map((cells) => [key(cells), cells]).reverse()).values()].reverse();
}

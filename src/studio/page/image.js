// The dialog that makes a picture from an image, with a preview of the cells that the server traces.

import { Latest, upload } from "./api.js";
import { plural, sentence } from "./words.js";

/** The side of the preview in pixels of the canvas; the cells are drawn as large as they fit. */
const PREVIEW = 480;

let dialog = null;

/** Connects the dialog `#image-dialog`. */
export function connectImage(context) {
    dialog = new ImageDialog(context);
    return dialog;
}

/**
 * Opens the dialog for an image.
 * @param {Blob} blob the bytes of the image
 * @param {string} name of its file
 * @param {object} context
 */
export function openImage(blob, name, context) {
    dialog ??= new ImageDialog(context);
    dialog.open(blob, name);
}

class ImageDialog {
    #latest = new Latest();
    #blob = null;
    #name = "";
    #puzzle = null;
    #sized = false;
    #scheduled = false;

    constructor({ drawing, announce }) {
        this.drawing = drawing;
        this.announce = announce;
        this.dialog = document.querySelector("#image-dialog");
        this.canvas = document.querySelector("#image-preview");
        this.width = document.querySelector("#image-width");
        this.height = document.querySelector("#image-height");
        this.threshold = document.querySelector("#threshold");
        this.thresholdValue = document.querySelector("#threshold-value");
        this.auto = document.querySelector("#threshold-auto");
        this.dither = document.querySelector("#dither");
        this.invert = document.querySelector("#invert-image");
        this.words = document.querySelector("#image-words");
        this.useButton = document.querySelector("#use-image");
        this.threshold.addEventListener("input", () => this.#thresholdMoved());
        for (const input of [this.width, this.height]) {
            input.addEventListener("input", () => this.#sizeTyped());
        }
        for (const input of [this.auto, this.dither, this.invert]) {
            input.addEventListener("change", () => this.#schedule());
        }
        this.useButton.addEventListener("click", () => this.#use());
        this.dialog.addEventListener("close", () => this.#latest.abort());
    }

    open(blob, name) {
        this.#blob = blob;
        this.#name = name;
        this.#sized = false;
        this.#show(null, "");
        this.width.value = "";
        this.height.value = "";
        this.height.placeholder = "";
        if (!this.dialog.open) {
            this.dialog.showModal();
        }
        this.#schedule();
    }

    /** A threshold that is set by hand is no longer chosen by the server. */
    #thresholdMoved() {
        this.auto.checked = false;
        this.#schedule();
    }

    #sizeTyped() {
        this.#sized = this.width.value !== "" || this.height.value !== "";
        this.#schedule();
    }

    /** Asks once a frame at most, so that the slider can be moved quickly. */
    #schedule() {
        if (this.thresholdValue) {
            this.thresholdValue.textContent = this.auto.checked ? "automatic" : this.threshold.value;
        }
        if (!this.#scheduled) {
            this.#scheduled = true;
            requestAnimationFrame(() => {
                this.#scheduled = false;
                this.#trace();
            });
        }
    }

    async #trace() {
        if (!this.dialog.open) {
            return;
        }
        const fault = this.#sized ? [this.width, this.height].find((input) => !input.validity.valid) : null;
        if (fault || (this.#sized && this.width.value === "")) {
            this.#latest.abort();
            this.#show(null, fault?.validationMessage ?? "The number of columns is missing.");
            return;
        }
        try {
            const path = `read?${this.#options()}`;
            const result = await this.#latest.run((signal) => upload(path, this.#blob, signal));
            if (result) {
                this.#traced(result.puzzles[0]);
            }
        } catch (error) {
            this.#show(null, sentence(error.message));
        }
    }

    #options() {
        const options = new URLSearchParams({ name: this.#name });
        if (this.#sized) {
            options.set("size", this.height.value === "" ? this.width.value : `${this.width.value}x${this.height.value}`);
        }
        options.set("threshold", this.auto.checked ? "auto" : this.threshold.value);
        options.set("dither", String(this.dither.checked));
        options.set("invert", String(this.invert.checked));
        return options;
    }

    #traced(entry) {
        const goal = entry?.puzzle?.goal;
        if (!goal) {
            this.#show(null, sentence(entry?.error ?? "this is not an image"));
            return;
        }
        if (!this.#sized) {
            this.width.value = String(goal[0].length);
        }
        this.height.placeholder = String(goal.length);
        this.#show(entry.puzzle, `${plural(goal.length, "row")}, ${plural(goal[0].length, "column")}.`);
    }

    #show(puzzle, words) {
        this.#puzzle = puzzle;
        this.useButton.disabled = puzzle === null;
        this.words.textContent = words;
        drawPreview(this.canvas, puzzle?.goal ?? []);
    }

    #use() {
        const title = this.#puzzle.title ?? stemOf(this.#name);
        this.drawing.open({ ...this.#puzzle, title }, "Image");
        this.dialog.close();
        this.announce(`The image is the picture now: ${this.words.textContent}`);
    }
}

/** Draws rows of `#` and `.` in the colours of the canvas. */
function drawPreview(canvas, rows) {
    const columns = rows[0]?.length ?? 1;
    const cell = Math.max(1, Math.floor(PREVIEW / Math.max(columns, rows.length, 1)));
    canvas.width = columns * cell;
    canvas.height = Math.max(rows.length, 1) * cell;
    const pen = canvas.getContext("2d");
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = "#222";
    rows.forEach((row, y) => {
        for (let x = 0; x < columns; x++) {
            if (row[x] === "#") {
                pen.fillRect(x * cell, y * cell, cell, cell);
            }
        }
    });
}

function stemOf(name) {
    return name.replace(/^.*[/\\]/, "").replace(/\.[^.]*$/, "");
}

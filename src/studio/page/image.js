// The dialog that makes a picture from an image, with a preview of the cells that the server traces.

import { Latest, upload } from "./api.js";
import { elements } from "./elements.js";
import { warningsOf } from "./opening.js";
import { plural, sentence, withoutName } from "./words.js";

/** The side of the preview in pixels of the canvas; the cells are drawn as large as they fit. */
const PREVIEW = 480;

/** An image with a longer side is made smaller before it is sent: a picture needs no more pixels, and the preview follows the sliders. */
const MOST_PIXELS = 1200;

/** A picture of more cells a side, one for each pixel of its image, gets the second side at first. */
const MOST_EXACT = 200;
const FIRST_SIDE = 60;

let dialog = null;

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

/** The dialog `#image-dialog`. */
export class ImageDialog {
    #latest = new Latest();
    #blob = null;
    #opening = null;
    #name = "";
    #puzzle = null;
    #sized = false;
    #scheduled = false;
    #tracing = false;
    #again = false;

    constructor({ drawing, announce }) {
        dialog = this;
        Object.assign(this, { drawing, announce }, elements({
            dialog: "image-dialog", canvas: "image-preview", width: "image-width", height: "image-height", threshold: "threshold",
            thresholdValue: "threshold-value", kind: "threshold-kind", dither: "dither", invert: "invert-image", margin: "keep-margin",
            words: "image-words", useButton: "use-image",
        }));
        this.threshold.addEventListener("input", () => this.#thresholdMoved());
        for (const input of [this.width, this.height]) {
            input.addEventListener("input", () => this.#sizeTyped());
        }
        for (const input of [this.kind, this.dither, this.invert, this.margin]) {
            input.addEventListener("change", () => this.#schedule());
        }
        this.useButton.addEventListener("click", () => this.#use());
        this.dialog.addEventListener("close", () => this.#latest.abort());
    }

    async open(blob, name) {
        this.#blob = null;
        this.#name = name;
        this.#sized = false;
        this.#show(null, "Reading the image.");
        this.width.value = "";
        this.height.value = "";
        this.height.placeholder = "";
        if (!this.dialog.open) {
            this.dialog.showModal();
        }
        this.#opening = blob;
        const prepared = await notTooLarge(blob);
        // Another image may have been opened since.
        if (this.#opening === blob && this.dialog.open) {
            this.#blob = prepared;
            this.#schedule();
        }
    }

    /** A threshold that is set by hand is no longer chosen by the server. */
    #thresholdMoved() {
        this.kind.value = "fixed";
        this.#schedule();
    }

    #sizeTyped() {
        this.#sized = true;
        this.#schedule();
    }

    /** Asks once a frame at most, so that the slider can be moved quickly. */
    #schedule() {
        if (this.thresholdValue) {
            this.thresholdValue.textContent = this.threshold.value;
        }
        if (!this.#scheduled) {
            this.#scheduled = true;
            requestAnimationFrame(() => {
                this.#scheduled = false;
                this.#trace();
            });
        }
    }

    /** One request at a time, so that the preview follows a slider that moves; the last values are always asked for. */
    async #trace() {
        this.#again = true;
        if (this.#tracing) {
            return;
        }
        this.#tracing = true;
        while (this.#again && this.#blob && this.dialog.open) {
            this.#again = false;
            await this.#traceOnce();
        }
        this.#tracing = false;
    }

    async #traceOnce() {
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
        options.set("threshold", this.kind.value === "fixed" ? this.threshold.value : this.kind.value);
        options.set("dither", String(this.dither.checked));
        options.set("invert", String(this.invert.checked));
        options.set("margin", String(this.margin.checked));
        return options;
    }

    #traced(entry) {
        const goal = entry?.puzzle?.goal;
        if (!goal) {
            this.#show(null, sentence(withoutName(entry?.error ?? "this is not an image", this.#name)));
            return;
        }
        const longer = Math.max(goal.length, goal[0].length);
        if (!this.#sized && longer > MOST_EXACT) {
            this.width.value = String(Math.max(1, Math.round((FIRST_SIDE * goal[0].length) / longer)));
            this.#sizeTyped();
            return;
        }
        if (!this.#sized) {
            this.width.value = String(goal[0].length);
        }
        this.height.placeholder = String(goal.length);
        const size = `${plural(goal.length, "row")}, ${plural(goal[0].length, "column")}.`;
        this.#show(entry.puzzle, [size, ...warningsOf(entry)].join(" "));
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

/**
 * The bytes of an image that are sent; of an image that the browser cannot read, the bytes as they are.
 * @param {Blob} blob
 * @returns {Promise<Blob>}
 */
async function notTooLarge(blob) {
    let image;
    try {
        image = await createImageBitmap(blob);
        const longer = Math.max(image.width, image.height);
        return longer <= MOST_PIXELS ? blob : await smaller(image, MOST_PIXELS / longer);
    } catch {
        return blob;
    } finally {
        image?.close();
    }
}

function smaller(image, scale) {
    const side = (length) => Math.max(1, Math.round(length * scale));
    const canvas = new OffscreenCanvas(side(image.width), side(image.height));
    const pen = canvas.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.convertToBlob();
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

// Export: the puzzle or its solution as a drawing or on paper.

import { bytes } from "./api.js";
import { download, fileStem } from "./download.js";
import { elements } from "./elements.js";
import { sentence } from "./words.js";

/** The dialog `#export-dialog` and the button that opens it. */
export class Export {
    constructor({ drawing }) {
        this.drawing = drawing;
        Object.assign(this, elements({ dialog: "export-dialog", solution: "export-solution", words: "export-words" }));
        document.querySelector("#export").addEventListener("click", () => this.#open());
        for (const kind of ["svg", "png", "pdf"]) {
            this.#connect(`#export-${kind}`, () => this.#download(kind));
        }
        this.#connect("#export-print", () => this.#print());
    }

    #open() {
        this.words.textContent = "";
        this.dialog.showModal();
    }

    /** A button works once at a time and tells an error in the dialog. It stays enabled, so that it keeps the focus. */
    #connect(name, work) {
        let working = false;
        document.querySelector(name).addEventListener("click", async () => {
            if (working) {
                return;
            }
            working = true;
            this.words.textContent = "Drawing.";
            try {
                this.words.textContent = await work();
            } catch (error) {
                this.words.textContent = sentence(error.message);
            }
            working = false;
        });
    }

    async #draw(kind) {
        const what = this.solution.checked ? "solution" : "puzzle";
        const { blob } = await bytes("draw", { puzzle: this.drawing.puzzle(), as: kind, what });
        return blob;
    }

    async #download(kind) {
        const suffix = this.solution.checked ? "-solution" : "";
        const name = `${fileStem(this.drawing.title)}${suffix}.${kind}`;
        download(await this.#draw(kind), name);
        return `Saved ${name}.`;
    }

    /** The browser asks print.js for the sheet, which shows the picture only if the body says so. */
    async #print() {
        const { drawing } = this;
        if (this.solution.checked && drawing.kind !== "picture") {
            return "There is no picture to print: the puzzle has clues alone.";
        }
        document.body.dataset.print = this.solution.checked ? "picture" : "puzzle";
        this.dialog.close();
        window.print();
        return "";
    }
}

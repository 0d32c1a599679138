// Files: opens them by the buttons, by dropping and by pasting, and saves the drawing.

import { bytes, request, upload } from "./api.js";
import { connectClues } from "./clues-dialog.js";
import { addPuzzles } from "./collection.js";
import { download, fileStem, headerText } from "./download.js";
import { filesOf, filesOfInput } from "./dropped.js";
import { openImage } from "./image.js";
import { plural, sentence } from "./words.js";

/** The format that is chosen at first. */
const DEFAULT_FORMAT = "non";

/** So many errors of files are told in words. */
const MOST_ERRORS = 3;

/** Connects the buttons for files, dropping and pasting on the page, and the dialog for clues. */
export function connectFiles(context) {
    connectClues(context);
    return new Files(context);
}

class Files {
    constructor(context) {
        this.context = context;
        this.drawing = context.drawing;
        this.formatSelect = document.querySelector("#save-format");
        this.saveButton = document.querySelector("#save");
        this.saveButton.addEventListener("click", () => this.#try(() => this.#save()));
        this.formatSelect.addEventListener("change", () => this.#enable());
        this.drawing.addEventListener("change", () => this.#enable());
        this.#connectInput(document.querySelector("#open"), document.querySelector("#file"));
        this.#connectInput(document.querySelector("#open-folder"), document.querySelector("#folder"));
        this.#connectDrop();
        document.addEventListener("paste", (event) => this.#paste(event));
        this.formats = new Map();
        this.#try(() => this.#fillFormats());
    }

    /** Runs work of which an error is told. */
    async #try(work) {
        try {
            await work();
        } catch (error) {
            this.context.alertUser(sentence(error.message));
        }
    }

    #connectInput(button, input) {
        button.addEventListener("click", () => input.click());
        input.addEventListener("change", () => {
            const files = filesOfInput(input.files);
            input.value = "";
            this.#try(() => this.#openFiles(files));
        });
    }

    #connectDrop() {
        const over = (dropping) => document.body.classList.toggle("dropping", dropping);
        const hasFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;
        document.addEventListener("dragover", (event) => {
            if (hasFiles(event)) {
                event.preventDefault();
                event.dataTransfer.dropEffect = "copy";
                over(true);
            }
        });
        document.addEventListener("dragleave", (event) => {
            if (event.relatedTarget === null) {
                over(false);
            }
        });
        document.addEventListener("drop", (event) => {
            over(false);
            if (hasFiles(event)) {
                event.preventDefault();
                const files = filesOf(event.dataTransfer);
                this.#try(async () => this.#openFiles(await files));
            }
        });
    }

    /** A paste outside text fields and dialogs is opened like a file. */
    #paste(event) {
        if (event.target.closest?.("input, textarea, select, dialog") || document.querySelector("dialog[open]")) {
            return;
        }
        const text = event.clipboardData.getData("text/plain");
        const files = filesOf(event.clipboardData);
        event.preventDefault();
        this.#try(async () => {
            const pasted = await files;
            if (pasted.length > 0) {
                await this.#openFiles(pasted);
            } else if (text.trim() !== "") {
                await this.#openFiles([new File([text], "pasted")]);
            }
        });
    }

    /** Opens one puzzle; several of them also become entries of the collection. A single image is traced in the dialog for images. */
    async #openFiles(files) {
        const found = [];
        for (const file of files) {
            if (files.length > 1) {
                this.context.announce(`Reading file ${found.length + 1} of ${files.length}.`);
            }
            found.push(await readFile(file));
        }
        if (files.length === 1 && found[0].image) {
            openImage(files[0], files[0].name, this.context);
            return;
        }
        this.#openEntries(found.flatMap(({ puzzles }) => puzzles));
    }

    #openEntries(entries) {
        const readable = entries.filter(({ puzzle }) => puzzle);
        const unreadable = entries.filter(({ puzzle }) => !puzzle);
        if (unreadable.length > 0) {
            this.context.alertUser(errorsText(unreadable));
        }
        if (readable.length > 1) {
            addPuzzles(readable);
            this.context.announce(`Opened ${plural(readable.length, "puzzle")}.`);
        } else if (readable.length === 1) {
            this.drawing.open(readable[0].puzzle, "Open");
            this.context.announce(`Opened ${readable[0].puzzle.title || readable[0].name}.`);
        }
    }

    async #fillFormats() {
        const { formats } = await request("formats");
        for (const format of formats.filter(({ writes }) => writes)) {
            this.formats.set(format.name, format);
            const option = document.createElement("option");
            option.value = format.name;
            option.textContent = format.name;
            option.title = format.title;
            this.formatSelect.append(option);
        }
        this.formatSelect.value = DEFAULT_FORMAT;
        this.#enable();
    }

    /** A format that is a picture needs a picture. */
    #enable() {
        const format = this.formats.get(this.formatSelect.value);
        const missing = Boolean(format?.picture) && this.drawing.kind !== "picture";
        this.saveButton.disabled = !format || missing;
        this.saveButton.title = missing ? "This format needs a picture." : format?.title ?? "";
    }

    async #save() {
        const body = { puzzles: [this.drawing.puzzle()], format: this.formatSelect.value };
        const { blob, headers } = await bytes("write", body);
        const name = headerText(headers, "omnogram-file") || `${fileStem(this.drawing.title)}.${body.format}`;
        download(blob, name);
        this.context.announce(savedText(name, headerText(headers, "omnogram-lost")));
    }
}

/** The words after a file was saved. */
export function savedText(name, lost) {
    return lost ? `Saved ${name}. This format cannot keep: ${lost}.` : `Saved ${name}.`;
}

/** The puzzles of a file; a file that cannot be read at all is an entry with an error. */
async function readFile(file) {
    const name = file.webkitRelativePath || file.name;
    try {
        return await upload(`read?name=${encodeURIComponent(name)}`, file);
    } catch (error) {
        return { puzzles: [{ name, error: error.message }], image: false };
    }
}

function errorsText(entries) {
    const told = entries.slice(0, MOST_ERRORS).map(({ name, error }) => (error.startsWith(name) ? `${error}.` : `${name}: ${error}.`));
    const more = entries.length - told.length;
    return told.join(" ") + (more > 0 ? ` ${plural(more, "more file")} cannot be read.` : "");
}

// Files: opens them by the buttons, by dropping and by pasting, and saves the drawing.

import { bytes, request, upload } from "./api.js";
import { isElsewhere } from "./clipboard.js";
import { CluesDialog } from "./clues-dialog.js";
import { addPuzzles } from "./collection.js";
import { copyText, download, fileStem, headerText } from "./download.js";
import { filesOf, filesOfInput } from "./dropped.js";
import { openImage } from "./image.js";
import { tellOpening } from "./opening.js";
import { plural, sentence } from "./words.js";

/** The format that is chosen at first. */
const DEFAULT_FORMAT = "non";

/** A single file of these types is an image to trace. It goes to the dialog at once, because a photo takes long as a puzzle. */
const IMAGE = /^image\/(png|jpeg|gif|bmp|webp)$/;

/** Puzzles with more cells are not opened. */
const MOST_CELLS = 250000;

/** The buttons for files, dropping and pasting on the page, and the dialog for clues. */
export class Files {
    constructor(context) {
        new CluesDialog(context);
        this.context = context;
        this.drawing = context.drawing;
        this.formatSelect = document.querySelector("#save-format");
        this.saveButton = document.querySelector("#save");
        this.saveButton.addEventListener("click", () => this.#try(() => this.#save()));
        document.querySelector("#copy-link").addEventListener("click", () => this.#try(() => this.#copyLink()));
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
        if (isElsewhere(event)) {
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
        if (files.length === 1 && IMAGE.test(files[0].type) && files[0].size > 0) {
            openImage(files[0], files[0].name, this.context);
            return;
        }
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
        this.#openEntries(found.flatMap(({ puzzles }) => puzzles).map(withinBounds));
    }

    #openEntries(entries) {
        const readable = entries.filter(({ puzzle }) => puzzle);
        tellOpening(this.context, entries);
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
        const lost = headerText(headers, "omnogram-lost");
        this.context.announce(`Saved ${name}.`);
        if (lost) {
            this.context.notify(`Saved ${name}. This format cannot keep: ${lost}.`);
        }
    }

    async #copyLink() {
        const link = this.context.store.link();
        if (await copyText(link)) {
            this.context.notify("The link is copied. It opens this puzzle on the page of a studio that runs.");
        } else {
            this.context.alertUser("The browser does not allow to copy. The link is in its address line now.");
            window.history.replaceState(null, "", link);
        }
    }
}

/** An entry of a file, or one with an error instead of a puzzle that is too large for the page. */
function withinBounds(entry) {
    const { puzzle, name } = entry;
    const cells = puzzle ? (puzzle.rows?.length ?? 0) * (puzzle.columns?.length ?? 0) : 0;
    const words = `this puzzle has ${plural(cells, "cell")}; the page opens puzzles of up to ${plural(MOST_CELLS, "cell")}`;
    return cells > MOST_CELLS ? { name, error: words } : entry;
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

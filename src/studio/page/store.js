// The drawing across reloads: kept in the browser's storage, and small puzzles as a link.

const KEY = "omnogram-drawing";
/** The address at which this tab has opened the puzzles of the command line. */
const BEGUN = "omnogram-begun";
/** Time after a change until it is stored, in milliseconds. */
const DELAY = 300;
/** Sides and cells that a stored drawing or a link may have at most. */
const MOST_SIDE = 1000;
const MOST_CELLS = 250000;

/** Values below 2 ** `bits` as bytes, the first value in the highest bits.
 * @param {Uint8Array} values
 * @param {1 | 2} bits */
export function packBits(values, bits) {
    const perByte = 8 / bits;
    const packed = new Uint8Array(Math.ceil(values.length / perByte));
    values.forEach((value, index) => {
        packed[Math.floor(index / perByte)] |= value << (8 - bits - (index % perByte) * bits);
    });
    return packed;
}

/** The values that `packBits` packed; throws if there are not as many bytes as they need. */
export function unpackBits(packed, bits, number) {
    const perByte = 8 / bits;
    if (packed.length !== Math.ceil(number / perByte)) {
        throw new Error("The packed cells do not have the stated size.");
    }
    const mask = (1 << bits) - 1;
    return Uint8Array.from({ length: number }, (_, index) =>
        (packed[Math.floor(index / perByte)] >> (8 - bits - (index % perByte) * bits)) & mask);
}

/** Bytes as base64 with the signs that an address may contain. */
export function toBase64(bytes) {
    let text = "";
    bytes.forEach((byte) => {
        text += String.fromCharCode(byte);
    });
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of base64 in either alphabet. */
export function fromBase64(text) {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
}

/** The values, 0 to 2, of cells that may be unknown, from two bits each. */
function unpackValues(text, number) {
    return unpackBits(fromBase64(text), 2, number).map((value) => Math.min(value, 2));
}

function checkSize(width, height) {
    const sides = [width, height];
    if (!sides.every((side) => Number.isInteger(side) && side >= 1 && side <= MOST_SIDE) || width * height > MOST_CELLS) {
        throw new Error("The size is not possible.");
    }
}

/** Clues as they must be: lists of lists of block lengths. */
function checkClues(rows, columns) {
    checkSize(columns?.length, rows?.length);
    const isBlock = (block) => Number.isInteger(block) && block >= 0 && block <= MOST_SIDE;
    const fits = (length) => (line) => line.filter((block) => block > 0).reduce((sum, block) => sum + block + 1, -1) <= length;
    if (![...rows, ...columns].every((line) => Array.isArray(line) && line.every(isBlock))) {
        throw new Error("The clues are not lists of numbers.");
    }
    if (!rows.every(fits(columns.length)) || !columns.every(fits(rows.length))) {
        throw new Error("A clue needs more cells than its line has.");
    }
}

/** The drawing as text for the storage. */
export function stored(drawing) {
    const { kind, width, height, saved, title, author, mode } = drawing;
    const clues = kind === "clues" ? { rows: drawing.rows, columns: drawing.columns } : { cells: toBase64(packBits(drawing.cells, 1)) };
    const arrays = {
        given: toBase64(packBits(drawing.given, 2)),
        protect: toBase64(packBits(drawing.protect, 1)),
        marks: toBase64(packBits(drawing.marks, 2)),
    };
    return JSON.stringify({ version: 1, kind, width, height, saved, title, author, mode, ...clues, ...arrays });
}

/** The state for `Drawing.begin` from stored text, or null if the text is not a stored drawing. */
export function restored(text) {
    try {
        const { version, kind, width, height, title, author, mode, rows, columns, saved, cells, given, protect, marks } = JSON.parse(text);
        checkSize(width, height);
        const state = {
            width, height, title: String(title ?? ""), author: String(author ?? ""), mode: mode === "play" ? "play" : "draw",
            protect: unpackBits(fromBase64(protect), 1, width * height),
            marks: unpackValues(marks, width * height),
            // A drawing that was stored by an older page has neither.
            saved: (saved ?? []).map((rows) => rows.map(String)),
            given: given ? unpackValues(given, width * height) : new Uint8Array(width * height),
        };
        if (version !== 1) {
            return null;
        }
        if (kind === "clues") {
            checkClues(rows, columns);
            return rows.length === height && columns.length === width ? { ...state, kind, rows, columns } : null;
        }
        return { ...state, kind: "picture", cells: unpackBits(fromBase64(cells), 1, width * height) };
    } catch {
        return null;
    }
}

/** The fragment of a link to the puzzle: `#picture=WIDTHxHEIGHT:BASE64` or `#clues=BASE64` of JSON, and `&given=BASE64`. */
export function fragment(drawing) {
    const { kind, width, height, title, rows, columns } = drawing;
    const given = drawing.hasGiven ? `&given=${toBase64(packBits(drawing.given, 2))}` : "";
    if (kind === "clues") {
        const json = JSON.stringify(title ? { rows, columns, title } : { rows, columns });
        return `#clues=${toBase64(new TextEncoder().encode(json))}${given}`;
    }
    const name = title ? `&title=${encodeURIComponent(title)}` : "";
    return `#picture=${width}x${height}:${toBase64(packBits(drawing.cells, 1))}${given}${name}`;
}

/** The puzzle of a link's fragment in the JSON form of the server, null if there is none. Throws if it cannot be read. */
export function readFragment(text) {
    const [, kind, value] = /^#(picture|clues)=([^&]*)/.exec(text) ?? [];
    if (!kind) {
        return null;
    }
    if (kind === "clues") {
        const { rows, columns, title } = JSON.parse(new TextDecoder().decode(fromBase64(value)));
        checkClues(rows, columns);
        return { rows, columns, given: readGiven(text, columns.length, rows.length), title: String(title ?? "") };
    }
    const [, width, height, packed] = (/^(\d+)x(\d+):([\w=+/-]*)$/.exec(value) ?? []).map((part, at) => (at < 3 ? Number(part) : part));
    checkSize(width, height);
    const cells = unpackBits(fromBase64(packed), 1, width * height);
    const title = /&title=([^&]*)/.exec(text)?.[1] ?? "";
    return { goal: rowsOf(cells, width, height, ".#"), given: readGiven(text, width, height), title: decodeURIComponent(title) };
}

/** The given cells of a link's fragment as rows of text, or null. */
function readGiven(text, width, height) {
    const [, packed] = /&given=([^&]*)/.exec(text) ?? [];
    return packed ? rowsOf(unpackValues(packed, width * height), width, height, "?#.") : null;
}

function rowsOf(values, width, height, signs) {
    return Array.from({ length: height }, (_, row) =>
        Array.from(values.subarray(row * width, (row + 1) * width), (value) => signs[value]).join(""));
}

/** A link to the page with the puzzle in its fragment. */
export function link(drawing) {
    return location.href.replace(/#.*$/, "") + fragment(drawing);
}

export class Store {
    #drawing;
    #timer = null;

    constructor(drawing) {
        this.#drawing = drawing;
    }

    /** The stored state, or null: what this tab showed before a reload, else what any tab stored last. */
    read() {
        try {
            return restored(sessionStorage.getItem(KEY)) ?? restored(localStorage.getItem(KEY));
        } catch {
            return null;
        }
    }

    /** Whether this tab begins to show the page of this server; after a reload it does not, and the drawing as it was is shown. */
    begins() {
        try {
            const again = sessionStorage.getItem(BEGUN) === location.pathname;
            sessionStorage.setItem(BEGUN, location.pathname);
            return !again;
        } catch {
            return true;
        }
    }

    /** Stores the drawing soon after each change. Without storage nothing is kept, which harms nothing else. */
    connect() {
        this.#drawing.addEventListener("change", () => {
            this.#timer ??= setTimeout(() => this.save(), DELAY);
        });
        window.addEventListener("pagehide", () => this.#saveChange());
        document.addEventListener("visibilitychange", () => document.hidden && this.#saveChange());
        // For a reload of this tab; the drawing that was stored last stays for the next one until something changes.
        this.#write("sessionStorage", stored(this.#drawing));
    }

    /** Stores what was not stored yet. Without a change nothing is stored, because another tab may have stored its drawing since. */
    #saveChange() {
        if (this.#timer !== null) {
            this.save();
        }
    }

    save() {
        clearTimeout(this.#timer);
        this.#timer = null;
        const text = stored(this.#drawing);
        this.#write("sessionStorage", text);
        this.#write("localStorage", text);
    }

    #write(storage, text) {
        try {
            window[storage].setItem(KEY, text);
        } catch {
            // The storage is full or not allowed.
        }
    }

    link() {
        return link(this.#drawing);
    }

    /** Opens the puzzle of the address, and takes it out of the address, so that a reload shows the drawing as it is then.
     * Returns whether there was one. */
    openFragment() {
        const fragment = location.hash;
        if (!/^#(picture|clues)=/.test(fragment)) {
            return false;
        }
        window.history.replaceState(null, "", location.pathname + location.search);
        this.#drawing.open(readFragment(fragment), "Open link");
        return true;
    }
}

// What the panels share: the latest answer of the check, and which panel's data a layer of the board shows.

/**
 * The answer of the check of the drawing, kept by check.js for the other panels.
 *
 * Events: `begin` when a check begins, `verdict` when its verdict is there, `end` when it ended; `end` has `detail.finished`, which is
 * false if the check was aborted or failed.
 */
class Answers extends EventTarget {
    /** Whether a check of the drawing is running. */
    running = false;

    /** The verdict of the drawing as it is now, or null while it is not known. */
    verdict = null;

    /** A decimal number: the number of solutions if `exact`, else a lower bound. */
    solutions = "0";

    exact = false;

    /** Up to two solutions as rows of text; the picture is the first one if it is a solution. */
    examples = [];

    begin() {
        this.running = true;
        this.verdict = null;
        this.solutions = "0";
        this.exact = false;
        this.examples = [];
        this.dispatchEvent(new CustomEvent("begin"));
    }

    /** Takes the fields of the events `verdict` and `regions`. */
    learn({ verdict, solutions, exact, examples }) {
        Object.assign(this, { verdict, solutions, exact, examples: examples ?? this.examples });
        this.dispatchEvent(new CustomEvent("verdict"));
    }

    end(finished) {
        this.running = false;
        this.dispatchEvent(new CustomEvent("end", { detail: { finished } }));
    }
}

export const answers = new Answers();

const views = new EventTarget();

/** Tells that a panel shows something on the board, so that those panels step aside whose view would cover it. */
export function beginView(owner) {
    views.dispatchEvent(new CustomEvent("view", { detail: { owner } }));
}

/**
 * Calls `close` when another panel begins a view.
 * @param {string} owner the panel whose view is closed
 * @param {function(): void} close
 * @param {string[]} beside the panels whose view can be seen together with this one
 */
export function closeForOthers(owner, close, beside = []) {
    views.addEventListener("view", ({ detail }) => {
        if (detail.owner !== owner && !beside.includes(detail.owner)) {
            close();
        }
    });
}

/** The panels that show data on a shared layer; the last one with data is shown. */
const ORDER = ["check", "heat", "narrowest", "solutions", "play", "explain"];

const shown = new Map();

/**
 * Shows data of a panel on a layer that several panels use, such as `position`; null takes the panel's data away.
 * @param {object} board
 * @param {string} layer
 * @param {string} owner a name from `ORDER`
 * @param {object | null} data
 */
export function showLayer(board, layer, owner, data) {
    const owners = shown.get(layer) ?? {};
    if (!data && !owners[owner]) {
        return;
    }
    owners[owner] = data;
    shown.set(layer, owners);
    const top = ORDER.findLast((name) => owners[name]);
    board.setLayer(layer, top ? owners[top] : null);
}

/** The kinds of change that make answers about the puzzle invalid. */
const CONTENT = ["cells", "clues", "given", "size", "document"];

/** Whether a `change` event of the drawing changed the puzzle itself. */
export function changesPuzzle(event) {
    return CONTENT.some((kind) => event.detail.what.has(kind));
}

/** Whether two grids of rows of text are the same. */
export function sameRows(one, other) {
    return one.length === other.length && one.every((row, index) => row === other[index]);
}

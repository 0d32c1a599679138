// Operations on a whole document: invert, shift, mirror, rotate and resize. Each changes a draft of `Drawing.edit`.
// The given cells, the protected cells, the marks and the saved grids go with the cells. A document of clues can be mirrored and rotated.

const ARRAYS = ["cells", "given", "protect", "marks"];

/** Replaces the arrays of a draft: the cell at `row`, `column` comes from `source(row, column)`, a `[row, column]` of the old size;
 * it is 0 if that lies outside. */
function rearrange(draft, width, height, source) {
    const [oldWidth, oldHeight] = [draft.width, draft.height];
    for (const name of ARRAYS) {
        const old = draft[name];
        const array = new Uint8Array(width * height);
        for (let index = 0; index < array.length; index++) {
            const [row, column] = source(Math.floor(index / width), index % width);
            if (row >= 0 && row < oldHeight && column >= 0 && column < oldWidth) {
                array[index] = old[row * oldWidth + column];
            }
        }
        draft[name] = array;
    }
    draft.saved = draft.saved.map((rows) => Array.from({ length: height }, (_, row) => Array.from({ length: width }, (_, column) => {
        const [at, across] = source(row, column);
        return rows[at]?.[across] ?? "?";
    }).join("")));
    draft.width = width;
    draft.height = height;
}

const backwards = (list) => [...list].reverse();

export function invert(draft) {
    if (draft.kind === "picture") {
        draft.cells = draft.cells.map((value) => 1 - value);
    }
}

/** Moves a picture by `dx` columns to the right and `dy` rows down; cells that leave at a side come back at the opposite one. */
export function shift(draft, dx, dy) {
    const { width, height } = draft;
    const modulo = (value, length) => ((value % length) + length) % length;
    if (draft.kind === "picture") {
        rearrange(draft, width, height, (row, column) => [modulo(row - dy, height), modulo(column - dx, width)]);
    }
}

/** Mirrors left and right (`"x"`) or top and bottom (`"y"`). */
export function mirror(draft, axis) {
    const { width, height } = draft;
    const across = axis === "x";
    rearrange(draft, width, height, (row, column) => (across ? [row, width - 1 - column] : [height - 1 - row, column]));
    if (draft.kind === "clues") {
        const { rows, columns } = draft;
        draft.rows = across ? rows.map(backwards) : backwards(rows);
        draft.columns = across ? backwards(columns) : columns.map(backwards);
    }
}

/** Rotates by a quarter turn: clockwise for `1`, the other way for `-1`. */
export function rotate(draft, direction) {
    const { width, height, rows, columns } = draft;
    const clockwise = direction > 0;
    rearrange(draft, height, width, (row, column) => (clockwise ? [height - 1 - column, row] : [column, width - 1 - row]));
    if (draft.kind === "clues") {
        draft.rows = clockwise ? columns.map(backwards) : backwards(columns);
        draft.columns = clockwise ? backwards(rows) : rows.map(backwards);
    }
}

/** Adds rows and columns at the sides of a picture; negative numbers remove. At least one row and one column stay. */
export function resize(draft, { top = 0, right = 0, bottom = 0, left = 0 }) {
    const width = draft.width + left + right;
    const height = draft.height + top + bottom;
    if (draft.kind === "picture" && width > 0 && height > 0) {
        rearrange(draft, width, height, (row, column) => [row - top, column - left]);
    }
}

// Parts of a picture: rectangles of cells with their given and protected cells, taken out of a picture and put into one.

const ARRAYS = ["cells", "given", "protect"];

/** @typedef {{width: number, height: number, cells: Uint8Array, given: Uint8Array, protect: Uint8Array}} Part */

/** The area that two opposite corners span. */
export function areaBetween(one, other) {
    const [row, column] = [Math.min(one.row, other.row), Math.min(one.column, other.column)];
    return { row, column, width: Math.abs(one.column - other.column) + 1, height: Math.abs(one.row - other.row) + 1 };
}

/** Whether a cell lies in an area. */
export function areaHas(area, { row, column }) {
    return area !== null && row >= area.row && row < area.row + area.height && column >= area.column && column < area.column + area.width;
}

/** A part without filled, given and protected cells.
 * @returns {Part} */
export function blankPart({ width, height }) {
    const arrays = ARRAYS.map((name) => [name, new Uint8Array(width * height)]);
    return { width, height, ...Object.fromEntries(arrays) };
}

/** Calls `visit(index of the picture, index of the part)` for the cells of an area that lie in the picture. */
function forCells(picture, { row, column, width, height }, visit) {
    for (let at = Math.max(0, -row); at < Math.min(height, picture.height - row); at++) {
        for (let across = Math.max(0, -column); across < Math.min(width, picture.width - column); across++) {
            visit((row + at) * picture.width + column + across, at * width + across);
        }
    }
}

/** The part of a picture in an area, blank where that lies outside.
 * @returns {Part} */
export function takePart(picture, area) {
    const part = blankPart(area);
    for (const name of ARRAYS) {
        const from = picture[name];
        forCells(picture, area, (index, at) => { part[name][at] = from[index]; });
    }
    return part;
}

/** Puts a part into a draft of `Drawing.edit`, as much of it as lies within. The player's marks there are taken away. */
export function putPart(draft, part, { row, column }) {
    const { width, height } = part;
    forCells(draft, { row, column, width, height }, (index, at) => {
        ARRAYS.forEach((name) => { draft[name][index] = part[name][at]; });
        draft.marks[index] = 0;
    });
}

/** The cells of a part as lines of `#` and `.`. */
export function partText({ width, height, cells }) {
    const line = (_, row) => Array.from(cells.subarray(row * width, (row + 1) * width), (cell) => ".#"[cell]).join("");
    return Array.from({ length: height }, line).join("\n");
}

/** The part of lines of `#` and `.`, or null for any other text.
 * @returns {Part | null} */
export function partOfText(text) {
    const lines = text.split("\n");
    const width = lines[0].length;
    if (!lines.every((line) => /^[#.]+$/.test(line) && line.length === width)) {
        return null;
    }
    const part = blankPart({ width, height: lines.length });
    part.cells.set(Array.from(lines.join(""), (sign) => (sign === "#" ? 1 : 0)));
    return part;
}

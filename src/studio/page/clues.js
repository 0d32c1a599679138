// Clues: those of a picture, and clues as text.

/** The lengths of the blocks of a line.
 * @param {ArrayLike<number>} cells
 * @param {number} start index of the line's first cell
 * @param {number} step distance of its cells
 * @param {number} length number of its cells */
export function blocksOfLine(cells, start, step, length) {
    const blocks = [];
    let run = 0;
    for (let at = 0, index = start; at < length; at++, index += step) {
        if (cells[index] === 1) {
            run++;
        } else if (run > 0) {
            blocks.push(run);
            run = 0;
        }
    }
    if (run > 0) {
        blocks.push(run);
    }
    return blocks;
}

/** The clues of a picture; an empty line has no blocks.
 * @returns {{rows: number[][], columns: number[][]}} */
export function cluesOfPicture(cells, width, height) {
    const rows = Array.from({ length: height }, (_, row) => blocksOfLine(cells, row * width, 1, width));
    const columns = Array.from({ length: width }, (_, column) => blocksOfLine(cells, column, width, height));
    return { rows, columns };
}

export function sameClue(one, other) {
    return one.length === other.length && one.every((block, at) => block === other[at]);
}

/** A clue as text; `0` for an empty line. */
export function clueText(clue) {
    return clue.length === 0 ? "0" : clue.join(" ");
}

/** Clues as plain text, the format `clues` of the server. */
export function cluesText(rows, columns) {
    return ["rows", ...rows.map(clueText), "", "columns", ...columns.map(clueText), ""].join("\n");
}

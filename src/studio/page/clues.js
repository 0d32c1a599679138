// Clues: those of a picture, reading typed clues, and writing them as text.

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

/** One clue from a line of text, or null if it is not a list of numbers. `0`, `-` and `.` are an empty line. */
function readClue(text) {
    const plain = text.replace(/^[[(]|[\])]$/g, "").trim();
    if (plain === "-" || plain === ".") {
        return [];
    }
    const words = plain.split(/\s*[,;.]\s*|\s+/);
    if (!words.every((word) => /^\d{1,4}$/.test(word))) {
        return null;
    }
    const blocks = words.map(Number).filter((block) => block > 0);
    return blocks.length < words.length && blocks.length > 0 ? null : blocks;
}

/** The lines of a text that are not blank, with their numbers from 1. */
function linesOf(text) {
    const lines = text.split(/\r\n|\n|\r/).map((line, index) => ({ number: index + 1, text: line.trim() }));
    return lines.filter((line) => line.text !== "");
}

/** Separates the lines into those of the rows and those of the columns, or null if the text has neither heads nor a separator. */
function partsOf(lines) {
    const parts = { rows: [], columns: [] };
    const head = (line) => /^(rows|columns)\s*:?$/i.exec(line.text)?.[1].toLowerCase();
    const separator = /^-{3,}$/;
    let part = "rows";
    const heads = lines.map(head).filter((name) => name);
    const separators = lines.filter((line) => separator.test(line.text)).length;
    if (heads.length === 2 && heads[0] !== heads[1] && separators === 0) {
        part = head(lines[0]);
    } else if (heads.length > 0 || separators !== 1) {
        return null;
    }
    for (const line of lines) {
        if (separator.test(line.text)) {
            part = "columns";
        } else if (head(line)) {
            part = head(line);
        } else if (part) {
            parts[part].push(line);
        } else {
            return null;
        }
    }
    return parts;
}

/** Reads clues in the simple form: one line of text for each line of the puzzle, the heads `rows` and `columns` before the two
 * parts or a line `---` between them (rows first). Blank lines do not count. Returns null for any other text, which a server that
 * knows more formats may be able to read.
 * @param {string} text
 * @returns {{rows: number[][], columns: number[][]} | null} */
export function readClues(text) {
    const parts = partsOf(linesOf(text));
    if (!parts || parts.rows.length === 0 || parts.columns.length === 0) {
        return null;
    }
    const rows = parts.rows.map((line) => readClue(line.text));
    const columns = parts.columns.map((line) => readClue(line.text));
    return rows.includes(null) || columns.includes(null) ? null : { rows, columns };
}

/** What keeps text that looks like the simple form from being read, in words; null for text of another form. */
export function clueMistake(text) {
    const lines = linesOf(text);
    const parts = partsOf(lines);
    const isClue = (line) => readClue(line.text) !== null;
    if (!parts && lines.every(isClue)) {
        return "The line \"columns\" is missing before the clues of the columns.";
    }
    if (!parts) {
        const known = (line) => isClue(line) || /^(rows|columns)\s*:?$|^-{3,}$/i.test(line.text);
        return lines.every(known) ? "The text needs one line \"rows\" and one line \"columns\", or a single line \"---\"." : null;
    }
    if (parts.rows.length === 0 || parts.columns.length === 0) {
        return `There is no clue of a ${parts.rows.length === 0 ? "row" : "column"}.`;
    }
    const wrong = lines.find((line) => (parts.rows.includes(line) || parts.columns.includes(line)) && !isClue(line));
    return wrong ? `Line ${wrong.number} is not a clue: "${wrong.text.slice(0, 40)}".` : null;
}

/** Clues as text that `readClues` reads. */
export function cluesText(rows, columns) {
    return ["rows", ...rows.map(clueText), "", "columns", ...columns.map(clueText), ""].join("\n");
}

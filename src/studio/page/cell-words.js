// Cells of the board in words: for the live region, the line below the board and the title of a region.

import { clueText } from "./clues.js";
import { finishedBlocks } from "./finished.js";
import { sentence } from "./words.js";

const MARKS = ["unknown", "filled", "empty"];

/** What the layers say about a cell. */
function findings(board, { row, column }) {
    const { drawing } = board;
    const words = [drawing.given[row * drawing.width + column] === 0 ? "" : "given"];
    const lists = (name) => board.layer(name)?.some(([at, across]) => at - 1 === row && across - 1 === column);
    if (drawing.mode === "draw") {
        const index = row * drawing.width + column;
        const sign = board.layer("ambiguous")?.[row]?.[column];
        const other = board.layer("other")?.[row]?.[column];
        const share = board.layer("heat")?.[row]?.[column];
        words.push(sign === "?" ? "ambiguous" : sign === "-" ? "undecided" : "");
        words.push(sign !== "?" && board.layer("known")?.[row]?.[column] === "?" ? "not found line by line" : "");
        words.push(drawing.protect[index] === 1 ? "protected" : "");
        words.push(lists("flips") ? "to be flipped" : "", lists("revealed") ? "to be revealed" : "");
        words.push(other && drawing.kind === "picture" && (other === "#") !== (drawing.cells[index] === 1) ? "differs" : "");
        words.push(typeof share === "number" ? `filled in ${Math.round(share * 100)} percent of the solutions` : "");
    }
    words.push(lists("wrong") ? "wrong" : "");
    return words.filter((word) => word !== "");
}

/** The value of a cell as the board shows it, or an empty text. */
function valueWord(board, { row, column }) {
    const { drawing } = board;
    const index = row * drawing.width + column;
    const sign = board.layer("position")?.[row]?.[column];
    if (sign) {
        return { "#": "filled", ".": "empty" }[sign] ?? "unknown";
    }
    if (drawing.mode === "play") {
        return MARKS[drawing.marks[index]];
    }
    if (drawing.kind === "picture") {
        return drawing.cells[index] === 1 ? "filled" : "empty";
    }
    return "";
}

/** A clue in words; while playing, with the blocks that the player has finished: `3 finished, 1`. */
function clueWords({ drawing }, clue, cells) {
    const finished = drawing.mode === "play" ? finishedBlocks(clue, drawing.marks, cells) : [];
    return finished.includes(true) ? clue.map((block, at) => `${block}${finished[at] ? " finished" : ""}`).join(", ") : clueText(clue);
}

/** A cell in words: `row 3, column 5, filled, ambiguous; clue 3 1; column clue 2`. */
export function cellWords(board, cell) {
    const { rows, columns, width, height } = board.drawing;
    const place = `row ${cell.row + 1}, column ${cell.column + 1}`;
    const words = [place, valueWord(board, cell), ...findings(board, cell)].filter((word) => word !== "");
    const row = clueWords(board, rows[cell.row], [cell.row * width, 1, width]);
    const column = clueWords(board, columns[cell.column], [cell.column, width, height]);
    return `${words.join(", ")}; clue ${row}; column clue ${column}`;
}

/** The clues of a cell's row and of its column, each with the number of the line, and what the layers say about the cell. */
export function lineWords(board, cell) {
    const { rows, columns } = board.drawing;
    const words = (kind, lines, index) => `${kind} ${index + 1}: ${clueText(lines[index] ?? [])}`;
    const cellText = sentence(findings(board, cell).join(", "));
    return { row: words("Row", rows, cell.row), column: words("Column", columns, cell.column), cell: cellText };
}

/** The region of a cell in words, or an empty text. */
export function regionWords(board, { row, column }) {
    const index = row * board.drawing.width + column;
    const region = board.drawing.mode === "draw" && board.layer("regions")?.find(({ members }) => members.includes(index));
    if (!region) {
        return "";
    }
    const number = region.fillings === "0" ? "unknown number of fillings" : `${region.fillings} fillings`;
    return `Region of ${region.cells} cells, ${region.exact ? "" : "at least "}${number}`;
}

// The sheet that the browser prints: the title, the clues and the grid. The grid has only the given cells unless the export dialog asked for
// the picture, which it does with `data-print="picture"` on the body.

import { clueText } from "./clues.js";

const SVG = "http://www.w3.org/2000/svg";
/** Lengths of the sheet in units of the drawing: a cell, the size of the clues, the space of a digit and of a number. */
const CELL = 20;
const FONT = 12;
const DIGIT = 7;
const GAP = 6;
const LINE = 14;
/** The largest size of a cell on paper in millimetres. */
const MOST_CELL = 8;

function element(name, attributes, text = "") {
    const made = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
    made.textContent = text;
    return made;
}

function gridLines(left, top, width, height) {
    const lines = element("g", { stroke: "#000000" });
    for (let column = 0; column <= width; column++) {
        const x = left + column * CELL;
        const strong = column % 5 === 0 || column === width;
        lines.append(element("line", { x1: x, x2: x, y1: top, y2: top + height * CELL, "stroke-width": strong ? 1.6 : 0.5 }));
    }
    for (let row = 0; row <= height; row++) {
        const y = top + row * CELL;
        const strong = row % 5 === 0 || row === height;
        lines.append(element("line", { x1: left, x2: left + width * CELL, y1: y, y2: y, "stroke-width": strong ? 1.6 : 0.5 }));
    }
    return lines;
}

/** The filled cells, a rectangle for each run of a row. */
function filledCells(left, top, { width, height, cells }) {
    const filled = element("g", { fill: "#000000" });
    for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
            const first = column;
            while (column < width && cells[row * width + column] === 1) {
                column++;
            }
            if (column > first) {
                const place = { x: left + first * CELL, y: top + row * CELL, width: (column - first) * CELL, height: CELL };
                filled.append(element("rect", place));
            }
        }
    }
    return filled;
}

/** A cross in each cell that is given as empty. */
function crosses(left, top, { width, given }) {
    const signs = element("g", { "font-size": FONT, "font-family": "sans-serif", fill: "#000000" });
    given.forEach((value, index) => {
        if (value === 2) {
            const [row, column] = [Math.floor(index / width), index % width];
            const place = { x: left + (column + 0.5) * CELL, y: top + row * CELL + CELL / 2 + FONT * 0.36, "text-anchor": "middle" };
            signs.append(element("text", place, "×"));
        }
    });
    return signs;
}

/** The clues and the grid as an SVG element; the grid shows the picture if `solved` is true, otherwise the given cells. */
export function sheetOf(drawing, solved = false) {
    const { width, height, rows, columns } = drawing;
    const left = Math.max(...rows.map((clue) => clueText(clue).length * DIGIT + Math.max(clue.length - 1, 0) * (GAP - DIGIT / 2))) + 10;
    const top = Math.max(...columns.map((clue) => Math.max(clue.length, 1))) * LINE + 8;
    const size = [left + width * CELL + 2, top + height * CELL + 2];
    const sheet = element("svg", { viewBox: `0 0 ${size[0]} ${size[1]}`, role: "img", "aria-label": "Puzzle" });
    sheet.style.maxWidth = `min(100%, ${(size[0] * MOST_CELL) / CELL}mm)`;
    const texts = element("g", { "font-size": FONT, "font-family": "sans-serif", fill: "#000000" });
    rows.forEach((clue, row) => {
        const place = { x: left - 5, y: top + row * CELL + CELL / 2 + FONT * 0.36, "text-anchor": "end", "word-spacing": 3 };
        texts.append(element("text", place, clueText(clue)));
    });
    columns.forEach((clue, column) => {
        const blocks = clue.length === 0 ? [0] : clue;
        blocks.forEach((block, at) => {
            const y = top - 6 - (blocks.length - 1 - at) * LINE;
            texts.append(element("text", { x: left + column * CELL + CELL / 2, y, "text-anchor": "middle" }, block));
        });
    });
    sheet.append(texts);
    const { given, cells } = drawing;
    sheet.append(filledCells(left, top, { width, height, cells: solved ? cells : given }));
    if (!solved) {
        sheet.append(crosses(left, top, { width, given }));
    }
    sheet.append(gridLines(left, top, width, height));
    return sheet;
}

/** Fills the sheet before the page is printed and empties it afterwards. */
export function connectPrint({ drawing }) {
    const sheet = document.querySelector("#print-sheet");
    window.addEventListener("beforeprint", () => {
        const heading = document.createElement("h1");
        heading.textContent = drawing.title;
        heading.hidden = drawing.title === "";
        const solved = document.body.dataset.print === "picture" && drawing.kind === "picture";
        sheet.replaceChildren(heading, sheetOf(drawing, solved));
        sheet.hidden = false;
    });
    window.addEventListener("afterprint", () => {
        sheet.replaceChildren();
        sheet.hidden = true;
        delete document.body.dataset.print;
    });
}

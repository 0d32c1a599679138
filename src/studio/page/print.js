// The sheet that the browser prints with its own command: the title, the clues and the empty grid. The export dialog fills the sheet
// itself; then `body` has the class `printing`.

import { clueText } from "./clues.js";

const SVG = "http://www.w3.org/2000/svg";
/** Lengths of the sheet in units of the drawing: a cell, the size of the clues, the space of a digit and of a number. */
const CELL = 20;
const FONT = 12;
const DIGIT = 7;
const GAP = 6;
const LINE = 14;

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

/** The clues and the empty grid as an SVG element. */
export function sheetOf({ width, height, rows, columns }) {
    const left = Math.max(...rows.map((clue) => clueText(clue).length * DIGIT + Math.max(clue.length - 1, 0) * (GAP - DIGIT / 2))) + 10;
    const top = Math.max(...columns.map((clue) => Math.max(clue.length, 1))) * LINE + 8;
    const size = [left + width * CELL + 2, top + height * CELL + 2];
    const sheet = element("svg", { viewBox: `0 0 ${size[0]} ${size[1]}`, role: "img", "aria-label": "Puzzle" });
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
    sheet.append(gridLines(left, top, width, height));
    return sheet;
}

/** Fills the sheet before the page is printed and empties it afterwards. */
export function connectPrint({ drawing }) {
    const sheet = document.querySelector("#print-sheet");
    window.addEventListener("beforeprint", () => {
        if (!document.body.classList.contains("printing")) {
            const heading = document.createElement("h1");
            heading.textContent = drawing.title;
            sheet.replaceChildren(heading, sheetOf(drawing));
            sheet.hidden = false;
        }
    });
    window.addEventListener("afterprint", () => {
        sheet.replaceChildren();
        sheet.hidden = true;
    });
}

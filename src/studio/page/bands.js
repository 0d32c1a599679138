// Painting the bands of the clues at the left of the grid and above it. They stay in sight while the grid is scrolled.

import { finishedBlocks } from "./finished.js";
import { readLine } from "./layers.js";

/** Paints both bands and the corner between them. */
export function paintBands(scene) {
    const { context, view, colours } = scene;
    const marked = markedLines(scene);
    const [left, top] = [view.edgeX - view.bandLeft, view.edgeY - view.bandTop];
    const right = Math.min(view.width, view.gridX + view.columns * view.cell);
    const bottom = Math.min(view.height, view.gridY + view.rows * view.cell);
    context.fillStyle = colours.background;
    context.fillRect(0, 0, view.width, view.edgeY);
    context.fillRect(0, 0, view.edgeX, view.height);
    context.fillStyle = colours.band;
    context.fillRect(left, view.edgeY, view.bandLeft, bottom - view.edgeY);
    context.fillRect(view.edgeX, top, right - view.edgeX, view.bandTop);
    within(context, left, view.edgeY, view.bandLeft, bottom - view.edgeY, () => paintRowClues(scene, marked));
    within(context, view.edgeX, top, right - view.edgeX, view.bandTop, () => paintColumnClues(scene, marked));
    paintEdges(scene, right, bottom);
    paintSize(scene);
}

function within(context, x, y, width, height, paint) {
    context.save();
    context.beginPath();
    context.rect(x, y, Math.max(width, 0), Math.max(height, 0));
    context.clip();
    paint();
    context.restore();
}

/** The colours of the lines whose clues are marked: `row 3` to a colour. */
function markedLines({ active, layers, colours, drawing }) {
    const marked = new Map();
    if (active) {
        marked.set(`row ${active.row + 1}`, colours.highlight);
        marked.set(`column ${active.column + 1}`, colours.highlight);
    }
    const names = drawing.mode === "play" ? [] : layers.lines ?? [];
    names.concat(layers.step?.chain ?? []).forEach((name) => marked.set(name, colours.chainPaper));
    if (layers.step && readLine(layers.step.line)) {
        marked.set(layers.step.line, colours.stepPaper);
    }
    return marked;
}

/** The numbers of a clue as text, and whether the player has finished the block. */
function numbersOf({ drawing }, clue, cells) {
    const finished = drawing.mode === "play" ? finishedBlocks(clue, drawing.marks, cells) : [];
    return clue.length === 0 ? [{ text: "0" }] : clue.map((block, at) => ({ text: String(block), finished: finished[at] }));
}

/** Writes a number of a clue, struck through if its block is finished. On the papers of an explanation, which are light in both themes, it
 * has the colour of ink. */
function writeNumber({ context, view, colours }, mark, { text, finished }, x, y) {
    const plain = finished || text === "0" ? colours.clueSoft : colours.clue;
    context.fillStyle = mark && mark !== colours.highlight ? colours.ink : plain;
    const digit = view.font * view.digitWidth;
    const across = context.textAlign === "right";
    // A column has no room for more than its cell.
    const width = across ? text.length * digit : Math.min(text.length * digit, view.cell);
    context.fillText(text, x, y, across ? undefined : view.cell);
    if (finished) {
        const left = across ? x - width : x - width / 2;
        context.fillRect(left - digit * 0.12, y - view.font * 0.08, width + digit * 0.24, Math.max(1, view.font / 12));
    }
}

function paintRowClues(scene, marked) {
    const { view, range, drawing } = scene;
    const font = beginClues(scene, "right");
    for (let row = range.top; row < range.bottom; row++) {
        const clue = drawing.rows[row];
        const y = view.gridY + row * view.cell;
        const box = [view.edgeX - view.bandLeft, y, view.bandLeft, view.cell];
        const mark = marked.get(`row ${row + 1}`);
        const [right, middle] = [view.edgeX - font * 0.5, y + view.cell / 2 + font * 0.06];
        paintClue(scene, mark, box, () =>
            paintRowClue(scene, mark, numbersOf(scene, clue, [row * view.columns, 1, view.columns]), right, middle));
    }
}

/** Prepares the context for the numbers of clues, and returns their size. */
function beginClues({ context, view }, align) {
    context.font = `${view.font}px ${view.family}`;
    context.textAlign = align;
    context.textBaseline = "middle";
    return view.font;
}

/** Paints the box of a line in the colour of its mark, if it has one, and its clue where there is room. */
function paintClue({ context, view }, mark, box, write) {
    if (mark) {
        context.fillStyle = mark;
        context.fillRect(...box);
    }
    if (view.font > 0) {
        write();
    }
}

/** What stands for the numbers that have no room. */
const MORE = { text: "…" };

/** Writes a row clue from right to left, as much of it as the band holds. */
function paintRowClue(scene, mark, numbers, right, y) {
    const { view } = scene;
    const digit = view.font * view.digitWidth;
    const least = view.edgeX - view.bandLeft + digit;
    let x = right;
    for (let at = numbers.length - 1; at >= 0; at--) {
        const width = numbers[at].text.length * digit;
        if (x - width < least + (at > 0 ? 1.4 * digit : 0) - digit) {
            writeNumber(scene, mark, MORE, x, y);
            return;
        }
        writeNumber(scene, mark, numbers[at], x, y);
        x -= width + view.gap * digit;
    }
}

function paintColumnClues(scene, marked) {
    const { view, range, drawing } = scene;
    beginClues(scene, "center");
    for (let column = range.left; column < range.right; column++) {
        const clue = drawing.columns[column];
        const x = view.gridX + column * view.cell;
        const box = [x, view.edgeY - view.bandTop, view.cell, view.bandTop];
        const mark = marked.get(`column ${column + 1}`);
        paintClue(scene, mark, box, () =>
            paintColumnClue(scene, mark, numbersOf(scene, clue, [column, view.columns, view.rows]), x + view.cell / 2));
    }
}

/** Writes a column clue from the bottom up, as much of it as the band holds. */
function paintColumnClue(scene, mark, numbers, x) {
    const { view } = scene;
    const height = view.line * view.font;
    const room = Math.max(1, Math.floor((view.bandTop - view.font * 0.4) / height));
    let y = view.edgeY - view.font * 0.25 - height / 2;
    for (let at = numbers.length - 1; at >= 0; at--, y -= height) {
        const last = numbers.length - at === room && at > 0;
        writeNumber(scene, mark, last ? MORE : numbers[at], x, y);
        if (last) {
            return;
        }
    }
}

/** The edges between the bands and the grid. */
function paintEdges({ context, view, colours }, right, bottom) {
    const thick = 2 / view.ratio;
    context.fillStyle = colours.lineStrong;
    context.fillRect(view.edgeX - thick, view.edgeY - view.bandTop, thick, bottom - view.edgeY + view.bandTop);
    context.fillRect(view.edgeX - view.bandLeft, view.edgeY - thick, right - view.edgeX + view.bandLeft, thick);
}

/** The size of the puzzle in the corner. */
function paintSize({ context, view, colours }) {
    const size = Math.min(12, view.bandTop * 0.4);
    context.font = `${size}px ${view.family}`;
    const text = `${view.columns} × ${view.rows}`;
    if (view.font > 0 && context.measureText(text).width < view.bandLeft - 8) {
        context.textAlign = "right";
        context.textBaseline = "alphabetic";
        context.fillStyle = colours.clueSoft;
        context.fillText(text, view.edgeX - 8, view.edgeY - 8);
    }
}

// Painting the bands of the clues at the left of the grid and above it. They stay in sight while the grid is scrolled.

import { blocksOfLine, sameClue } from "./clues.js";
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

/** Whether the player's blocks of a line are those of its clue. */
function isSolved({ drawing }, clue, start, step, length) {
    return drawing.mode === "play" && sameClue(blocksOfLine(drawing.marks, start, step, length), clue);
}

/** The colour of a clue: on the papers of an explanation, which are light in both themes, that of ink. */
function clueColour({ colours }, mark, soft) {
    if (mark && mark !== colours.highlight) {
        return colours.ink;
    }
    return soft ? colours.clueSoft : colours.clue;
}

function paintRowClues(scene, marked) {
    const { view, range, drawing } = scene;
    const font = beginClues(scene, "right");
    for (let row = range.top; row < range.bottom; row++) {
        const clue = drawing.rows[row];
        const y = view.gridY + row * view.cell;
        const box = [view.edgeX - view.bandLeft, y, view.bandLeft, view.cell];
        paintClue(scene, marked.get(`row ${row + 1}`), box, clue, [row * view.columns, 1, view.columns], () =>
            paintRowClue(scene, clue, view.edgeX - font * 0.5, y + view.cell / 2 + font * 0.06));
    }
}

/** Prepares the context for the numbers of clues, and returns their size. */
function beginClues({ context, view }, align) {
    context.font = `${view.font}px ${view.family}`;
    context.textAlign = align;
    context.textBaseline = "middle";
    return view.font;
}

/** Paints the box of a line in the colour of its mark, if it has one, and its clue where there is room; `cells` says which are its cells. */
function paintClue(scene, mark, box, clue, cells, write) {
    const { context, view } = scene;
    if (mark) {
        context.fillStyle = mark;
        context.fillRect(...box);
    }
    if (view.font > 0) {
        const solved = isSolved(scene, clue, ...cells);
        context.fillStyle = clueColour(scene, mark, solved || clue.length === 0);
        write();
    }
}

/** Writes a row clue from right to left, as much of it as the band holds. */
function paintRowClue({ context, view }, clue, right, y) {
    const texts = clue.length === 0 ? ["0"] : clue.map(String);
    const digit = view.font * view.digitWidth;
    const least = view.edgeX - view.bandLeft + digit;
    let x = right;
    for (let at = texts.length - 1; at >= 0; at--) {
        const width = texts[at].length * digit;
        if (x - width < least + (at > 0 ? 1.4 * digit : 0) - digit) {
            context.fillText("…", x, y);
            return;
        }
        context.fillText(texts[at], x, y);
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
        paintClue(scene, marked.get(`column ${column + 1}`), box, clue, [column, view.columns, view.rows], () =>
            paintColumnClue(scene, clue, x + view.cell / 2));
    }
}

/** Writes a column clue from the bottom up, as much of it as the band holds. */
function paintColumnClue({ context, view }, clue, x) {
    const texts = clue.length === 0 ? ["0"] : clue.map(String);
    const height = view.line * view.font;
    const room = Math.max(1, Math.floor((view.bandTop - view.font * 0.4) / height));
    let y = view.edgeY - view.font * 0.25 - height / 2;
    for (let at = texts.length - 1; at >= 0; at--, y -= height) {
        const last = texts.length - at === room && at > 0;
        context.fillText(last ? "…" : texts[at], x, y, view.cell);
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

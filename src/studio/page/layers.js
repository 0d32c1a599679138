// Painting the grid of the board: its cells and the layers above and below them.

import {
    isVisible, paintCursor, paintFlips, paintGiven, paintRegions, paintRevealed, paintSelection, paintStep, paintText, paintWrong,
    rectangle,
} from "./markers.js";
import { cellPattern, centredSquare, chequer, corner, cross, dots, paintRuns } from "./patterns.js";

/** Colours of the heat map between its ends. */
const HEAT_STEPS = 32;

/** From this share on, a text in the heat map has the colour for the high end. */
const HEAT_DARK = 0.65;

/** Smallest size of a cell for text in it. */
const TEXT_CELL = 26;

/** Paints the background of a line named as in `row 3`. */
function paintLine(scene, name, colour) {
    const { context, view } = scene;
    const line = readLine(name);
    if (line) {
        context.fillStyle = colour;
        if (line.isRow) {
            context.fillRect(view.gridX, view.gridY + line.index * view.cell, view.columns * view.cell, view.cell);
        } else {
            context.fillRect(view.gridX + line.index * view.cell, view.gridY, view.cell, view.rows * view.cell);
        }
    }
}

/** `{isRow, index}` of a line named as in `row 3` or `column 7`, or null. */
export function readLine(name) {
    const [, kind, number] = /^(row|column) (\d+)$/.exec(name) ?? [];
    return kind ? { isRow: kind === "row", index: Number(number) - 1 } : null;
}

/** Which layers are shown. While playing nothing is shown that gives the solution away; steps of an explanation stand alone. */
function shownLayers({ layers, drawing }) {
    const { step, position, wrong } = layers;
    if (drawing.mode === "play") {
        return { step, position, wrong };
    }
    if (step || (position && drawing.kind === "picture")) {
        return { step, position, wrong };
    }
    if (layers.heat) {
        return { heat: layers.heat, flips: layers.flips, revealed: layers.revealed };
    }
    if (layers.other) {
        return { other: layers.other, flips: layers.flips, revealed: layers.revealed };
    }
    return layers;
}

/** Paints everything inside the grid. The caller clips to its visible part. */
export function paintGrid(scene) {
    const shown = shownLayers(scene);
    const { context, view, colours } = scene;
    context.fillStyle = colours.paper;
    context.fillRect(view.gridX, view.gridY, view.columns * view.cell, view.rows * view.cell);
    paintHighlights(scene, shown);
    if (shown.heat) {
        paintHeat(scene, shown.heat);
    } else if (shown.other) {
        paintOther(scene, shown.other);
    } else {
        paintCells(scene, shown.position);
    }
    paintFindings(scene, shown);
    if (scene.drawing.mode === "draw" && scene.drawing.kind === "picture" && !shown.step) {
        const { protect } = scene.drawing;
        paintRuns(scene, (index) => protect[index] === 1, cellPattern(scene, colours.protect + "aa", corner(colours.protect)));
    }
    paintPreview(scene);
    paintLines(scene);
    paintRegions(scene, shown.regions);
    paintFlips(scene, shown.flips);
    paintGiven(scene);
    paintRevealed(scene, shown.revealed);
    paintStep(scene, shown.step);
    paintWrong(scene, shown.wrong);
    paintSelection(scene);
    paintCursor(scene);
}

function paintHighlights(scene, shown) {
    const { active, colours } = scene;
    if (active) {
        paintLine(scene, `row ${active.row + 1}`, colours.highlight);
        paintLine(scene, `column ${active.column + 1}`, colours.highlight);
    }
    shown.step?.chain?.forEach((name) => paintLine(scene, name, colours.chainPaper));
    if (shown.step) {
        paintLine(scene, shown.step.line, colours.stepPaper);
    }
}

/** The cells: of a position, of the player's marks, or of the picture. */
function paintCells(scene, position) {
    const { drawing, colours, selection } = scene;
    const { marks } = drawing;
    const cells = selection.cells ?? drawing.cells;
    const playing = drawing.mode === "play";
    let isFilled = (index) => cells[index] === 1;
    let isEmpty = null;
    if (position) {
        // A solution needs no signs in its empty cells.
        const open = drawing.kind === "picture" || position.some((line) => line.includes("?"));
        isFilled = (_, row, column) => position[row]?.[column] === "#";
        isEmpty = open ? (_, row, column) => position[row]?.[column] === "." : null;
    } else if (playing) {
        isFilled = (index) => marks[index] === 1;
        isEmpty = (index) => marks[index] === 2;
    }
    paintRuns(scene, isFilled, colours.ink);
    if (isEmpty) {
        const sign = playing ? cross(colours.cross, 0.45) : centredSquare(colours.cross, 0.16);
        paintRuns(scene, isEmpty, cellPattern(scene, colours.empty, sign));
    }
}

/** What the check found: cells that line solving leaves unknown, ambiguous cells, undecided cells. */
function paintFindings(scene, { known, ambiguous }) {
    const { colours, drawing } = scene;
    if (known && drawing.kind === "picture") {
        const isOpen = (_, row, column) => known[row]?.[column] === "?" && ambiguous?.[row]?.[column] !== "?";
        paintRuns(scene, isOpen, cellPattern(scene, colours.known + "80", centredSquare(colours.known, 0.22)));
    }
    if (ambiguous) {
        const has = (sign) => (_, row, column) => ambiguous[row]?.[column] === sign;
        paintRuns(scene, has("?"), cellPattern(scene, colours.ambiguous + "b0", chequer(colours.ambiguous)));
        paintRuns(scene, has("-"), cellPattern(scene, colours.undecided + "80", dots(colours.undecided)));
    }
}

/** `#rrggbb` as three numbers. */
const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

function heatColours({ heatLow, heatMiddle, heatHigh }) {
    const [low, middle, high] = [heatLow, heatMiddle, heatHigh].map(channels);
    return Array.from({ length: HEAT_STEPS + 1 }, (_, step) => {
        const share = (2 * step) / HEAT_STEPS;
        const [from, to, part] = share <= 1 ? [low, middle, share] : [middle, high, share - 1];
        return `rgb(${from.map((value, at) => Math.round(value + (to[at] - value) * part)).join(" ")})`;
    });
}

function paintHeat(scene, heat) {
    const { context, view, range, colours } = scene;
    const scale = heatColours(colours);
    for (let row = range.top; row < range.bottom; row++) {
        for (let column = range.left; column < range.right; column++) {
            const share = heat[row]?.[column] ?? 0;
            // Only cells that are the same in all solutions get the colours of the ends.
            const inner = Math.min(Math.max(Math.round(share * HEAT_STEPS), share > 0 ? 1 : 0), share < 1 ? HEAT_STEPS - 1 : HEAT_STEPS);
            context.fillStyle = scale[inner];
            context.fillRect(...rectangle(view, row, column));
            if (view.cell >= TEXT_CELL && share > 0 && share < 1) {
                const percent = Math.min(Math.max(Math.round(share * 100), 1), 99);
                paintText(scene, row, column, String(percent), share < HEAT_DARK ? colours.heatText : colours.heatTextHigh, 0.36);
            }
        }
    }
}

/** Another solution: cells filled in both, in the picture alone, and in the other solution alone. */
function paintOther(scene, other) {
    const { drawing, colours } = scene;
    const { cells } = drawing;
    const isOther = (row, column) => other[row]?.[column] === "#";
    if (drawing.kind === "clues") {
        paintRuns(scene, (_, row, column) => isOther(row, column), colours.ink);
        return;
    }
    paintRuns(scene, (index, row, column) => cells[index] === 1 && isOther(row, column), colours.ink);
    paintRuns(scene, (index, row, column) => cells[index] === 1 && !isOther(row, column), colours.onlyHere);
    paintRuns(scene, (index, row, column) => cells[index] === 0 && isOther(row, column), colours.onlyOther);
}

function paintPreview(scene) {
    const { context, preview, colours, view } = scene;
    if (preview) {
        context.fillStyle = preview.value === 1 ? colours.ink : preview.value === 2 ? colours.remove : colours.cross;
        context.globalAlpha = 0.65;
        for (const [row, column] of preview.cells.filter(([row, column]) => isVisible(scene, row, column))) {
            context.fillRect(...rectangle(view, row, column));
        }
        context.globalAlpha = 1;
    }
}

/** The lines of the grid, thicker after every five cells. */
function paintLines({ context, view, range, colours }) {
    const { cell, ratio, gridX, gridY } = view;
    const pixel = 1 / ratio;
    const [width, height] = [view.columns * cell, view.rows * cell];
    const paint = (strong, thickness) => {
        const wanted = (at, last) => (at % 5 === 0 || at === last) === strong;
        for (let column = range.left; column <= range.right; column++) {
            if (wanted(column, view.columns)) {
                context.fillRect(gridX + column * cell - Math.floor((thickness * ratio) / 2) / ratio, gridY, thickness, height);
            }
        }
        for (let row = range.top; row <= range.bottom; row++) {
            if (wanted(row, view.rows)) {
                context.fillRect(gridX, gridY + row * cell - Math.floor((thickness * ratio) / 2) / ratio, width, thickness);
            }
        }
    };
    if (cell >= 4) {
        context.fillStyle = colours.line;
        paint(false, pixel);
    }
    if (cell >= 2) {
        context.fillStyle = colours.lineStrong;
        paint(true, cell < 12 ? pixel : Math.max(2 * pixel, Math.round(1.5 * ratio) / ratio));
    }
}

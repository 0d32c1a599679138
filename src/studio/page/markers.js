// Markers of single cells and regions, painted above the grid: regions, given cells, proposed flips, cells to reveal, steps, mistakes, the
// cursor.

import { SIGN_CELL } from "./patterns.js";

/** The rectangle of a cell. */
export function rectangle(view, row, column) {
    return [view.gridX + column * view.cell, view.gridY + row * view.cell, view.cell, view.cell];
}

export function isVisible({ range }, row, column) {
    return row >= range.top && row < range.bottom && column >= range.left && column < range.right;
}

/** The visible cells of a list of `[row, column, ...]` from 1, with row and column from 0. */
export function visibleCells(scene, list) {
    return list.map(([row, column, sign]) => [row - 1, column - 1, sign]).filter(([row, column]) => isVisible(scene, row, column));
}

/** Writes a text into a cell; `size` is its height as a part of the cell's. */
export function paintText({ context, view }, row, column, text, colour, size) {
    context.font = `${Math.round(view.cell * size)}px ${view.family}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = colour;
    context.fillText(text, view.gridX + (column + 0.5) * view.cell, view.gridY + (row + 0.53) * view.cell);
}

/** The edges of a region: `[row, column, nextRow, nextColumn]` for each side of a cell that no other cell of the region has. */
function edgesOf(region, columns) {
    const members = new Set(region.members);
    const edges = [];
    for (const index of region.members) {
        const [row, column] = [Math.floor(index / columns), index % columns];
        if (!members.has(index - columns)) {
            edges.push([row, column, row, column + 1]);
        }
        if (!members.has(index + columns)) {
            edges.push([row + 1, column, row + 1, column + 1]);
        }
        if (column === 0 || !members.has(index - 1)) {
            edges.push([row, column, row + 1, column]);
        }
        if (column === columns - 1 || !members.has(index + 1)) {
            edges.push([row, column + 1, row + 1, column + 1]);
        }
    }
    return edges;
}

const edgesOfRegion = new WeakMap();

function regionIsVisible({ range }, { box: [top, left, height, width] }) {
    return top < range.bottom && top + height > range.top && left < range.right && left + width > range.left;
}

export function paintRegions(scene, regions) {
    const { context, view, colours } = scene;
    const visible = regions?.filter((region) => regionIsVisible(scene, region)) ?? [];
    if (visible.length === 0) {
        return;
    }
    context.beginPath();
    for (const region of visible) {
        if (!edgesOfRegion.has(region)) {
            edgesOfRegion.set(region, edgesOf(region, view.columns));
        }
        for (const [row, column, nextRow, nextColumn] of edgesOfRegion.get(region)) {
            context.moveTo(view.gridX + column * view.cell, view.gridY + row * view.cell);
            context.lineTo(view.gridX + nextColumn * view.cell, view.gridY + nextRow * view.cell);
        }
    }
    context.lineCap = "square";
    context.lineWidth = view.cell < 10 ? 1.5 : 2.5;
    context.strokeStyle = colours.region;
    context.stroke();
    if (view.cell >= 12) {
        visible.forEach((region) => paintFillings(scene, region));
    }
}

/** Writes the number of fillings of a region at its top left corner if there is room for it. */
function paintFillings({ context, view, colours }, region) {
    const [top, left, height, width] = region.box;
    const size = Math.min(13, Math.round(view.cell * 0.6));
    const text = region.fillings;
    context.font = `600 ${size}px ${view.family}`;
    const room = context.measureText(text).width + 6;
    if (text.length > 7 || room > width * view.cell || (height === 1 && width === 1)) {
        return;
    }
    const first = Math.min(...region.members);
    const column = Math.floor(first / view.columns) === top ? first % view.columns : left;
    const x = Math.min(view.gridX + column * view.cell, view.gridX + (left + width) * view.cell - room);
    const y = view.gridY + top * view.cell;
    context.fillStyle = colours.region;
    context.fillRect(x, y, room, size + 4);
    context.fillStyle = colours.regionPaper;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(text, x + 3, y + (size + 4) / 2 + 0.5);
}

/** Proposed flips: a marked square with + for a cell to fill and - for a cell to empty. */
export function paintFlips(scene, flips) {
    const { context, view, colours, drawing } = scene;
    for (const [row, column] of visibleCells(scene, flips ?? [])) {
        const [x, y, size] = rectangle(view, row, column);
        const adds = drawing.cells[row * view.columns + column] === 0;
        const inset = view.cell >= SIGN_CELL ? Math.max(1, view.cell * 0.08) : 0;
        context.fillStyle = adds ? colours.add : colours.remove;
        context.fillRect(x + inset, y + inset, size - 2 * inset, size - 2 * inset);
        if (view.cell >= SIGN_CELL) {
            const [half, thick] = [view.cell * 0.24, Math.max(1.5, view.cell * 0.11)];
            context.fillStyle = colours.sign;
            context.fillRect(x + size / 2 - half, y + (size - thick) / 2, 2 * half, thick);
            if (adds) {
                context.fillRect(x + (size - thick) / 2, y + size / 2 - half, thick, 2 * half);
            }
        }
    }
}

/** Begins a circle in the middle of a cell; its radius is a part of the cell's side. */
function circle({ context, view }, row, column, radius) {
    context.beginPath();
    context.arc(view.gridX + (column + 0.5) * view.cell, view.gridY + (row + 0.5) * view.cell, view.cell * radius, 0, 2 * Math.PI);
}

/** The given cells: a dot, in a filled cell with a ring. It is small, so that the cross of an empty cell can be seen in play. */
export function paintGiven(scene) {
    const { context, view, range, colours, drawing } = scene;
    if (!drawing.hasGiven) {
        return;
    }
    const { given } = drawing;
    context.fillStyle = colours.given;
    context.lineWidth = Math.max(1, view.cell * 0.07);
    context.strokeStyle = colours.paper;
    for (let row = range.top; row < range.bottom; row++) {
        for (let column = range.left; column < range.right; column++) {
            const value = given[row * view.columns + column];
            if (value !== 0) {
                circle(scene, row, column, value === 1 ? 0.2 : 0.15);
                context.fill();
            }
            if (value === 1) {
                context.stroke();
            }
        }
    }
}

/** Cells to reveal to the player: a ring. */
export function paintRevealed(scene, revealed) {
    const { context, view, colours } = scene;
    for (const [row, column] of visibleCells(scene, revealed ?? [])) {
        circle(scene, row, column, 0.3);
        context.lineWidth = view.cell * 0.26;
        context.strokeStyle = colours.paper;
        context.stroke();
        context.lineWidth = view.cell * 0.13;
        context.strokeStyle = colours.given;
        context.stroke();
    }
}

function paintBorder({ context, view }, row, column, colour, width) {
    const [x, y, size] = rectangle(view, row, column);
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.strokeRect(x + width / 2, y + width / 2, size - width, size - width);
}

/** The cells that a step of an explanation finds, and the cell whose value it tried. */
export function paintStep(scene, step) {
    const { context, view, colours } = scene;
    const width = Math.max(1, view.cell * 0.1);
    for (const [row, column, sign] of visibleCells(scene, step?.cells ?? [])) {
        const [x, y, size] = rectangle(view, row, column);
        paintBorder(scene, row, column, colours.step, width);
        context.fillStyle = colours.step;
        const side = size * (sign === "#" ? 0.5 : 0.22);
        context.fillRect(x + (size - side) / 2, y + (size - side) / 2, side, side);
    }
    for (const [row, column, sign] of visibleCells(scene, step?.tried ? [step.tried] : [])) {
        context.fillStyle = colours.stepPaper;
        context.fillRect(...rectangle(view, row, column));
        paintBorder(scene, row, column, colours.wrong, width);
        if (view.cell >= SIGN_CELL) {
            paintText(scene, row, column, sign === "#" ? "■" : sign === "." ? "×" : "?", colours.wrong, 0.6);
        }
    }
}

export function paintWrong(scene, wrong) {
    const { context, view, colours } = scene;
    const width = Math.max(1.5, view.cell * 0.1);
    for (const [row, column] of visibleCells(scene, wrong ?? [])) {
        const [x, y, size] = rectangle(view, row, column);
        paintBorder(scene, row, column, colours.wrong, width);
        context.beginPath();
        context.moveTo(x + width, y + width);
        context.lineTo(x + size - width, y + size - width);
        context.stroke();
    }
}

/** The border of the selected part: dashes of two colours, so that it stands out on filled and on empty cells. */
export function paintSelection({ context, view, colours, selection: { area } }) {
    if (area === null) {
        return;
    }
    const [top, bottom] = [area.row, area.row + area.height].map((row) => Math.min(Math.max(row, 0), view.rows));
    const [left, right] = [area.column, area.column + area.width].map((column) => Math.min(Math.max(column, 0), view.columns));
    const border = [view.gridX + left * view.cell, view.gridY + top * view.cell, (right - left) * view.cell, (bottom - top) * view.cell];
    context.lineWidth = 2.5;
    context.strokeStyle = colours.paper;
    context.strokeRect(...border);
    context.setLineDash([6, 4]);
    context.strokeStyle = colours.cursor;
    context.strokeRect(...border);
    context.setLineDash([]);
}

export function paintCursor(scene) {
    const { context, view, cursor, focused, keyboard, colours } = scene;
    if (!focused || !isVisible(scene, cursor.row, cursor.column)) {
        return;
    }
    const [x, y, size] = rectangle(view, cursor.row, cursor.column);
    const width = keyboard ? 2.5 : 1.5;
    context.lineWidth = width + 2;
    context.strokeStyle = colours.paper;
    context.strokeRect(x, y, size, size);
    context.lineWidth = width;
    context.strokeStyle = colours.cursor;
    context.strokeRect(x, y, size, size);
}

// Cells of shapes: a line, a rectangle and a connected area. Cells are `[row, column]` from 0.

/** The cells of a straight line between two cells (Bresenham), both ends included, in order.
 * @returns {[number, number][]} */
export function lineCells(row, column, lastRow, lastColumn) {
    const across = Math.abs(lastColumn - column);
    const down = Math.abs(lastRow - row);
    const stepColumn = column < lastColumn ? 1 : -1;
    const stepRow = row < lastRow ? 1 : -1;
    const cells = [];
    let error = across - down;
    for (;;) {
        cells.push([row, column]);
        if (row === lastRow && column === lastColumn) {
            return cells;
        }
        const twice = 2 * error;
        if (twice > -down) {
            error -= down;
            column += stepColumn;
        }
        if (twice < across) {
            error += across;
            row += stepRow;
        }
    }
}

/** The cells of the rectangle between two opposite corners: its outline, or all of it if `filled`.
 * @returns {[number, number][]} */
export function rectangleCells(row, column, lastRow, lastColumn, filled) {
    const [top, bottom] = [Math.min(row, lastRow), Math.max(row, lastRow)];
    const [left, right] = [Math.min(column, lastColumn), Math.max(column, lastColumn)];
    const cells = [];
    for (let at = top; at <= bottom; at++) {
        const whole = filled || at === top || at === bottom;
        for (let across = left; across <= right; across += whole || left === right ? 1 : right - left) {
            cells.push([at, across]);
        }
    }
    return cells;
}

/** The indexes of the cells that are connected with a cell by their sides and have its value.
 * @param {Uint8Array} cells
 * @returns {number[]} */
export function areaOf(cells, width, height, index) {
    const value = cells[index];
    const seen = new Uint8Array(cells.length);
    const found = [index];
    seen[index] = 1;
    for (let next = 0; next < found.length; next++) {
        const at = found[next];
        const column = at % width;
        const neighbours = [
            column > 0 ? at - 1 : -1,
            column < width - 1 ? at + 1 : -1,
            at - width,
            at + width < width * height ? at + width : -1,
        ];
        for (const neighbour of neighbours) {
            if (neighbour >= 0 && !seen[neighbour] && cells[neighbour] === value) {
                seen[neighbour] = 1;
                found.push(neighbour);
            }
        }
    }
    return found;
}

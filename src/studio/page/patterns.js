// Painting many cells at once: one rectangle for each run of cells of a row, filled with a colour or with a pattern that has the same
// sign in every cell. Only visible cells are painted.

/** Smallest size of a cell for signs in it. */
export const SIGN_CELL = 7;

/** Calls `paint(row, first, after)` for each run of cells of a row for which `isMember(index, row, column)` is true. */
function forRuns(scene, isMember, paint) {
    const { range, view } = scene;
    for (let row = range.top; row < range.bottom; row++) {
        let first = -1;
        for (let column = range.left; column <= range.right; column++) {
            const member = column < range.right && isMember(row * view.columns + column, row, column);
            if (member && first < 0) {
                first = column;
            } else if (!member && first >= 0) {
                paint(row, first, column);
                first = -1;
            }
        }
    }
}

/** Fills the cells for which `isMember(index, row, column)` is true. */
export function paintRuns(scene, isMember, style) {
    const { context, view } = scene;
    context.fillStyle = style;
    forRuns(scene, isMember, (row, first, after) => {
        context.fillRect(view.gridX + first * view.cell, view.gridY + row * view.cell, (after - first) * view.cell, view.cell);
    });
}

/** A pattern with a sign in each cell. `draw(context, size)` draws the sign of one cell, `size` device pixels wide. Small cells have no
 * room for signs; they get the translucent colour `plain`. */
export function cellPattern(scene, plain, draw) {
    const { context, view } = scene;
    if (view.cell < SIGN_CELL) {
        return plain;
    }
    const size = Math.max(1, Math.round(view.cell * view.ratio));
    const tile = new OffscreenCanvas(size, size);
    draw(tile.getContext("2d"), size);
    const pattern = context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix([1 / view.ratio, 0, 0, 1 / view.ratio, view.gridX, view.gridY]));
    return pattern;
}

/** A square in the middle of a cell; `share` is its side as a part of the cell's. */
export function centredSquare(colour, share) {
    return (context, size) => {
        const side = Math.max(1, Math.round(size * share));
        const start = Math.floor((size - side) / 2);
        context.fillStyle = colour;
        context.fillRect(start, start, side, side);
    };
}

export function cross(colour, share) {
    return (context, size) => {
        const [start, end] = [(size * (1 - share)) / 2, (size * (1 + share)) / 2];
        context.strokeStyle = colour;
        context.lineWidth = Math.max(1, size / 14);
        context.beginPath();
        context.moveTo(start, start);
        context.lineTo(end, end);
        context.moveTo(end, start);
        context.lineTo(start, end);
        context.stroke();
    };
}

export function chequer(colour) {
    return (context, size) => {
        const half = Math.ceil(size / 2);
        context.fillStyle = colour;
        context.fillRect(0, 0, half, half);
        context.fillRect(half, half, size - half, size - half);
    };
}

export function dots(colour) {
    return (context, size) => {
        const side = Math.max(1, Math.round(size / 9));
        context.fillStyle = colour;
        for (const [x, y] of [[0.3, 0.3], [0.7, 0.7], [0.3, 0.7], [0.7, 0.3]]) {
            context.fillRect(Math.round(size * x - side / 2), Math.round(size * y - side / 2), side, side);
        }
    };
}

export function corner(colour) {
    return (context, size) => {
        const side = Math.max(2, size * 0.38);
        context.fillStyle = colour;
        context.beginPath();
        context.moveTo(size, 0);
        context.lineTo(size, side);
        context.lineTo(size - side, 0);
        context.fill();
    };
}

// The geometry of the board: size of the cells, position of the grid in the viewport, the bands of the clues, zoom and scrolling.
// Lengths are in CSS pixels. Sizes of cells and positions are whole device pixels, so that lines are sharp.

/** Largest size of a cell, and the size that fitting the view does not exceed. */
const MOST_CELL = 72;
const MOST_FITTED = 48;
/** Zooming out ends at this size of a cell, or where the whole grid can be seen. */
const LEAST_CELL = 8;
/** Clues are not written into cells smaller than this. */
const LEAST_CLUE_CELL = 9;
const MOST_FONT = 15;
/** Part of the viewport that a band may take. */
const MOST_BAND = 0.4;
/** Width of a band without numbers. */
const BARE_BAND = 10;
const MARGIN = 10;
/** Space between the numbers of a row clue, in widths of a digit. */
const GAP = 1.1;
/** Height of a number of a column clue, in font sizes. */
const LINE = 1.16;

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/** Width of a row clue in widths of a digit. */
function widthInDigits(clue) {
    const digits = clue.reduce((sum, block) => sum + String(block).length, 0);
    return Math.max(digits + GAP * (clue.length - 1), 1);
}

export class View {
    width = 0;
    height = 0;
    ratio = 1;
    columns = 1;
    rows = 1;
    /** Size of a cell. */
    cell = 20;
    /** Position of the top left corner of the grid. */
    gridX = 0;
    gridY = 0;
    /** Width of the band of the row clues and height of that of the column clues. */
    bandLeft = 0;
    bandTop = 0;
    family = "sans-serif";
    /** Whether the view shows the whole grid since `fit` was called and was not changed. */
    fitted = true;
    #scale = 20;
    #digit = 0.56;
    #rowDigits = 1;
    #columnNumbers = 1;

    /** Width of a digit in font sizes, as measured on the canvas. */
    get digitWidth() {
        return this.#digit;
    }

    set digitWidth(value) {
        this.#digit = value;
    }

    get gap() {
        return GAP;
    }

    get line() {
        return LINE;
    }

    /** Size of the clues, 0 if the cells are too small for them. */
    get font() {
        return this.#fontOf(this.cell);
    }

    #fontOf(cell) {
        return cell < LEAST_CLUE_CELL ? 0 : clamp(cell * 0.62, 7.5, MOST_FONT);
    }

    /** Takes the size of the viewport. */
    resize(width, height, ratio) {
        Object.assign(this, { width, height, ratio });
        if (this.fitted) {
            this.fit();
        } else {
            this.#setScale(this.#scale);
            this.#clamp();
        }
    }

    /** Takes the clues. The bands grow as needed; they become smaller with a new document only, so that the grid stays in place. */
    setClues(rows, columns, fresh) {
        const size = [columns.length, rows.length];
        const renewed = fresh || size[0] !== this.columns || size[1] !== this.rows;
        const roundUp = (value) => Math.ceil(value / 2) * 2;
        const digits = Math.max(...rows.map(widthInDigits));
        const numbers = Math.max(...columns.map((clue) => Math.max(clue.length, 1)));
        [this.columns, this.rows] = size;
        const digitsBefore = renewed ? spare(this.columns) * (1 + GAP) - GAP : this.#rowDigits;
        const numbersBefore = renewed ? spare(this.rows) : this.#columnNumbers;
        this.#rowDigits = Math.max(digitsBefore, digits > digitsBefore ? roundUp(digits) : 0);
        this.#columnNumbers = Math.max(numbersBefore, numbers > numbersBefore ? roundUp(numbers) : 0);
        if (renewed || (this.fitted && !this.#fits(this.cell))) {
            this.fit();
        } else {
            this.#setScale(this.#scale);
            this.#clamp();
        }
    }

    #bandLeftOf(cell) {
        const font = this.#fontOf(cell);
        const wanted = font === 0 ? BARE_BAND : this.#rowDigits * this.#digit * font + font;
        return Math.round(Math.min(wanted, this.width * MOST_BAND));
    }

    #bandTopOf(cell) {
        const font = this.#fontOf(cell);
        const wanted = font === 0 ? BARE_BAND : this.#columnNumbers * LINE * font + font * 0.6;
        return Math.round(Math.min(wanted, this.height * MOST_BAND));
    }

    #fits(cell) {
        return this.#bandLeftOf(cell) + cell * this.columns + 2 * MARGIN <= this.width
            && this.#bandTopOf(cell) + cell * this.rows + 2 * MARGIN <= this.height;
    }

    /** The largest size of a cell at which the whole grid can be seen. */
    #fittingCell() {
        const step = 1 / this.ratio;
        let cell = MOST_FITTED;
        while (cell > step && !this.#fits(cell)) {
            cell -= step;
        }
        return Math.max(cell, step);
    }

    /** Shows the whole grid as large as possible and centres it. */
    fit() {
        this.#setScale(this.#fittingCell());
        this.gridX = this.#round(this.bandLeft + (this.width - this.bandLeft - this.cell * this.columns) / 2);
        this.gridY = this.#round(this.bandTop + (this.height - this.bandTop - this.cell * this.rows) / 2);
        this.#clamp();
        this.fitted = true;
    }

    #round(value) {
        return Math.round(value * this.ratio) / this.ratio;
    }

    #setScale(scale) {
        this.#scale = clamp(scale, Math.min(LEAST_CELL, this.#fittingCell()), MOST_CELL);
        this.cell = Math.max(1, Math.round(this.#scale * this.ratio)) / this.ratio;
        this.bandLeft = this.#bandLeftOf(this.cell);
        this.bandTop = this.#bandTopOf(this.cell);
    }

    /** Keeps the grid within the viewport: a small one anywhere in it, a large one without empty space beside it. */
    #clamp() {
        const across = this.width - MARGIN - this.cell * this.columns;
        const down = this.height - MARGIN - this.cell * this.rows;
        this.gridX = this.#round(clamp(this.gridX, Math.min(this.bandLeft, across), Math.max(this.bandLeft, across)));
        this.gridY = this.#round(clamp(this.gridY, Math.min(this.bandTop, down), Math.max(this.bandTop, down)));
    }

    /** Zooms and keeps the point of the grid at `x`, `y` where it is. */
    zoomAt(factor, x, y) {
        const [column, row] = [(x - this.gridX) / this.cell, (y - this.gridY) / this.cell];
        this.#setScale(this.#scale * factor);
        this.gridX = x - column * this.cell;
        this.gridY = y - row * this.cell;
        this.#clamp();
        this.fitted = false;
    }

    /** Moves the grid. Returns whether it moved. */
    pan(dx, dy) {
        const [x, y] = [this.gridX, this.gridY];
        const wide = this.cell * this.columns > this.width - this.bandLeft - MARGIN;
        const high = this.cell * this.rows > this.height - this.bandTop - MARGIN;
        this.gridX += wide ? dx : 0;
        this.gridY += high ? dy : 0;
        this.#clamp();
        const moved = x !== this.gridX || y !== this.gridY;
        this.fitted &&= !moved;
        return moved;
    }

    /** Scrolls so that a cell can be seen. */
    show(row, column) {
        const [left, top] = [this.gridX + column * this.cell, this.gridY + row * this.cell];
        const into = (start, least, most) => (start < least ? least - start : Math.min(0, most - start - this.cell));
        const dx = into(left, this.bandLeft, this.width - MARGIN / 2);
        const dy = into(top, this.bandTop, this.height - MARGIN / 2);
        if (dx !== 0 || dy !== 0) {
            this.pan(dx, dy);
        }
    }

    /** Where the visible part of the grid begins: the inner edge of the bands. */
    get edgeX() {
        return Math.max(this.gridX, this.bandLeft);
    }

    get edgeY() {
        return Math.max(this.gridY, this.bandTop);
    }

    /** The cell at a point, with `inside` false if the point is not on the visible grid; then it is the nearest cell. */
    cellAt(x, y) {
        const column = Math.floor((x - this.gridX) / this.cell);
        const row = Math.floor((y - this.gridY) / this.cell);
        const inside = x >= this.edgeX && y >= this.edgeY && column < this.columns && row < this.rows;
        return { row: clamp(row, 0, this.rows - 1), column: clamp(column, 0, this.columns - 1), inside };
    }

    /** The visible rows and columns: `top` to `bottom` and `left` to `right`, the last ones not included. */
    visible() {
        const first = (edge, start, number) => clamp(Math.floor((edge - start) / this.cell), 0, number);
        const last = (edge, start, number) => clamp(Math.ceil((edge - start) / this.cell), 0, number);
        return {
            top: first(this.edgeY, this.gridY, this.rows), bottom: last(this.height, this.gridY, this.rows),
            left: first(this.edgeX, this.gridX, this.columns), right: last(this.width, this.gridX, this.columns),
        };
    }
}

/** Numbers of a clue for which a band has room before it has to grow. */
function spare(length) {
    return clamp(Math.ceil(length / 4) + 1, 2, 8);
}

// The board: a canvas with the cells, the clues around them, the layers of the panels, the cursor, and the view of it.

import { paintBands } from "./bands.js";
import { cellWords, lineWords, regionWords } from "./cell-words.js";
import { paintGrid } from "./layers.js";
import { connectPointer } from "./pointer.js";
import { Selection } from "./selection.js";
import { readPalette, watchTheme } from "./theme.js";
import { Tools } from "./tools.js";
import { View } from "./view.js";

const TOOLS = ["pen", "line", "rectangle", "fill", "protect", "give", "select", "move"];

/** Events: `cursor` (the cursor moved; `detail` has `row`, `column` from 0 and `by`), `tool`, `hover`, `selection` (a part
 * was selected, moved or dropped), `told` (`detail.words`). */
export class Board extends EventTarget {
    view = new View();
    /** The cell of the keyboard's cursor, from 0. */
    cursor = { row: 0, column: 0 };
    /** The cell below the pointer, or null. */
    hover = null;
    /** Time in milliseconds that the last painting took. */
    paintTime = 0;
    #tool = "pen";
    #keyboard = true;
    #layers = {};
    #preview = null;
    #frame = 0;
    #colours;
    #context;

    /** @param {HTMLCanvasElement} canvas */
    constructor(canvas, drawing) {
        super();
        this.canvas = canvas;
        this.drawing = drawing;
        this.selection = new Selection(this);
        this.tools = new Tools(this);
        this.#context = canvas.getContext("2d", { alpha: false });
        this.#readStyle();
        this.#takeClues(true);
        this.#connect();
        connectPointer(this);
    }

    #connect() {
        const { canvas, drawing } = this;
        drawing.addEventListener("stroke", () => this.draw());
        drawing.addEventListener("change", (event) => this.#changed(event.detail));
        canvas.addEventListener("focus", () => this.draw());
        canvas.addEventListener("blur", () => {
            this.keyboard = true;
            this.draw();
        });
        watchTheme(() => this.#readStyle());
        new ResizeObserver(() => this.#resize()).observe(canvas.parentElement);
        window.addEventListener("resize", () => this.#resize());
        this.#resize();
    }

    #readStyle() {
        this.#colours = readPalette();
        this.view.family = getComputedStyle(this.canvas).fontFamily;
        this.#context.font = `100px ${this.view.family}`;
        this.view.digitWidth = this.#context.measureText("0").width / 100;
        this.draw();
    }

    #resize() {
        const { canvas, view } = this;
        const { clientWidth: width, clientHeight: height } = canvas.parentElement;
        const ratio = window.devicePixelRatio || 1;
        if (width === 0 || height === 0 || (width === view.width && height === view.height && ratio === view.ratio)) {
            return;
        }
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        view.resize(width, height, ratio);
        // The canvas is empty after a change of its size, so that it is painted at once.
        this.#paint();
    }

    #changed({ what, unfinished }) {
        const fresh = what.has("document") || what.has("size");
        if (fresh || what.has("mode")) {
            this.tools.cancel();
        }
        if (fresh) {
            this.hover = null;
            this.cursor = this.within(this.cursor.row, this.cursor.column);
        }
        // The bands do not grow below the pointer.
        if (!unfinished && (fresh || what.has("cells") || what.has("clues"))) {
            this.#takeClues(fresh);
        }
        this.draw();
    }

    #takeClues(fresh) {
        const { rows, columns } = this.drawing;
        this.view.setClues(rows, columns, fresh);
        this.canvas.setAttribute("aria-label", `Board, ${rows.length} rows, ${columns.length} columns`);
    }

    /** Shows the data of a layer, or removes the layer for null. */
    setLayer(name, data) {
        this.#layers[name] = data ?? null;
        if (name === "regions") {
            this.canvas.title = "";
        }
        this.draw();
    }

    layer(name) {
        return this.#layers[name] ?? null;
    }

    /** Shows the cells of a line or a rectangle while it is drawn. */
    setPreview(preview) {
        this.#preview = preview;
        this.draw();
    }

    get tool() {
        return this.#tool;
    }

    set tool(name) {
        if (TOOLS.includes(name) && name !== this.#tool) {
            this.tools.cancel();
            this.selection.drop();
            this.#tool = name;
            this.canvas.dataset.tool = name;
            this.dispatchEvent(new CustomEvent("tool"));
        }
    }

    /** Whether the last input came from the keyboard; the cursor is more visible then. */
    get keyboard() {
        return this.#keyboard;
    }

    set keyboard(value) {
        this.#keyboard = value;
        this.canvas.dataset.input = value ? "keyboard" : "pointer";
    }

    /** Tells what a tool did, or why it cannot change the document. */
    tell(words) {
        this.dispatchEvent(new CustomEvent("told", { detail: { words } }));
    }

    /** The cell of the grid that is nearest to a row and a column. */
    within(row, column) {
        const { width, height } = this.drawing;
        return { row: Math.min(Math.max(row, 0), height - 1), column: Math.min(Math.max(column, 0), width - 1) };
    }

    /** Moves the cursor with something that moves; a pointer sees where that is. */
    follow(row, column) {
        this.cursor = this.within(row, column);
        if (this.keyboard) {
            this.view.show(this.cursor.row, this.cursor.column);
        }
        this.draw();
    }

    /** Moves the cursor to a cell, kept within the grid. `by` is `"keys"` or `"pointer"`. */
    moveCursor(row, column, by = "keys") {
        this.cursor = this.within(row, column);
        if (by === "keys") {
            this.hover = null;
            this.view.show(this.cursor.row, this.cursor.column);
        }
        this.dispatchEvent(new CustomEvent("cursor", { detail: { ...this.cursor, by } }));
        this.draw();
    }

    /** Scrolls to the first of some cells, `[row, column]` from 1, if none of them can be seen. */
    showCells(cells) {
        const { top, bottom, left, right } = this.view.visible();
        const seen = cells.some(([row, column]) => row > top && row <= bottom && column > left && column <= right);
        if (cells.length > 0 && !seen) {
            this.view.show(cells[0][0] - 1, cells[0][1] - 1);
            this.draw();
        }
    }

    /** Takes the cell below the pointer, or null; its row and column are highlighted. */
    setHover(cell) {
        if (this.hover?.row === cell?.row && this.hover?.column === cell?.column) {
            return;
        }
        this.hover = cell;
        const words = cell ? regionWords(this, cell) : "";
        this.canvas.classList.toggle("movable", cell !== null && this.selection.has(cell));
        if (this.canvas.title !== words) {
            this.canvas.title = words;
        }
        this.dispatchEvent(new CustomEvent("hover"));
        this.draw();
    }

    /** A cell in words, with what the layers say about it. */
    describe(cell = this.cursor) {
        return cellWords(this, cell);
    }

    /** The clues of the row and the column of the highlighted cell, and what the layers say about it, in words. */
    get readout() {
        return this.active ? lineWords(this, this.active) : { row: "", column: "", cell: "" };
    }

    /** The cell whose row and column are highlighted. */
    get active() {
        return this.hover ?? (this.focused ? this.cursor : null);
    }

    get focused() {
        return document.activeElement === this.canvas;
    }

    /** Zooms around a point of the canvas; without one, around the cursor if it can be seen, else the middle. */
    zoom(factor, x = null, y = null) {
        const { view, cursor } = this;
        const [cursorX, cursorY] = [view.gridX + (cursor.column + 0.5) * view.cell, view.gridY + (cursor.row + 0.5) * view.cell];
        const seen = this.focused && cursorX > view.edgeX && cursorX < view.width && cursorY > view.edgeY && cursorY < view.height;
        view.zoomAt(factor, x ?? (seen ? cursorX : (view.edgeX + view.width) / 2), y ?? (seen ? cursorY : (view.edgeY + view.height) / 2));
        this.draw();
    }

    /** Shows the whole grid. */
    fit() {
        this.#takeClues(true);
        this.draw();
    }

    /** Paints in the next animation frame. */
    draw() {
        this.#frame ||= requestAnimationFrame(() => this.#paint());
    }

    #paint() {
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
        const begun = performance.now();
        const { view, drawing, cursor, focused, keyboard, active } = this;
        if (view.width === 0 || drawing.width !== view.columns || drawing.height !== view.rows) {
            return;
        }
        const context = this.#context;
        const scene = {
            context, view, drawing, cursor, focused, keyboard, active,
            colours: this.#colours, layers: this.#layers, preview: this.#preview, selection: this.selection.shown, range: view.visible(),
        };
        context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
        context.fillStyle = this.#colours.background;
        context.fillRect(0, 0, view.width, view.height);
        context.save();
        context.beginPath();
        context.rect(view.edgeX - 2, view.edgeY - 2, view.width, view.height);
        context.clip();
        paintGrid(scene);
        context.restore();
        paintBands(scene);
        this.paintTime = performance.now() - begun;
    }
}

// The drawing tools, used by the pointer and by the keyboard alike: pen, line, rectangle, fill, protect, give and select.
// The first cell of a stroke decides what the stroke does. While playing, the tools change marks, and a stroke changes only cells
// that have the mark of its first cell.

import { areaOf, lineCells, rectangleCells } from "./shapes.js";

const NAMES = {
    pen: "Draw", line: "Line", rectangle: "Rectangle", fill: "Fill area", protect: "Protect cells", give: "Give cells", select: "Select",
    move: "Draw",
};

/** The tools that have nothing to change while playing. */
export const OF_PICTURES = ["protect", "give", "select"];

/** The value that a stroke gives, from the value of its first cell. */
function valueOf(field, old, erase) {
    if (field === "marks") {
        return erase ? (old === 2 ? 0 : 2) : (old === 0 ? 1 : 0);
    }
    return erase ? 0 : 1 - old;
}

export class Tools {
    #board;
    #stroke = null;
    #start = null;
    #last = null;

    constructor(board) {
        this.#board = board;
    }

    get active() {
        return this.#start !== null;
    }

    /** Whether a line, a rectangle or a selection is waiting for its second corner. */
    get shaping() {
        return this.active && ["line", "rectangle", "select"].includes(this.#start.tool);
    }

    get #selecting() {
        return this.#start?.tool === "select";
    }

    /** The value that the stroke under way gives. */
    get value() {
        return this.#start?.value ?? 0;
    }

    /** Begins at a cell. Options: `erase`, the stroke empties; `value`, what it gives instead of what the first cell decides.
     * Returns false if the document has nothing that the tool can change. */
    begin({ row, column }, { erase = false, value = null, tool = this.#board.tool } = {}) {
        this.cancel();
        const { drawing } = this.#board;
        const playing = drawing.mode === "play";
        const field = { protect: "protect", give: "given" }[tool] ?? (playing ? "marks" : "cells");
        if ((field !== "marks" && drawing.kind !== "picture") || (playing && OF_PICTURES.includes(tool))) {
            this.#board.tell(playing ? "Stop playing to use this tool." : "Clues have no picture to draw on.");
            return false;
        }
        if (field === "marks" && drawing.given[row * drawing.width + column] !== 0) {
            this.#board.tell("A given cell stays as it is.");
            return false;
        }
        const found = drawing[field][row * drawing.width + column];
        const old = field === "given" ? Math.min(found, 1) : found;
        const decided = value ?? valueOf(field, old, erase);
        this.#start = { tool, field, row, column, old, value: decided };
        this.#last = { row, column };
        if (this.#selecting) {
            this.#board.selection.begin({ row, column });
            return true;
        }
        if (this.shaping) {
            this.#preview(false);
            return true;
        }
        this.#stroke = drawing.stroke(decided === 0 && field === "cells" ? "Empty cells" : NAMES[tool], field);
        if (tool === "fill") {
            areaOf(drawing[field], drawing.width, drawing.height, row * drawing.width + column).forEach((index) => this.#set(index));
        } else {
            this.#set(row * drawing.width + column);
        }
        return true;
    }

    #set(index) {
        const { field, old, value } = this.#start;
        if (field !== "marks" || this.#board.drawing.marks[index] === old) {
            this.#stroke.set(index, value);
        }
    }

    /** Goes on to a cell; `filled` fills a rectangle. */
    moveTo({ row, column }, filled = false) {
        if (!this.active) {
            return;
        }
        const from = this.#last;
        this.#last = { row, column };
        if (this.#selecting) {
            this.#board.selection.moveTo({ row, column });
        } else if (this.shaping) {
            this.#preview(filled);
        } else if (this.#start.tool !== "fill") {
            for (const [at, across] of lineCells(from.row, from.column, row, column)) {
                this.#set(at * this.#board.drawing.width + across);
            }
        }
    }

    #shape(filled) {
        const { tool, row, column } = this.#start;
        const ends = [row, column, this.#last.row, this.#last.column];
        return tool === "line" ? lineCells(...ends) : rectangleCells(...ends, filled);
    }

    #preview(filled) {
        const { field, value } = this.#start;
        this.#board.setPreview({ cells: this.#shape(filled), value: field === "marks" ? value : value === 1 ? 1 : 2 });
    }

    /** Ends the stroke; a line or a rectangle is drawn, a part selected or moved now. */
    end(filled = false) {
        if (!this.active) {
            return;
        }
        if (this.#selecting) {
            this.#forget();
            this.#board.selection.end();
            return;
        }
        if (this.shaping) {
            const { drawing } = this.#board;
            const cells = this.#shape(filled);
            this.#stroke = drawing.stroke(NAMES[this.#start.tool], this.#start.field);
            cells.forEach(([row, column]) => this.#set(row * drawing.width + column));
        }
        const stroke = this.#stroke;
        this.#forget();
        stroke.end();
    }

    /** Takes the stroke under way back. */
    cancel() {
        const stroke = this.#stroke;
        if (this.#selecting) {
            this.#board.selection.cancel();
        }
        if (this.active) {
            this.#forget();
            stroke?.cancel();
        }
    }

    #forget() {
        this.#stroke = null;
        this.#start = null;
        this.#last = null;
        this.#board.setPreview(null);
    }
}

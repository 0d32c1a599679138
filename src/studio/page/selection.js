// The selected part of the picture: it is moved, copied, cut, emptied and pasted, each as one undo step. What a part covers comes back when
// it moves on, as long as it stays selected.

import { areaBetween, areaHas, blankPart, partOfText, partText, putPart, takePart } from "./parts.js";
import { plural } from "./words.js";

/** The changes of the document that leave the selection. */
const HARMLESS = ["title", "marks", "saved"];

export class Selection {
    #board;
    /** Where the part lies; it may reach over the edges of the grid. */
    #area = null;
    #part = null;
    /** What the part covers. */
    #below = null;
    /** A stroke of the tool: it spans an area, or moves the part. */
    #stroke = null;
    /** What was copied last, also from another puzzle. */
    #copied = null;
    #changing = false;

    constructor(board) {
        this.#board = board;
        board.drawing.addEventListener("change", ({ detail }) => {
            if (!this.#changing && [...detail.what].some((word) => !HARMLESS.includes(word))) {
                this.drop();
            }
        });
    }

    /** Whether a part is selected. */
    get exists() {
        return this.#area !== null;
    }

    get canPaste() {
        return this.#copied !== null;
    }

    /** The area to be shown, and the cells of the picture as they would be now, if a stroke moves the part. */
    get shown() {
        const { drawing } = this.#board;
        if (this.#stroke === null) {
            return { area: this.#area, cells: null };
        }
        if (!this.#stroke.moves) {
            return { area: areaBetween(this.#stroke.from, this.#stroke.to), cells: null };
        }
        const { width, height, cells, given, protect, marks } = drawing;
        const draft = { width, height, cells: cells.slice(), given, protect: protect.slice(), marks: marks.slice() };
        const target = this.#target(...this.#way());
        putPart(draft, this.#below, this.#area);
        putPart(draft, this.#part, target);
        return { area: { ...this.#area, ...target }, cells: draft.cells };
    }

    has(cell) {
        return areaHas(this.#area, cell);
    }

    /** Begins a stroke: within the part it moves it, elsewhere it selects another. */
    begin(cell) {
        const moves = this.has(cell);
        if (!moves) {
            this.drop();
        }
        this.#stroke = { moves, from: cell, to: cell };
        this.#show();
    }

    moveTo(cell) {
        if (this.#stroke) {
            this.#stroke.to = cell;
            this.#show();
        }
    }

    end() {
        const stroke = this.#stroke;
        const way = stroke && this.#way();
        this.#stroke = null;
        if (stroke?.moves) {
            this.move(...way);
        } else if (stroke) {
            this.#select(areaBetween(stroke.from, stroke.to));
        }
        this.#show();
    }

    cancel() {
        this.#stroke = null;
        this.#show();
    }

    /** The rows and the columns by which a stroke moves the part. */
    #way() {
        const { from, to } = this.#stroke;
        return [to.row - from.row, to.column - from.column];
    }

    /** Where the part lies after a move; some of it stays on the grid. */
    #target(down, across) {
        const { row, column, width, height } = this.#area;
        const { drawing } = this.#board;
        return {
            row: Math.min(Math.max(row + down, 1 - height), drawing.height - 1),
            column: Math.min(Math.max(column + across, 1 - width), drawing.width - 1),
        };
    }

    #select(area) {
        this.#area = area;
        this.#part = takePart(this.#board.drawing, area);
        this.#below = blankPart(area);
        // Where it is pasted again.
        this.#board.cursor = { row: area.row, column: area.column };
        this.#board.tell(`Selected ${sizeText(area)}`);
        this.#show();
    }

    /** Selects the whole picture. */
    all() {
        if (this.#isPossible()) {
            const { width, height } = this.#board.drawing;
            this.#board.tool = "select";
            this.#select({ row: 0, column: 0, width, height });
        }
    }

    /** Leaves the part where it is. Returns whether there was one. */
    drop() {
        const dropped = this.#area !== null;
        this.#area = null;
        this.#stroke = null;
        this.#show();
        return dropped;
    }

    move(down, across) {
        const target = this.#target(down, across);
        if (target.row !== this.#area.row || target.column !== this.#area.column) {
            this.#place("Move part", target);
            this.#board.tell(`Part moved to row ${target.row + 1}, column ${target.column + 1}`);
        }
    }

    /** Puts the part somewhere else; what it covered comes back. */
    #place(name, { row, column }) {
        const area = { ...this.#area, row, column };
        this.#edit(name, (draft) => {
            putPart(draft, this.#below, this.#area);
            this.#below = takePart(draft, area);
            putPart(draft, this.#part, area);
        });
        this.#area = area;
        this.#board.follow(area.row, area.column);
        this.#show();
    }

    #edit(name, change) {
        this.#changing = true;
        this.#board.drawing.edit(name, change);
        this.#changing = false;
    }

    /** Empties the cells of the part, which are neither given nor protected any more. */
    empty(name = "Empty part") {
        if (this.#isSelected()) {
            this.#part = blankPart(this.#area);
            this.#below = blankPart(this.#area);
            this.#edit(name, (draft) => putPart(draft, this.#part, this.#area));
            this.#board.tell("Part emptied");
            this.#show();
        }
    }

    /** Keeps the part for `paste`. Returns it as text, or null without a part. */
    copy() {
        if (!this.#isSelected()) {
            return null;
        }
        this.#copied = this.#part;
        this.#board.tell(`Copied ${sizeText(this.#area)}`);
        this.#show();
        return partText(this.#part);
    }

    cut() {
        const text = this.copy();
        if (text !== null) {
            this.empty("Cut part");
            this.#board.tell(`Cut ${sizeText(this.#area)}`);
        }
        return text;
    }

    /** Pastes what was copied at the cursor, inwards if it would reach over an edge. */
    paste(part = this.#copied) {
        const board = this.#board;
        if (part === null) {
            board.tell("Nothing is copied.");
        } else if (this.#isPossible()) {
            const { drawing, cursor } = board;
            board.tool = "select";
            this.drop();
            const inwards = (at, length, whole) => Math.max(0, Math.min(at, whole - length));
            const { width, height } = part;
            const [row, column] = [inwards(cursor.row, height, drawing.height), inwards(cursor.column, width, drawing.width)];
            const area = { row, column, width, height };
            this.#area = area;
            this.#part = part;
            this.#below = takePart(drawing, area);
            this.#place("Paste part", area);
            board.tell(`Pasted ${sizeText(area)}`);
        }
    }

    /** Pastes a text if it is that of the part that was copied last or, while parts are selected, any picture of `#` and `.`.
     * Returns whether it is. */
    pasteText(text) {
        const plain = text.replaceAll("\r\n", "\n").replace(/\n$/, "");
        const own = this.#copied && plain === partText(this.#copied) ? this.#copied : null;
        const { tool, drawing } = this.#board;
        const part = own ?? (tool === "select" && drawing.kind === "picture" ? partOfText(plain) : null);
        if (part) {
            this.paste(part);
        }
        return part !== null;
    }

    #isPossible() {
        const { drawing } = this.#board;
        if (drawing.mode === "play") {
            this.#board.tell("Stop playing to change the picture.");
        } else if (drawing.kind !== "picture") {
            this.#board.tell("Clues have no picture to change.");
        }
        return drawing.mode === "draw" && drawing.kind === "picture";
    }

    #isSelected() {
        if (this.#area === null) {
            this.#board.tell("No part is selected.");
        }
        return this.#area !== null;
    }

    #show() {
        this.#board.draw();
        this.#board.dispatchEvent(new CustomEvent("selection"));
    }
}

function sizeText({ width, height }) {
    return `${plural(height, "row")}, ${plural(width, "column")}`;
}

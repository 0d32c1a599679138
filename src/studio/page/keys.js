// The keyboard: everything that the board can do, while it has the focus; undo and redo everywhere except in text fields.

import { OF_PICTURES } from "./tools.js";

const TOOLS = { p: "pen", l: "line", r: "rectangle", f: "fill", k: "protect", g: "give", s: "select", m: "move" };
const DRAWN = { line: "Line drawn", rectangle: "Rectangle drawn" };
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Cells that an arrow moves together with Ctrl. */
const FAR = 5;

/** Connects the keyboard; `commands` are the operations of the toolbar. */
export function connectKeys({ board, drawing, announce }, commands) {
    const keys = new Keys(board, drawing, announce, commands);
    board.canvas.addEventListener("keydown", (event) => keys.down(event));
    board.canvas.addEventListener("keyup", (event) => event.key === "Shift" && keys.endDrawing());
    board.canvas.addEventListener("blur", () => keys.leave());
    document.addEventListener("keydown", (event) => keys.anywhere(event));
}

class Keys {
    #drawing = false;
    /** The cell that a key changed last, and the value it got, while the cursor stays there. */
    #changed = null;

    constructor(board, drawing, announce, commands) {
        Object.assign(this, { board, drawing, announce, commands });
    }

    /** Undo and redo, wherever the focus is. */
    anywhere(event) {
        const command = event.ctrlKey || event.metaKey;
        const inText = event.target.closest?.("input:not([type=checkbox], [type=radio], [type=range]), textarea");
        if (!command || event.altKey || inText || document.querySelector("dialog[open]")) {
            return;
        }
        const key = event.key.toLowerCase();
        if (key === "z" || (key === "y" && !event.shiftKey)) {
            event.preventDefault();
            this.endDrawing();
            this.commands[key === "y" || event.shiftKey ? "redo" : "undo"]();
        }
    }

    down(event) {
        this.board.keyboard = true;
        const arrow = ARROWS[event.key];
        const handled = arrow ? this.#arrow(event, arrow) : this.#other(event);
        if (handled) {
            event.preventDefault();
        }
        this.board.draw();
    }

    #arrow(event, [down, across]) {
        if (event.altKey) {
            this.commands.shift(across, down);
            return true;
        }
        const { selection, tools, cursor: { row, column } } = this.board;
        const far = event.ctrlKey || event.metaKey ? FAR : 1;
        if (selection.exists && !tools.active && !event.shiftKey) {
            selection.move(down * far, across * far);
            return true;
        }
        this.#moveTo(row + down * far, column + across * far, event.shiftKey);
        return true;
    }

    /** Moves the cursor; with Shift it draws on the way. */
    #moveTo(row, column, drawing) {
        const { board } = this;
        const { tools } = board;
        if (drawing && !tools.active) {
            const { row: at, column: across } = board.cursor;
            const value = this.#changed?.row === at && this.#changed.column === across ? this.#changed.value : null;
            if (board.tool === "select") {
                board.selection.drop();
            }
            const tool = OF_PICTURES.includes(board.tool) ? board.tool : "pen";
            this.#drawing = tools.begin(board.cursor, { value, tool });
        } else if (!drawing) {
            this.endDrawing();
        }
        this.#changed = null;
        const target = board.within(row, column);
        tools.moveTo(target, drawing && tools.shaping);
        board.moveCursor(target.row, target.column);
    }

    /** Ends a stroke that was drawn with the arrows. */
    endDrawing() {
        if (this.#drawing) {
            this.#drawing = false;
            this.board.tools.end();
        }
    }

    leave() {
        this.endDrawing();
        this.board.tools.cancel();
    }

    #other(event) {
        const { board, commands } = this;
        const { row, column } = board.cursor;
        const command = event.ctrlKey || event.metaKey;
        if (event.key === "Home" || event.key === "End") {
            const last = event.key === "End";
            const to = last ? this.drawing.width - 1 : 0;
            this.#moveTo(command ? (last ? this.drawing.height - 1 : 0) : row, to, event.shiftKey);
            return true;
        }
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (command && !event.altKey && key === "a") {
            board.selection.all();
            return true;
        }
        if (command || event.altKey) {
            return false;
        }
        if (TOOLS[key]) {
            commands.chooseTool(TOOLS[key]);
            return true;
        }
        const actions = {
            " ": () => this.#use(event), "Enter": () => this.#use(event), "Escape": () => this.#cancel(),
            "x": () => this.#erase(), "Delete": () => this.#erase(), "Backspace": () => this.#erase(),
            "u": commands.undo, "i": commands.invert, "h": () => commands.mirror("x"), "v": () => commands.mirror("y"),
            "t": commands.rotate, "+": commands.zoomIn, "=": commands.zoomIn, "-": commands.zoomOut, "_": commands.zoomOut,
            "0": commands.fit, "?": commands.help,
        };
        if (!actions[key]) {
            return false;
        }
        if (key !== " " && key !== "Enter") {
            this.endDrawing();
        }
        actions[key]();
        return true;
    }

    /** Space or Enter: changes the cell, or sets a corner of a line or a rectangle. */
    #use(event) {
        const { tools, cursor, tool, selection } = this.board;
        if (event.repeat) {
            return;
        }
        this.endDrawing();
        if (tools.shaping) {
            tools.end(event.shiftKey);
            if (DRAWN[tool]) {
                this.announce(DRAWN[tool]);
            }
            return;
        }
        if (selection.exists) {
            this.#cancel();
            return;
        }
        if (!tools.begin(cursor)) {
            return;
        }
        if (tools.shaping) {
            this.announce("First corner set");
            return;
        }
        this.#changed = { ...cursor, value: tools.value };
        tools.end();
        this.announce(this.board.describe());
    }

    #erase() {
        const { tools, cursor, selection } = this.board;
        if (selection.exists) {
            selection.empty();
            return;
        }
        const tool = OF_PICTURES.includes(this.board.tool) ? this.board.tool : "pen";
        if (tools.begin(cursor, { erase: true, tool })) {
            this.#changed = { ...cursor, value: tools.value };
            tools.end();
            this.announce(this.board.describe());
        }
    }

    #cancel() {
        if (this.board.tools.active) {
            this.#drawing = false;
            this.board.tools.cancel();
            this.announce("Cancelled");
        } else if (this.board.selection.drop()) {
            this.announce("Nothing selected");
        }
    }
}

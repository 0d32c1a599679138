// Mouse, touch and pen on the board: drawing with the tools, moving and zooming the view.

/** Time of a long press in milliseconds, and how far a finger may move during it. */
const LONG_PRESS = 450;
const PRESS_MOVE = 8;
/** Zoom for a pixel of the wheel, and the most that one event of it counts. */
const WHEEL_ZOOM = 0.006;
const WHEEL_MOST = 60;

export function connectPointer(board) {
    const pointer = new Pointer(board);
    const { canvas } = board;
    canvas.addEventListener("pointerdown", (event) => pointer.down(event));
    canvas.addEventListener("pointermove", (event) => pointer.move(event));
    canvas.addEventListener("pointerup", (event) => pointer.up(event));
    canvas.addEventListener("pointercancel", (event) => pointer.cancel(event));
    canvas.addEventListener("pointerleave", () => board.setHover(null));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    // The middle button would begin the browser's own scrolling.
    canvas.addEventListener("mousedown", (event) => event.button === 1 && event.preventDefault());
    canvas.addEventListener("wheel", (event) => pointer.wheel(event), { passive: false });
}

class Pointer {
    #board;
    /** The pointers that are down: identifier to position. */
    #points = new Map();
    /** What the pointers do: null, "draw", "wait" (a touch that may become a long press), "pan" or "pinch". */
    #action = null;
    #waiting = null;

    constructor(board) {
        this.#board = board;
    }

    #position(event) {
        const box = this.#board.canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }

    #cellAt({ x, y }) {
        return this.#board.view.cellAt(x, y);
    }

    down(event) {
        const board = this.#board;
        const point = this.#position(event);
        board.keyboard = false;
        board.canvas.focus({ preventScroll: true });
        board.canvas.setPointerCapture(event.pointerId);
        this.#points.set(event.pointerId, point);
        if (event.pointerType === "touch" && this.#points.size === 2) {
            this.#stopWaiting();
            board.tools.cancel();
            this.#action = "pinch";
        } else if (this.#points.size === 1) {
            this.#begin(event, point);
        }
    }

    #begin(event, point) {
        const board = this.#board;
        const cell = this.#cellAt(point);
        const erase = event.button === 2 || event.button === 5 || (event.button === 0 && event.ctrlKey);
        if (event.button === 1 || !cell.inside || (board.tool === "move" && !erase)) {
            this.#action = "pan";
            board.canvas.dataset.action = "pan";
            return;
        }
        board.moveCursor(cell.row, cell.column, "pointer");
        if (event.pointerType === "touch" && board.drawing.mode === "play") {
            this.#action = "wait";
            this.#waiting = { cell, point, timer: setTimeout(() => this.#press(cell), LONG_PRESS) };
            return;
        }
        board.setHover(event.pointerType === "touch" ? null : cell);
        this.#draw(cell, erase);
    }

    #draw(cell, erase) {
        const tool = this.#board.tool === "move" ? "pen" : this.#board.tool;
        this.#action = this.#board.tools.begin(cell, { erase, tool }) ? "draw" : null;
    }

    /** A long press begins a stroke that marks cells as empty. */
    #press(cell) {
        this.#waiting = null;
        navigator.vibrate?.(15);
        this.#draw(cell, true);
    }

    /** Ends the wait for a long press. Returns the cell at which it began. */
    #stopWaiting() {
        const cell = this.#waiting?.cell ?? null;
        clearTimeout(this.#waiting?.timer);
        this.#waiting = null;
        return cell;
    }

    move(event) {
        const point = this.#position(event);
        const before = this.#points.get(event.pointerId);
        if (!before) {
            const cell = this.#cellAt(point);
            this.#board.setHover(cell.inside && event.pointerType !== "touch" ? cell : null);
            return;
        }
        if (this.#action === "pinch") {
            this.#pinch(event.pointerId, point);
            return;
        }
        if (this.#action === "wait") {
            const { point: start, cell } = this.#waiting;
            if (Math.hypot(point.x - start.x, point.y - start.y) > PRESS_MOVE) {
                this.#stopWaiting();
                this.#draw(cell, false);
            }
        }
        this.#points.set(event.pointerId, point);
        if (this.#action === "pan") {
            this.#board.view.pan(point.x - before.x, point.y - before.y);
            this.#board.draw();
        } else if (this.#action === "draw") {
            this.#drawTo(event, point);
        }
    }

    #drawTo(event, point) {
        const board = this.#board;
        for (const single of event.getCoalescedEvents?.() ?? []) {
            board.tools.moveTo(this.#cellAt(this.#position(single)), event.shiftKey);
        }
        const cell = this.#cellAt(point);
        board.tools.moveTo(cell, event.shiftKey);
        if (cell.row !== board.cursor.row || cell.column !== board.cursor.column) {
            board.setHover(event.pointerType === "touch" ? null : cell);
            board.moveCursor(cell.row, cell.column, "pointer");
        }
    }

    #pinch(identifier, point) {
        const { view } = this.#board;
        const measure = () => {
            const [one, other] = [...this.#points.values()];
            return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, distance: Math.hypot(one.x - other.x, one.y - other.y) };
        };
        const before = measure();
        this.#points.set(identifier, point);
        const after = measure();
        view.pan(after.x - before.x, after.y - before.y);
        if (before.distance > 1 && after.distance > 1) {
            view.zoomAt(after.distance / before.distance, after.x, after.y);
        }
        this.#board.draw();
    }

    up(event) {
        if (!this.#points.delete(event.pointerId)) {
            return;
        }
        if (this.#action === "wait") {
            this.#draw(this.#stopWaiting(), false);
        }
        if (this.#action === "draw") {
            this.#board.tools.end(event.shiftKey);
        }
        this.#settle();
    }

    cancel(event) {
        if (this.#points.delete(event.pointerId)) {
            this.#stopWaiting();
            this.#board.tools.cancel();
            this.#settle();
        }
    }

    /** After a pinch the finger that is left does nothing until it is lifted. */
    #settle() {
        this.#action = null;
        delete this.#board.canvas.dataset.action;
    }

    wheel(event) {
        const board = this.#board;
        const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
        let [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
        if (event.ctrlKey || event.metaKey) {
            const { x, y } = this.#position(event);
            board.zoom(Math.exp(-Math.min(Math.max(dy, -WHEEL_MOST), WHEEL_MOST) * WHEEL_ZOOM), x, y);
            event.preventDefault();
            return;
        }
        if (event.shiftKey && dx === 0) {
            [dx, dy] = [dy, 0];
        }
        if (board.view.pan(-dx, -dy)) {
            event.preventDefault();
            board.draw();
        }
    }
}

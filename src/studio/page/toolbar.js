// The toolbar and the header: tools, undo and redo, operations on the picture, zoom, title, and the dialogs of the editor.

import { connectTheme } from "./theme.js";
import { OF_PICTURES } from "./tools.js";

const ZOOM = 1.25;
/** Largest side of a picture. */
const MOST_SIDE = 200;

const find = (selector) => document.querySelector(selector);

/** Connects the buttons. Returns the operations, which the keyboard uses too. */
export function connectToolbar(context) {
    const commands = makeCommands(context);
    connectTools(context, commands);
    connectHistory(context, commands);
    connectOperations(context, commands);
    connectTitle(context);
    connectDialogs();
    connectFocus(context);
    connectNew(context);
    connectResize(context);
    connectReadout(context);
    connectCollectionToggle();
    connectTheme(find("#theme"));
    return commands;
}

/** The operations. Those that change the picture do nothing while it is played; clues can only be mirrored and rotated. */
function makeCommands({ drawing, board, announce }) {
    const change = (needsPicture, words, operation) => (...values) => {
        if (drawing.mode === "play") {
            announce("Stop playing to change the picture.");
        } else if (needsPicture && drawing.kind !== "picture") {
            announce("Clues have no picture to change.");
        } else {
            operation(...values);
            announce(words);
        }
    };
    const travel = (name) => () => {
        const entry = name === "undo" ? drawing.undoName : drawing.redoName;
        drawing[name]();
        announce(entry ? `${name === "undo" ? "Undone" : "Redone"}: ${entry}` : `Nothing to ${name}`);
    };
    return {
        chooseTool: (tool) => {
            board.tool = tool;
            announce(`Tool ${tool}`);
        },
        undo: travel("undo"),
        redo: travel("redo"),
        invert: change(true, "Inverted", () => drawing.invert()),
        shift: change(true, "Shifted", (dx, dy) => drawing.shift(dx, dy)),
        mirror: change(false, "Mirrored", (axis) => drawing.mirror(axis)),
        rotate: change(false, "Rotated", () => drawing.rotate(1)),
        clear: () => announce(drawing.clear() ? "Cleared" : "Nothing to clear"),
        zoomIn: () => board.zoom(ZOOM),
        zoomOut: () => board.zoom(1 / ZOOM),
        fit: () => board.fit(),
        help: () => find("#help-dialog").showModal(),
    };
}

function connectTools({ drawing, board }, commands) {
    const buttons = [...document.querySelectorAll("button[data-tool]")];
    const show = () => {
        for (const button of buttons) {
            button.setAttribute("aria-pressed", String(button.dataset.tool === board.tool));
            button.disabled = OF_PICTURES.includes(button.dataset.tool) && (drawing.mode === "play" || drawing.kind !== "picture");
        }
    };
    buttons.forEach((button) => button.addEventListener("click", () => commands.chooseTool(button.dataset.tool)));
    board.addEventListener("tool", show);
    drawing.addEventListener("change", ({ detail }) => {
        if (OF_PICTURES.includes(board.tool) && drawing.mode === "play") {
            board.tool = "pen";
        }
        if (detail.what.has("mode") || detail.what.has("document")) {
            show();
        }
    });
    show();
}

function connectHistory({ drawing }, commands) {
    const pairs = [[find("#undo"), "Undo", "canUndo", "undoName"], [find("#redo"), "Redo", "canRedo", "redoName"]];
    const show = () => {
        for (const [button, word, possible, name] of pairs) {
            button.disabled = !drawing[possible];
            button.title = drawing[possible] ? `${word}: ${drawing[name]}` : word;
        }
    };
    find("#undo").addEventListener("click", commands.undo);
    find("#redo").addEventListener("click", commands.redo);
    drawing.addEventListener("change", show);
    show();
}

function connectOperations({ drawing }, commands) {
    const operations = {
        "invert": commands.invert, "mirror-x": () => commands.mirror("x"), "mirror-y": () => commands.mirror("y"),
        "rotate": () => commands.rotate(), "clear": commands.clear,
        "shift-left": () => commands.shift(-1, 0), "shift-right": () => commands.shift(1, 0),
        "shift-up": () => commands.shift(0, -1), "shift-down": () => commands.shift(0, 1),
        "zoom-in": commands.zoomIn, "zoom-out": commands.zoomOut, "zoom-fit": commands.fit, "help": commands.help,
    };
    for (const [name, operation] of Object.entries(operations)) {
        find(`#${name}`).addEventListener("click", () => operation());
    }
    const ofPictures = ["invert", "shift-left", "shift-right", "shift-up", "shift-down", "resize"];
    const show = () => {
        const playing = drawing.mode === "play";
        const picture = drawing.kind === "picture";
        ofPictures.forEach((name) => {
            find(`#${name}`).disabled = playing || !picture;
        });
        ["mirror-x", "mirror-y", "rotate"].forEach((name) => {
            find(`#${name}`).disabled = playing;
        });
        find("#clear").disabled = !playing && !picture;
    };
    drawing.addEventListener("change", show);
    show();
}

function connectTitle({ drawing }) {
    const field = find("#title");
    const show = () => {
        if (field.value !== drawing.title) {
            field.value = drawing.title;
        }
        document.title = drawing.title ? `${drawing.title} - omnogram studio` : "omnogram studio";
    };
    field.addEventListener("input", () => {
        drawing.edit("Title", (draft) => {
            draft.title = field.value;
        }, { merge: "title" });
    });
    drawing.addEventListener("change", ({ detail }) => (detail.what.has("title") || detail.what.has("document")) && show());
    show();
}

/** Buttons that close their dialog, and a press beside a dialog, which closes it too. */
function connectDialogs() {
    for (const dialog of document.querySelectorAll("dialog")) {
        dialog.querySelectorAll("[data-close]").forEach((button) => button.addEventListener("click", () => dialog.close()));
        dialog.addEventListener("pointerdown", (event) => {
            const box = dialog.getBoundingClientRect();
            const { clientX: x, clientY: y } = event;
            const within = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
            if (event.target === dialog && !within) {
                dialog.close();
            }
        });
    }
}

/** A button that is disabled while it has the focus hands it to a neighbour: the keyboard does not begin again at the top of the page. */
function connectFocus({ board }) {
    const enabled = (group) => [...(group?.querySelectorAll("button:not(:disabled)") ?? [])].filter((button) => button.checkVisibility());
    // Some browsers take the focus away at once, so that the button that had it is kept here.
    let focused = null;
    document.addEventListener("focusin", ({ target }) => { focused = target; });
    document.addEventListener("focusout", ({ target }) => { focused = target.disabled ? target : null; });
    const observer = new MutationObserver(() => {
        const left = focused;
        if (left?.disabled && [left, document.body].includes(document.activeElement)) {
            const groups = [".actions, .group", ".panel, dialog"].map((group) => enabled(left.closest(group)));
            const near = groups.find(({ length }) => length > 0);
            const after = near?.find((button) => left.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING);
            (after ?? near?.at(-1) ?? board.canvas).focus({ preventScroll: true });
        }
    });
    observer.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["disabled"] });
}

function connectNew({ drawing, board }) {
    const dialog = find("#new-dialog");
    find("#new").addEventListener("click", () => {
        find("#new-width").value = Math.min(drawing.width, MOST_SIDE);
        find("#new-height").value = Math.min(drawing.height, MOST_SIDE);
        dialog.showModal();
        find("#new-width").select();
    });
    find("#new-form").addEventListener("submit", (event) => {
        event.preventDefault();
        dialog.close();
        drawing.newPicture(find("#new-width").valueAsNumber, find("#new-height").valueAsNumber);
        board.canvas.focus({ preventScroll: true });
    });
}

function connectResize({ drawing }) {
    const dialog = find("#resize-dialog");
    const sides = ["top", "right", "bottom", "left"];
    const field = (side) => find(`#resize-${side}`);
    const values = () => Object.fromEntries(sides.map((side) => [side, field(side).valueAsNumber || 0]));
    const show = () => {
        const { top, right, bottom, left } = values();
        const [width, height] = [drawing.width + left + right, drawing.height + top + bottom];
        const possible = [width, height].every((side) => side >= 1 && side <= MOST_SIDE);
        const words = possible ? "" : ` This is not possible: a side has 1 to ${MOST_SIDE} cells.`;
        find("#resize-result").textContent = `New size: ${width} × ${height}.${words}`;
        find("#use-resize").disabled = !possible;
    };
    sides.forEach((side) => field(side).addEventListener("input", show));
    find("#resize").addEventListener("click", () => {
        sides.forEach((side) => {
            field(side).value = 0;
        });
        show();
        dialog.showModal();
    });
    find("#resize-form").addEventListener("submit", (event) => {
        event.preventDefault();
        dialog.close();
        drawing.resize(values());
    });
}

/** The line below the board: position, clues and findings of the highlighted cell; without one, what to do. */
function connectReadout({ board, drawing }) {
    const show = () => {
        const { row, column, cell } = board.readout;
        const idle = drawing.mode === "draw" && drawing.kind === "picture" ? "Draw on the grid. The button ? opens the help." : "";
        find("#readout-cell").textContent = cell || (row ? "" : idle);
        find("#readout-row").textContent = row;
        find("#readout-column").textContent = column;
    };
    ["hover", "cursor"].forEach((name) => board.addEventListener(name, show));
    ["change", "stroke"].forEach((name) => drawing.addEventListener(name, show));
    show();
}

/** Shows and hides the collection. It begins hidden and opens by itself when it has more than one puzzle for the first time. */
function connectCollectionToggle() {
    const panel = find("#collection-panel");
    const toggle = find("#collection-toggle");
    const list = find("#collection");
    const show = (open) => {
        panel.classList.toggle("closed", !open);
        toggle.setAttribute("aria-expanded", String(open));
        find("#collection-body").hidden = !open;
    };
    const observer = new MutationObserver(() => {
        if (list.children.length > 1) {
            observer.disconnect();
            show(true);
        }
    });
    observer.observe(list, { childList: true });
    toggle.addEventListener("click", () => show(toggle.getAttribute("aria-expanded") !== "true"));
    show(false);
}

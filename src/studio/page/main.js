// The page: creates the document and the board, connects the panels, and opens what is to be shown first.

import { alertUser, announce, notify } from "./announce.js";
import { Board } from "./board.js";
import { connectCheck } from "./check.js";
import { connectClipboard } from "./clipboard.js";
import { connectCollection } from "./collection.js";
import { Drawing } from "./drawing.js";
import { Explain } from "./explain.js";
import { Export } from "./export.js";
import { Files } from "./files.js";
import { Heat } from "./heat.js";
import { ImageDialog } from "./image.js";
import { connectKeys } from "./keys.js";
import { Play } from "./play.js";
import { connectPrint } from "./print.js";
import { Repair } from "./repair.js";
import { Solutions } from "./solutions.js";
import { Store } from "./store.js";
import { connectToolbar } from "./toolbar.js";

const drawing = new Drawing();
const store = new Store(drawing);
const board = new Board(document.querySelector("#board"), drawing);
const context = { drawing, board, announce, notify, alertUser, store };
window.studio = { drawing, board };

/** Opens the puzzle of the address, if there is one. */
function openFragment() {
    try {
        return store.openFragment();
    } catch {
        alertUser("The link does not contain a puzzle that can be read.");
        return false;
    }
}

function connectEditor() {
    connectKeys(context, connectToolbar(context));
    connectClipboard(context);
    connectPrint(context);
    board.addEventListener("cursor", ({ detail }) => detail.by === "keys" && announce(board.describe()));
    board.addEventListener("told", ({ detail }) => announce(detail.words));
    window.addEventListener("hashchange", openFragment);
}

function connectPanels() {
    for (const Panel of [Repair, Explain, Play, Solutions, Heat, Files, ImageDialog, Export]) {
        new Panel(context);
    }
}

/** The puzzles that the program was started with come first, then the address, then the stored drawing, then an empty picture. After a
 * reload the stored drawing comes before those puzzles. What is replaced can be brought back with undo. */
async function begin() {
    const state = store.read();
    const begins = store.begins();
    if (state) {
        drawing.begin(state);
    }
    connectEditor();
    connectPanels();
    const opened = await connectCollection(context, begins || !state);
    if (!opened) {
        openFragment();
    }
    connectCheck(context);
    store.connect();
}

begin();

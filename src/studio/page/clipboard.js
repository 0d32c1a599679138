// The clipboard: the keys of the system copy, cut and paste parts of the picture, and so do the buttons beside the tools.

import { copyText } from "./download.js";
import { elements } from "./elements.js";

/** Connects the buttons of the group `#part` and the keys. */
export function connectClipboard({ board }) {
    const { selection } = board;
    const { group, cut, copy, paste, empty, drop } = elements({
        group: "part", cut: "part-cut", copy: "part-copy", paste: "part-paste", empty: "part-empty", drop: "part-drop",
    });
    const show = () => {
        group.hidden = board.tool !== "select";
        paste.disabled = !selection.canPaste;
        [cut, copy, empty, drop].forEach((button) => { button.disabled = !selection.exists; });
    };
    cut.addEventListener("click", () => copyText(selection.cut()));
    copy.addEventListener("click", () => copyText(selection.copy()));
    paste.addEventListener("click", () => selection.paste());
    empty.addEventListener("click", () => selection.empty());
    drop.addEventListener("click", () => selection.drop());
    ["selection", "tool"].forEach((name) => board.addEventListener(name, show));
    show();
    for (const name of ["copy", "cut"]) {
        document.addEventListener(name, (event) => {
            if (selection.exists && !isElsewhere(event) && document.getSelection().isCollapsed) {
                event.preventDefault();
                event.clipboardData.setData("text/plain", selection[name]());
            }
        });
    }
    // Before it is read as a puzzle.
    document.addEventListener("paste", (event) => {
        if (!isElsewhere(event) && selection.pasteText(event.clipboardData.getData("text/plain"))) {
            event.preventDefault();
            event.stopPropagation();
        }
    }, { capture: true });
}

/** Whether an event of the clipboard is about a text field or a dialog. */
export function isElsewhere(event) {
    return event.target.closest?.("input, textarea, select, dialog") || document.querySelector("dialog[open]");
}

// The elements of an entry of the collection.

import { verdictText } from "./words.js";

const BADGES = { none: "none", unique: "unique", multiple: "several", undecided: "undecided" };

/** The list item of an entry. */
export function entryItem(entry) {
    const item = document.createElement("li");
    const open = button("", "entry");
    for (const name of ["entry-title", "entry-size", "badge"]) {
        const part = document.createElement("span");
        part.className = name;
        open.append(part);
    }
    const tools = document.createElement("span");
    tools.className = "entry-tools";
    tools.append(button("↑", "entry-up", "Move up"), button("↓", "entry-down", "Move down"), button("×", "entry-remove", "Remove"));
    item.append(open, tools);
    fillItem(item, entry);
    return item;
}

/** Shows what an entry is now. */
export function fillItem(item, entry) {
    const { rows, columns } = entry.puzzle;
    item.querySelector(".entry-title").textContent = titleOf(entry);
    item.querySelector(".entry-size").textContent = ` ${columns.length} × ${rows.length} `;
    fillBadge(item.querySelector(".badge"), entry.verdict);
}

export function fillBadge(badge, verdict) {
    badge.dataset.verdict = verdict ?? "checking";
    badge.textContent = BADGES[verdict] ?? "…";
    badge.title = verdict ? verdictText(verdict) : "Not checked yet";
}

export function titleOf({ name, puzzle }) {
    return puzzle.title || name;
}

function button(text, name, label = "") {
    const element = document.createElement("button");
    element.type = "button";
    element.className = name;
    element.textContent = text;
    if (label) {
        element.setAttribute("aria-label", label);
        element.title = label;
    }
    return element;
}

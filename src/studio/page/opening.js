// What is told of puzzles that were opened: which cannot be read, what their readers warn of, and which goals cannot be shown as they are.

import { goalFault } from "./drawing.js";
import { plural, sentence } from "./words.js";

/** Number of messages that are told in words. */
const MOST = 3;

/**
 * Tells what is wrong with puzzles of files, if anything is.
 * @param {{name: string, puzzle?: object, error?: string, warnings?: string[]}[]} entries
 */
export function tellOpening({ alertUser, notify }, entries) {
    const unreadable = entries.filter(({ puzzle }) => !puzzle);
    const errors = unreadable.map(({ name, error }) => (error.startsWith(name) ? `${error}.` : `${name}: ${error}.`));
    const readable = entries.filter(({ puzzle }) => puzzle);
    const warnings = readable.flatMap((entry) => warningsOf(entry).map((words) => `${entry.name}: ${words}`));
    const texts = [toldOf(errors, "more file", "cannot be read"), toldOf(warnings, "more warning", "")];
    const text = texts.filter((part) => part !== "").join(" ");
    if (errors.length > 0) {
        alertUser(text);
    } else if (text !== "") {
        notify(text);
    }
}

/** What the reader of a puzzle warns of, and what is wrong with its goal, as sentences. */
export function warningsOf({ puzzle, warnings = [] }) {
    const fault = goalFault(puzzle);
    return [...warnings, ...(fault ? [fault] : [])].map(sentence);
}

function toldOf(texts, noun, ending) {
    const more = texts.length - MOST;
    const rest = more > 0 ? [`${plural(more, noun)} ${ending}`.trim() + "."] : [];
    return [...texts.slice(0, MOST), ...rest].join(" ");
}

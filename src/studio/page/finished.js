// Finished blocks: which blocks of a clue a player has drawn for certain. Only the marks count, so that nothing of the solution is given
// away, and nothing is attributed in a line that the marks contradict.

import { blocksOfLine, sameClue } from "./clues.js";

const FILLED = 1;
const EMPTY = 2;

/** The cells of a line of the grid: the index of the first, the distance from one to the next, and their number.
 * @typedef {[start: number, step: number, length: number]} Cells */

/** Whether the stretches of filled marks of a line are the blocks of its clue.
 * @param {Uint8Array} marks
 * @param {Cells} cells */
export function lineIsFinished(clue, marks, cells) {
    return sameClue(blocksOfLine(marks, ...cells), clue);
}

/** For each block of a clue, whether it is finished: all if the line has the clue; else those that follow each other from an end of the
 * line, where every cell is decided up to the end of the block and the cell after it.
 * @param {number[]} clue
 * @param {Uint8Array} marks
 * @param {Cells} cells
 * @returns {boolean[]} */
export function finishedBlocks(clue, marks, [start, step, length]) {
    if (lineIsFinished(clue, marks, [start, step, length])) {
        return clue.map(() => true);
    }
    const line = Array.from({ length }, (_, at) => marks[start + at * step]);
    const first = decidedBlocks(line);
    const last = decidedBlocks([...line].reverse());
    const [left, right] = [first.blocks, last.blocks.reverse()];
    const number = left.length + right.length;
    const rest = clue.slice(left.length, clue.length - right.length);
    const agrees = number > 0 && number <= clue.length && first.end < length && sameClue([...left, ...rest, ...right], clue)
        && fits(rest, line.slice(first.end, length - last.end));
    return clue.map((_, at) => agrees && (at < left.length || at >= clue.length - right.length));
}

/** The blocks at the beginning of a line that are decided, and the place at which the rest begins. */
function decidedBlocks(line) {
    const blocks = [];
    let end = 0;
    while (end < line.length) {
        let after = end;
        while (line[after] === FILLED) {
            after++;
        }
        if (after > end && (after === line.length || line[after] === EMPTY)) {
            blocks.push(after - end);
            end = after;
        } else if (line[end] === EMPTY) {
            end++;
        } else {
            break;
        }
    }
    return { blocks, end };
}

/** Whether some arrangement of the blocks agrees with the marks of a line. */
function fits(blocks, line) {
    // Whether the cells before a place can hold the blocks so far; the cell before the place is not of a block.
    let possible = new Uint8Array(line.length + 2);
    const passEmpty = () => {
        for (let at = 0; at < line.length; at++) {
            possible[at + 1] |= possible[at] && line[at] !== FILLED ? 1 : 0;
        }
    };
    possible[0] = 1;
    passEmpty();
    for (const block of blocks) {
        const next = new Uint8Array(line.length + 2);
        let run = 0;
        for (let after = 1; after <= line.length; after++) {
            run = line[after - 1] === EMPTY ? 0 : run + 1;
            if (run >= block && possible[after - block] && line[after] !== FILLED) {
                next[after + 1] = 1;
            }
        }
        possible = next;
        passEmpty();
    }
    return possible[line.length] === 1 || possible[line.length + 1] === 1;
}

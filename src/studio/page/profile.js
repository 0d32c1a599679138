// How hard the puzzle is for a person: the profile in words, a chart of its rounds, and the narrowest place on the board.

import { beginView, closeForOthers, showLayer } from "./answers.js";
import { elements } from "./elements.js";
import { listText, plural, sentence } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** Size of the chart in its own units. */
const HEIGHT = 40;
const WIDTH = 240;

/** More rounds than this are drawn as groups of rounds. */
const MOST_BARS = 80;

/** Number of lines of the narrowest place that are named; the board highlights all of them. */
const MOST_NAMED = 8;

/** The elements `#profile` and `#narrowest`. */
export class ProfileView {
    #profile = null;

    constructor({ drawing, board }) {
        Object.assign(this, { drawing, board }, elements({ element: "profile", button: "narrowest" }));
        this.button.addEventListener("click", () => this.#toggleNarrowest());
        closeForOthers("narrowest", () => this.hideNarrowest());
        this.clear();
    }

    clear() {
        this.hideNarrowest();
        this.#profile = null;
        this.element.replaceChildren();
        this.button.hidden = true;
        this.button.disabled = true;
    }

    /** Shows one sentence instead of a profile. */
    note(words) {
        this.clear();
        this.element.append(paragraph(words));
    }

    /** Shows the data of the event `profile`. */
    show(profile) {
        this.clear();
        this.#profile = profile;
        this.element.append(paragraph(sentence(profile.words)));
        if (profile.rounds.length > 0) {
            this.element.append(chart(profile.rounds));
        }
        const found = profile.narrowest_lines.length > 0;
        if (found && profile.narrowest_lines.length <= MOST_NAMED) {
            this.element.append(paragraph(`The narrowest place: ${listText(profile.narrowest_lines)}.`));
        }
        this.button.hidden = !found;
        this.button.disabled = !found || this.drawing.mode === "play";
    }

    /** While the puzzle is played the narrowest place would give cells away. */
    setPlaying(playing) {
        this.hideNarrowest();
        this.button.disabled = playing || this.button.hidden;
    }

    hideNarrowest() {
        this.button.setAttribute("aria-pressed", "false");
        showLayer(this.board, "lines", "narrowest", null);
        showLayer(this.board, "position", "narrowest", null);
    }

    #toggleNarrowest() {
        const pressed = this.button.getAttribute("aria-pressed") === "true";
        if (pressed || !this.#profile) {
            this.hideNarrowest();
            return;
        }
        beginView("narrowest");
        this.button.setAttribute("aria-pressed", "true");
        showLayer(this.board, "lines", "narrowest", this.#profile.narrowest_lines);
        showLayer(this.board, "position", "narrowest", this.#profile.narrowest_position);
    }
}

function paragraph(words) {
    const element = document.createElement("p");
    element.textContent = words;
    return element;
}

/** A bar for each round: the part of the open lines that help, over all of them. */
function chart(rounds) {
    const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", class: "rounds" });
    picture.setAttribute("aria-label", `Helping lines in ${plural(rounds.length, "round")}`);
    const group = Math.ceil(rounds.length / MOST_BARS);
    const bars = Math.ceil(rounds.length / group);
    const step = Math.min(WIDTH / bars, 16);
    const most = Math.max(1, ...rounds.map(([, open]) => open));
    for (let bar = 0; bar < bars; bar++) {
        const first = bar * group;
        picture.append(barOf(narrowestRound(rounds.slice(first, first + group)), first, bar * step, step, most));
    }
    return picture;
}

/** Of a group of rounds, the one in which the fewest lines help. */
function narrowestRound(rounds) {
    return rounds.reduce((least, round) => (round[0] < least[0] ? round : least));
}

function barOf([helping, open, unknown], index, x, step, most) {
    const bar = svg("g", {});
    const title = svg("title", {});
    title.textContent = `Round ${index + 1}: ${helping} of ${plural(open, "open line")} help, ${plural(unknown, "cell")} unknown`;
    const width = Math.max(step - 1, 0.5);
    bar.append(title, rectangle(x, width, open / most, 0.25), rectangle(x, width, helping / most, 1));
    return bar;
}

function rectangle(x, width, share, opacity) {
    const height = Math.max(share * HEIGHT, share > 0 ? 1 : 0);
    return svg("rect", { x, y: HEIGHT - height, width, height, fill: "currentColor", "fill-opacity": opacity });
}

function svg(name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
        element.setAttribute(key, value);
    }
    return element;
}

// Server-sent events in the text of an answer.

/**
 * Takes server-sent events apart. Text may be given in pieces that end anywhere, also between a carriage return and a line feed.
 */
export class EventParser {
    #rest = "";
    #name = "";
    #data = [];

    /**
     * @param {string} text the next piece
     * @returns {{name: string, data: string}[]} the events that it completes
     */
    take(text) {
        const events = [];
        const whole = this.#rest + text;
        // A carriage return at the end may be the first half of a line end, so it waits for the next piece.
        const usable = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
        const lines = usable.split(/\r\n|\n|\r/);
        this.#rest = lines.pop() + whole.slice(usable.length);
        for (const line of lines) {
            this.#line(line, events);
        }
        return events;
    }

    #line(line, events) {
        if (line === "") {
            if (this.#data.length > 0) {
                events.push({ name: this.#name || "message", data: this.#data.join("\n") });
            }
            this.#name = "";
            this.#data = [];
            return;
        }
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "event") {
            this.#name = value;
        } else if (field === "data") {
            this.#data.push(value);
        }
    }
}

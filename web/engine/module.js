// The WebAssembly module in a worker: its memory, what it imports, and the questions that a port brings.

/** Pages of memory of 64 KiB at the start, and at most: all that 32-bit addresses reach. */
const PAGES = { initial: 256, maximum: 65536 };

const DEFECT = "this is a defect of omnogram: the answer failed";

/** One instance of the module. */
class Instance {
    #memory;
    #exports;
    #failure = null;

    /**
     * @param {WebAssembly.Module} module
     * @param {number} maximum pages of memory
     * @param {function(object, ArrayBuffer[]=): void} tell receives the answer, and what of it is transferred
     */
    constructor(module, maximum, tell) {
        this.#memory = new WebAssembly.Memory({ initial: PAGES.initial, maximum });
        const host = {
            now: () => performance.now(),
            reply: (status, headers, headersLength, body, bodyLength) => {
                const bytes = this.#bytes(body, bodyLength).slice().buffer;
                tell({ reply: { status, headers: JSON.parse(this.#text(headers, headersLength)), body: bytes } }, [bytes]);
            },
            event: (text, length) => tell({ event: this.#text(text, length) }),
            fail: (words, length) => {
                this.#failure = this.#text(words, length);
            },
        };
        const imports = { env: { memory: this.#memory }, omnogram: host };
        this.#exports = new WebAssembly.Instance(module, imports).exports;
    }

    get bytes() {
        return this.#memory.buffer.byteLength;
    }

    /** Answers a question. After an error the instance must not be used again. */
    ask(name, query, body) {
        const encoder = new TextEncoder();
        const parts = [encoder.encode(name), encoder.encode(query), new Uint8Array(body)];
        const length = parts.reduce((sum, part) => sum + part.length, 0);
        let address = this.#exports.room(length) >>> 0;
        for (const part of parts) {
            this.#bytes(address, part.length).set(part);
            address += part.length;
        }
        this.#exports.ask(parts[0].length, parts[1].length);
    }

    /** Why an answer failed. A trap without the words of a panic is memory that ran out. */
    words(error) {
        if (this.#failure === null && error instanceof WebAssembly.RuntimeError) {
            return `this needs more memory than one page has (${Math.round(this.bytes / 2 ** 20)} MiB are in use)`;
        }
        return `${DEFECT} (${this.#failure ?? error})`;
    }

    #bytes(address, length) {
        return new Uint8Array(this.#memory.buffer, address >>> 0, length);
    }

    #text(address, length) {
        return new TextDecoder().decode(this.#bytes(address, length));
    }
}

/**
 * Answers the questions that a port brings, one after the other. The first message brings the module.
 * @param {{ postMessage: function(object, ArrayBuffer[]=): void }} port
 * @returns {function(object): void} takes a message
 */
export function serve(port) {
    let instance = null;
    return ({ module, maximum = PAGES.maximum, question }) => {
        if (module) {
            instance = new Instance(module, maximum, (message, transferred) => port.postMessage(message, transferred));
            return;
        }
        try {
            instance.ask(question.name, question.query, question.body);
            port.postMessage({ end: { bytes: instance.bytes } });
        } catch (error) {
            port.postMessage({ failure: instance.words(error) });
        }
    };
}

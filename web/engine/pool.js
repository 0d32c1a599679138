// Workers that answer questions in the terms of `fetch`. A question that is aborted ends its worker, and another one that is ready takes its
// place.

/** Maximum number of questions at a time. */
const MAX_RUNNING = 4;

/** A worker whose memory has grown to this number of bytes is ended after its answer, for it would keep them. */
const MAX_KEPT_BYTES = 2 ** 28;

/**
 * @typedef {object} Thread a worker of the browser or of Node
 * @property {function(object, ArrayBuffer[]=): void} post
 * @property {function(): void} end ends it at once
 * @property {function(boolean): void} [hold] told whether the program must wait for it
 */

/** A pool of workers. */
export class Pool {
    #spawn;
    #maximum;
    /** Workers that wait for a question; the one that answered last comes last, for it has kept the most useful results. */
    #idle = [];
    #running = 0;

    /**
     * @param {function(function(object): void, function(Error): void): Thread} spawn starts a worker that has its module; it is given
     *     what receives its messages and its errors
     * @param {number} maximum number of questions at a time
     */
    constructor(spawn, maximum = MAX_RUNNING) {
        this.#spawn = spawn;
        this.#maximum = maximum;
        this.#keepReady();
    }

    /**
     * Asks a question.
     * @param {string} name
     * @param {string} query options, as after the question mark of an address
     * @param {ArrayBuffer} body
     * @param {AbortSignal} [signal]
     * @returns {Promise<Response>} the status 503 if there is no room; rejected with the reason of `signal` when it is aborted
     */
    ask(name, query, body, signal) {
        if (signal?.aborted) {
            return Promise.reject(signal.reason);
        }
        if (this.#running === this.#maximum) {
            return Promise.resolve(refusal(503, "too many questions at a time"));
        }
        this.#running += 1;
        const worker = this.#idle.pop() ?? new Runner(this.#spawn);
        return new Promise((resolve, reject) => {
            worker.ask(new Answer(resolve, reject), { name, query, body }, signal, (reusable) => {
                this.#running -= 1;
                if (reusable) {
                    this.#idle.push(worker);
                }
                this.#keepReady();
            });
            this.#keepReady();
        });
    }

    /** Ends all workers that wait. The pool must not be used again. */
    end() {
        this.#maximum = 0;
        this.#idle.forEach((worker) => worker.end());
        this.#idle = [];
    }

    /** Starts a worker for the next question, if none waits. */
    #keepReady() {
        if (this.#idle.length === 0 && this.#running < this.#maximum) {
            this.#idle.push(new Runner(this.#spawn));
        }
    }
}

/** A worker, and the answer that it is giving. */
class Runner {
    #thread;
    #answer = null;
    #release = null;

    constructor(spawn) {
        this.#thread = spawn((message) => this.#take(message), (error) => this.#fail(String(error.message ?? error)));
    }

    /**
     * @param {Answer} answer
     * @param {{name: string, query: string, body: ArrayBuffer}} question
     * @param {AbortSignal | undefined} signal
     * @param {function(boolean): void} release told when the answer has ended: whether the worker can be asked again
     */
    ask(answer, question, signal, release) {
        const abort = () => this.#stop(() => answer.abort(signal.reason));
        answer.onCancel = () => this.#stop(() => {});
        signal?.addEventListener("abort", abort, { once: true });
        this.#answer = answer;
        this.#thread.hold?.(true);
        this.#release = (reusable) => {
            this.#thread.hold?.(false);
            signal?.removeEventListener("abort", abort);
            this.#answer = null;
            this.#release = null;
            release(reusable);
        };
        this.#thread.post({ question });
    }

    end() {
        this.#thread.end();
    }

    #take({ reply, event, end, failure }) {
        if (this.#answer === null) {
            return;
        }
        if (reply) {
            this.#answer.whole(new Response(reply.body, { status: reply.status, headers: reply.headers }));
        } else if (event !== undefined) {
            this.#answer.event(event);
        } else if (end) {
            this.#answer.end();
            const reusable = end.bytes < MAX_KEPT_BYTES;
            if (!reusable) {
                this.end();
            }
            this.#release(reusable);
        } else {
            this.#fail(failure);
        }
    }

    #fail(words) {
        this.#stop(() => this.#answer.fail(words));
    }

    /** Ends the worker in the middle of its answer. */
    #stop(tell) {
        this.end();
        if (this.#release) {
            tell();
            this.#release(false);
        }
    }
}

/** An answer on its way: a whole response, or one whose body is a stream of events. */
class Answer {
    #resolve;
    #reject;
    #stream = null;
    #encoder = new TextEncoder();

    /** Called when the reader of the stream wants no more. */
    onCancel = () => {};

    constructor(resolve, reject) {
        this.#resolve = resolve;
        this.#reject = reject;
    }

    whole(response) {
        this.#resolve(response);
    }

    event(text) {
        if (this.#stream === null) {
            const source = {
                start: (stream) => {
                    this.#stream = stream;
                },
                cancel: () => this.onCancel(),
            };
            const headers = { "content-type": "text/event-stream" };
            this.#resolve(new Response(new ReadableStream(source), { headers }));
        }
        this.#stream.enqueue(this.#encoder.encode(text));
    }

    end() {
        this.#stream?.close();
    }

    fail(words) {
        if (this.#stream === null) {
            this.#resolve(refusal(500, words));
        } else {
            this.event(`event: error\ndata: ${JSON.stringify({ error: words })}\n\n`);
            this.end();
        }
    }

    abort(reason) {
        this.#stream?.error(reason);
        this.#reject(reason);
    }
}

/** The response to a question that is not answered. */
function refusal(status, words) {
    return Response.json({ error: words }, { status });
}
